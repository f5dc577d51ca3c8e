import assert from 'node:assert/strict';
import type { AuditEntry } from '../../../src/permissions/auditLog';
import { auditAnswer } from '../../../src/permissions/auditRecords';
import { ruleEngine } from '../../../src/permissions/ruleEngine';
import { toRuleRequest } from '../../../src/permissions/toolCallRequest';
import type { PermissionEntry, ToolEntry } from '../../../src/shared/state/toolCallState';
import { stubOf } from '../../kit/stubOf';

/** The audit log shows what was approved (docs/security.md, row 3): a part of it would look like the whole. */
describe('permissions/auditRecords', () => {
  const about = { agent: 'claude', cwd: '/w', folders: ['/w'], confined: undefined };
  const options = [{ optionId: 'a', name: 'Yes', kind: 'allow_once' as const }];
  function recordOf(call: Partial<ToolEntry>): AuditEntry {
    const tool = { title: 'Run tests', tool: 'execute' as const, content: [], locations: [], rawInput: {}, ...call };
    const request = toRuleRequest(ruleEngine, tool, tool.title, about);
    const decision = { decision: 'ask' as const, by: 'agent' as const, reason: 'no rule' };
    const decided = { request, decision, input: tool.rawInput, at: 0 };
    return auditAnswer(
      's',
      decided,
      stubOf<PermissionEntry>({ options }),
      { type: 'selected', optionId: 'a', by: 'person' },
      5,
    );
  }

  it('name the command only where it is the whole request', () => {
    assert.equal(recordOf({ rawInput: { command: 'npm test' } }).command, 'npm test');
    const unclear = recordOf({ rawInput: { command: 'npm test', stdin: 'rm -rf /' } });
    assert.equal(unclear.command, undefined);
    assert.match(unclear.reason ?? '', /cannot be read as one action/);
    assert.deepEqual(unclear.arguments, { command: 'npm test', stdin: 'rm -rf /' });
    assert.equal(recordOf({ title: 'mcp__docker__exec', rawInput: { command: 'ls' } }).command, undefined);
  });

  it('tell two changes of one file apart', () => {
    const edit = (newText: string): AuditEntry => {
      const lines = [{ type: 'added' as const, text: newText }];
      const hunks = [{ oldStart: 0, newStart: 1, lines }];
      const diff = {
        type: 'diff' as const,
        diffId: newText,
        path: '/w/a',
        label: 'a',
        isNew: true,
        added: 1,
        removed: 0,
        hunks,
      };
      return recordOf({ title: 'Edit a', tool: 'edit', content: [diff] });
    };
    assert.notEqual(edit('one').subject, edit('two').subject);
    assert.match(edit('one').subject ?? '', /^[0-9a-f]{64}$/);
  });
});

import assert from 'node:assert/strict';
import { ruleEngine } from '../../../src/permissions/ruleEngine';
import type { RuleCommand, RuleRequest } from '../../../src/permissions/rules/ruleRequest';
import { SessionApprovals } from '../../../src/permissions/sessionApprovals';

const FOLDER = '/ws';

describe('an approval for the turn', () => {
  const file = (kind: RuleRequest['kind'], path: string, tool?: string): RuleRequest => ({
    kind,
    title: '',
    agent: 'a',
    paths: [path],
    folders: [FOLDER],
    ...(tool !== undefined && { tool }),
  });
  const command = (given: RuleCommand): RuleRequest => ({
    kind: 'execute',
    title: '',
    agent: 'a',
    paths: [],
    folders: [FOLDER],
    command: given,
  });
  const line = (text: string, more: Partial<RuleCommand> = {}): RuleRequest =>
    command({ line: text, shell: 'posix', ...more });
  const covers = (approved: RuleRequest, asked: RuleRequest, isAgreed = false): boolean => {
    const approvals = new SessionApprovals(() => ruleEngine);
    approvals.approveForTurn(approved, [], approved.kind === 'read' ? approved.paths : []);
    return approvals.overridingApprovalReason(asked, isAgreed) !== undefined;
  };

  it('ends with the turn', () => {
    const approvals = new SessionApprovals(() => ruleEngine);
    const request = file('read', '/ws/a');
    approvals.approveForTurn(request, [], request.paths);
    assert.ok(approvals.overridingApprovalReason(request, false) !== undefined);
    assert.ok(approvals.approvalReason(request, undefined) !== undefined);
    approvals.endTurn();
    assert.equal(approvals.overridingApprovalReason(request, false), undefined);
    assert.equal(approvals.approvalReason(request, undefined), undefined);
  });

  it('to write a file does not allow to read it, of which a change shows a part, nor the reverse', () => {
    assert.ok(!covers(file('edit', '/ws/a'), file('read', '/ws/a')));
    assert.ok(!covers(file('read', '/ws/a'), file('edit', '/ws/a')));
    assert.ok(!covers(file('edit', '/ws/a'), file('edit', '/ws/b')));
  });

  it('counts for the call of a tool only if the user has approved that call', () => {
    assert.ok(!covers(file('read', '/ws/a'), file('read', '/ws/a', 'server__tool')));
    assert.ok(covers(file('read', '/ws/a'), file('read', '/ws/a', 'server__tool'), true));
  });

  it('of a file counts for the call of a tool only if the request about that call named the file', () => {
    const rename = { ...file('other', '/ws/src/a.ts'), argsHash: 'rename' };
    const writes = (path: string): RuleRequest => ({ ...file('edit', path, 'code__rename'), argsHash: 'rename' });
    assert.ok(covers(rename, writes('/ws/src/a.ts'), true));
    assert.ok(!covers(file('read', '/ws/package.json'), writes('/ws/package.json'), true));
    assert.ok(!covers({ ...rename, argsHash: 'other' }, writes('/ws/src/a.ts'), true));
  });

  it('of a command counts for the same words in the same folder with the same variables', () => {
    const approved = line('npm test');
    assert.ok(covers(approved, command({ argv: ['npm', 'test'] })));
    assert.ok(covers(approved, line('npm  test')));
    assert.ok(covers(approved, line('npm test', { cwd: FOLDER })));
    for (const other of [
      line('npm test x'),
      line('npm test > x'),
      line('npm test && npm publish'),
      line('npm test', { cwd: '/ws/other' }),
      line('npm test', { env: { NODE_OPTIONS: '--require=./x' } }),
    ])
      assert.ok(!covers(approved, other), JSON.stringify(other.command));
  });

  it('of a command does not count for the same words in a shell that the agent names', () => {
    const shells = ['zsh -lc', 'ksh -c', 'bash -lc', 'pwsh -c', 'sh -c'].map((words) => [
      ...words.split(' '),
      'rm a.ts',
    ]);
    for (const argv of shells) {
      assert.ok(!covers(line('rm a.ts'), command({ argv })), argv.join(' '));
      assert.ok(!covers(command({ argv }), line('rm a.ts')), argv.join(' '));
      for (const other of shells) assert.equal(covers(command({ argv }), command({ argv: other })), argv === other);
    }
  });

  it('of a line of several commands counts for that line only', () => {
    const approved = line('npm test && npm publish');
    assert.ok(covers(approved, approved));
    for (const other of ['npm test', 'npm publish', 'npm test && rm -r a', 'npm test && npm publish > x'])
      assert.ok(!covers(approved, line(other)), other);
  });
});

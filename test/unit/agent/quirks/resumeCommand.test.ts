import assert from 'node:assert/strict';
import { resumeCommand } from '../../../../src/agent/quirks/resumeCommand';

describe('agent/quirks/resumeCommand', () => {
  it('contains the program and the session id', () => {
    const id = '34b1c7f8-c949-49d4-821c-f14af947aa71';
    assert.equal(resumeCommand('@agentclientprotocol/claude-agent-acp', id), `claude --resume ${id}`);
    assert.equal(resumeCommand('@agentclientprotocol/codex-acp', id), `codex resume ${id}`);
    assert.equal(resumeCommand('OpenCode', 'ses_e055bc606ffe'), 'opencode --session ses_e055bc606ffe');
  });

  it('is unknown for other programs', () => {
    for (const program of [undefined, '', 'fake-agent', 'constructor'])
      assert.equal(resumeCommand(program, 'one'), undefined, program);
  });

  it('rejects an id with a special meaning for the shell or the program', () => {
    const ids = [
      '',
      '--help',
      '-',
      'a b',
      'a;id',
      '$(id)',
      '`id`',
      'a\nid',
      "a'",
      '%PATH%',
      'a/../b',
      'ä',
      'x'.repeat(201),
    ];
    for (const id of ids) assert.equal(resumeCommand('gemini-cli', id), undefined, id);
  });
});

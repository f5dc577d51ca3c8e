import assert from 'node:assert/strict';
import { quirkOf } from '../../../../src/agent/quirks/agentQuirks';

const text = (sessionUpdate: string, said: string): Record<string, unknown> => ({
  sessionUpdate,
  content: { type: 'text', text: said },
});

describe('quirks', () => {
  it('are there for agents that have some, by the name they give themselves', () => {
    assert.equal(quirkOf('gemini-cli')?.missingFileIsEmpty, true);
    assert.equal(quirkOf('OpenCode'), undefined);
    assert.equal(quirkOf(undefined), undefined);
  });

  it('Gemini: a change of mode told as text becomes a change of mode', () => {
    const update = quirkOf('gemini-cli')?.update?.(text('agent_message_chunk', '[MODE_UPDATE] plan'));
    assert.deepEqual(update, { sessionUpdate: 'current_mode_update', currentModeId: 'plan' });
  });

  it('Gemini: what it tells its own model is not shown as said by the person', () => {
    const gemini = quirkOf('gemini-cli');
    for (const own of ['<session_context>\nsetup\n</session_context>', '[Function Response: read_file]']) {
      assert.equal(gemini?.update?.(text('user_message_chunk', own)), undefined);
    }
  });

  it('Copilot: what the program says as text of the answer becomes a notice, and no part of the model’s words', () => {
    const copilot = quirkOf('Copilot');
    assert.deepEqual(copilot?.update?.(text('agent_message_chunk', 'Info: Operation cancelled by user')), {
      sessionUpdate: 'notice',
      severity: 'info',
      title: 'Operation cancelled by user',
    });
    for (const update of [
      text('agent_message_chunk', 'Info: '),
      text('agent_message_chunk', 'For your Info: none'),
      text('agent_message_chunk', 'Info: one\n\nand more'),
      text('agent_thought_chunk', 'Info: thought'),
    ]) {
      assert.equal(copilot?.update?.(update), update);
    }
  });

  it('Gemini: everything else stays as it is, also text that only mentions these forms', () => {
    const gemini = quirkOf('gemini-cli');
    for (const update of [
      text('agent_message_chunk', 'It printed [MODE_UPDATE] plan yesterday'),
      text('user_message_chunk', 'What does [Function Response: read_file] mean?'),
      { sessionUpdate: 'plan', entries: [] },
    ]) {
      assert.equal(gemini?.update?.(update), update);
    }
  });
});

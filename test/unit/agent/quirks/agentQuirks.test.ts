import assert from 'node:assert/strict';
import { quirkOf } from '../../../../src/agent/quirks/agentQuirks';

const text = (sessionUpdate: string, said: string): Record<string, unknown> => ({
  sessionUpdate,
  content: { type: 'text', text: said },
});

describe('quirks', () => {
  it('are found by the name in the initialize response', () => {
    assert.equal(quirkOf('gemini-cli')?.missingFileIsEmpty, true);
    assert.equal(quirkOf('OpenCode'), undefined);
    assert.equal(quirkOf(undefined), undefined);
  });

  it('Gemini: a mode change reported as text becomes a mode update', () => {
    const update = quirkOf('gemini-cli')?.update?.(text('agent_message_chunk', '[MODE_UPDATE] plan'));
    assert.deepEqual(update, { sessionUpdate: 'current_mode_update', currentModeId: 'plan' });
  });

  it('Gemini: prompts for its own model are not shown as user messages', () => {
    const gemini = quirkOf('gemini-cli');
    for (const own of ['<session_context>\nsetup\n</session_context>', '[Function Response: read_file]']) {
      assert.equal(gemini?.update?.(text('user_message_chunk', own)), undefined);
    }
  });

  it('Copilot: program output in the answer becomes a separate notice', () => {
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

  it('Gemini: all other text stays unchanged, even if it mentions these forms', () => {
    const gemini = quirkOf('gemini-cli');
    for (const update of [
      text('agent_message_chunk', 'It printed [MODE_UPDATE] plan yesterday'),
      text('user_message_chunk', 'What does [Function Response: read_file] mean?'),
      { sessionUpdate: 'plan', entries: [] },
    ]) {
      assert.equal(gemini?.update?.(update), update);
    }
  });

  it('Claude: a message about background tasks becomes an update with the running tasks', () => {
    const { notification } = quirkOf('@agentclientprotocol/claude-agent-acp') ?? {};
    const message = (fields: object): object => ({
      sessionId: 's',
      message: { type: 'system', subtype: 'background_tasks_changed', ...fields },
    });
    const tasks = [
      { task_id: 'a', task_type: 'local_bash', description: 'npm run dev' },
      { task_id: 'b', task_type: 'local_agent', description: 'Look around' },
      { task_id: 'c', task_type: 'local_workflow', description: 'Release' },
      { task_id: 'd', task_type: 'local_bash', description: 'Watches files', ambient: true },
      7,
    ];
    assert.deepEqual(notification?.toUpdate(message({ tasks })), {
      sessionId: 's',
      update: {
        sessionUpdate: 'background_tasks_update',
        tasks: [
          { taskId: 'a', kind: 'command', title: 'npm run dev' },
          { taskId: 'b', kind: 'subagent', title: 'Look around' },
          { taskId: 'c', kind: 'task', title: 'Release' },
        ],
      },
    });
    for (const other of [
      undefined,
      7,
      {},
      { sessionId: 's' },
      message({ subtype: 'init' }),
      { ...message({}), sessionId: 1 },
    ]) {
      assert.equal(notification?.toUpdate(other), undefined);
    }
  });

  it('Claude: a predicted prompt becomes a suggestion', () => {
    const { notification, sessionMeta } = quirkOf('@agentclientprotocol/claude-agent-acp') ?? {};
    assert.match(JSON.stringify(sessionMeta), /"type":"prompt_suggestion"/);
    assert.deepEqual(
      notification?.toUpdate({ sessionId: 's', message: { type: 'prompt_suggestion', suggestion: 'Run the tests' } }),
      {
        sessionId: 's',
        update: {
          sessionUpdate: 'session_info_update',
          _meta: { promptSuggestions: { suggestions: [{ text: 'Run the tests' }] } },
        },
      },
    );
  });
});

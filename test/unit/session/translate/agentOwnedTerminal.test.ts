import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/base/clock';
import type { JsonObject } from '../../../../src/base/json';
import { nullLogger } from '../../../../src/base/logger';
import type { TranscriptWriter } from '../../../../src/history/transcriptWriter';
import { SessionModel } from '../../../../src/session/sessionModel';
import { entriesFrom } from '../../../../src/shared/state/entryPages';
import type { SessionState } from '../../../../src/shared/state/sessionState';
import { stubOf } from '../../../kit/stubOf';

function receive(...updates: JsonObject[]): SessionState {
  let clock = 0;
  const history = stubOf<TranscriptWriter>({ append() {}, appendDiff() {} });
  const now = (): number => ++clock;
  const session = new SessionModel({
    id: 's',
    folders: ['/workspace'],
    history,
    log: nullLogger,
    clock: { ...systemClock, now },
  });
  for (const update of updates) session.applyUpdate(update);
  return session.state;
}

/** As codex-acp 2.6.0 sends it (test/replay/traffic/codex-shell.jsonl). */
const started: JsonObject = {
  sessionUpdate: 'tool_call',
  toolCallId: 'c1',
  title: 'echo one',
  status: 'in_progress',
  content: [{ type: 'terminal', terminalId: 'c1' }],
  rawInput: { command: 'echo one', cwd: '/workspace' },
  _meta: { terminal_info: { terminal_id: 'c1', cwd: '/workspace' } },
};
const update = (meta: JsonObject, fields: JsonObject = {}): JsonObject => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: 'c1',
  ...fields,
  _meta: meta,
});

describe('translate: the terminal of a command that the agent runs itself', () => {
  it('shows its command, folder, output in pieces, and exit code', () => {
    const state = receive(
      started,
      update({ terminal_output_delta: { terminal_id: 'c1', data: 'one\n' } }),
      update(
        {
          terminal_output_delta: { terminal_id: 'c1', data: 'two\n' },
          terminal_exit: { terminal_id: 'c1', exit_code: 3, signal: null },
        },
        { status: 'failed' },
      ),
    );
    const terminal = state.terminals['c1'];
    assert.equal(terminal?.command, 'echo one');
    assert.equal(terminal.cwd, '/workspace');
    assert.equal(terminal.output, 'one\ntwo\n');
    assert.equal(terminal.exit?.code, 3);
    assert.ok(!('signal' in terminal.exit), 'a signal of null is no signal');
  });

  it('reads the output field that Claude uses', () => {
    const state = receive(started, update({ terminal_output: { terminal_id: 'c1', data: 'all of it' } }));
    assert.equal(state.terminals['c1']?.output, 'all of it');
  });

  it('adds no second card', () => {
    const state = receive(started, update({ terminal_output_delta: { terminal_id: 'c1', data: 'x' } }));
    assert.deepEqual(
      Array.from(entriesFrom(state.entries), ([, entry]) => entry.kind),
      ['tool'],
    );
  });

  const strange: JsonObject[] = [
    { terminal_output_delta: { terminal_id: 'other', data: 'x' } },
    { terminal_output_delta: { terminal_id: 'c1', data: 7 } },
    { terminal_output_delta: 'x', terminal_info: [], terminal_exit: null },
    { terminal_exit: { exit_code: 0 } },
  ];
  for (const meta of strange) {
    it(`ignores ${JSON.stringify(meta)}`, () => {
      const state = receive(started, update(meta));
      assert.deepEqual(Object.keys(state.terminals), ['c1']);
      assert.equal(state.terminals['c1']?.output, '');
      assert.equal(state.terminals['c1'].exit, undefined);
    });
  }
});

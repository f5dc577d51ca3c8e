import assert from 'node:assert/strict';
import { systemClock } from '../../../src/base/clock';
import { nullLogger } from '../../../src/base/logger';
import type { TranscriptWriter } from '../../../src/history/transcriptWriter';
import { SessionModel } from '../../../src/session/sessionModel';
import { entriesFrom } from '../../../src/shared/state/entryPages';
import { entrySearchText } from '../../../src/shared/text/entrySearchText';
import { stubOf } from '../../kit/stubOf';

const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];

describe('hostile: ids that every object has', () => {
  let model: SessionModel;
  const history = stubOf<TranscriptWriter>({ append: () => undefined, appendDiff: () => undefined });
  beforeEach(() => {
    model = new SessionModel({
      id: 's',
      folders: ['/w'],
      history,
      log: nullLogger,
      clock: { ...systemClock, now: () => 5 },
    });
  });

  it('are no terminals', () => {
    const content = NAMES.map((terminalId) => ({ type: 'terminal', terminalId }));
    model.applyUpdate({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'Run', content });
    assert.deepEqual(Object.keys(model.state.terminals), []);
    const [[, entry] = []] = entriesFrom(model.state.entries);
    assert.ok(entry);
    assert.equal(entrySearchText(entry, model.state.terminals).trim(), 'Run');
  });

  it('are terminals once the agent names them', () => {
    for (const terminal_id of NAMES) {
      const update = { sessionUpdate: 'tool_call', toolCallId: terminal_id, title: terminal_id };
      model.applyUpdate({
        ...update,
        content: [{ type: 'terminal', terminalId: terminal_id }],
        _meta: { terminal_info: { terminal_id } },
      });
      model.applyUpdate({
        ...update,
        sessionUpdate: 'tool_call_update',
        _meta: { terminal_output: { terminal_id, data: terminal_id } },
      });
    }
    assert.deepEqual(
      Object.entries(model.state.terminals).map(([id, { output }]) => [id, output]),
      NAMES.map((id) => [id, id]),
    );
  });
});

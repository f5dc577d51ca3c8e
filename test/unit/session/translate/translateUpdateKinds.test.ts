import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { systemClock } from '../../../../src/base/clock';
import type { JsonObject } from '../../../../src/base/json';
import { nullLogger } from '../../../../src/base/logger';
import type { TranscriptWriter } from '../../../../src/history/transcriptWriter';
import { SessionModel } from '../../../../src/session/sessionModel';
import { initialConfigOptions } from '../../../../src/session/translate/translateConfigOptions';
import { displayedValue } from '../../../../src/shared/state/configOptionState';
import { entriesFrom } from '../../../../src/shared/state/entryPages';
import { mergeActions } from '../../../../src/shared/state/mergeActions';
import type { Action } from '../../../../src/shared/state/sessionActions';
import { reduce } from '../../../../src/shared/state/sessionReducer';
import type { Entry, SessionState } from '../../../../src/shared/state/sessionState';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { stubOf } from '../../../kit/stubOf';

function model(): { session: SessionModel; actions: Action[] } {
  let clock = 0;
  const history = stubOf<TranscriptWriter>({ append() {}, appendDiff() {} });
  const session = new SessionModel({
    id: 's',
    folders: ['/workspace'],
    history,
    log: nullLogger,
    clock: { ...systemClock, now: () => ++clock },
  });
  const actions: Action[] = [];
  session.onDidDispatch(({ action }) => void actions.push(action));
  return { session, actions };
}

function receive(...updates: JsonObject[]): SessionState {
  const { session } = model();
  for (const update of updates) session.applyUpdate(update);
  return session.state;
}

const kinds = (state: SessionState): string[] => Array.from(entriesFrom(state.entries), ([, entry]) => entry.kind);
const only = (state: SessionState): Entry => {
  const all = Array.from(entriesFrom(state.entries), ([, entry]) => entry);
  assert.equal(all.length, 1);
  return all[0]!;
};
const text = (words: string): JsonObject => ({ type: 'text', text: words });

describe('translate: plans by id', () => {
  const plan = (fields: JsonObject): JsonObject => ({ sessionUpdate: 'plan_update', plan: fields });
  const items = plan({ type: 'items', planId: 'a', entries: [{ content: 'One', status: 'completed' }] });

  it('are stored side by side, replaced completely, and removed', () => {
    const state = receive(
      items,
      plan({ type: 'markdown', planId: 'b', content: '# Two' }),
      plan({ type: 'file', planId: 'a', uri: 'file:///plan.md' }),
    );
    assert.deepEqual(state.plans, [
      { planId: 'a', kind: 'file', uri: 'file:///plan.md' },
      { planId: 'b', kind: 'markdown', text: '# Two' },
    ]);
    const { session } = model();
    session.applyUpdate(items);
    session.applyUpdate({ sessionUpdate: 'plan_removed', planId: 'nobody' });
    assert.equal(session.state.plans.length, 1);
    session.applyUpdate({ sessionUpdate: 'plan_removed', planId: 'a' });
    assert.deepEqual(session.state.plans, []);
  });

  it('of an unknown type are shown as JSON', () => {
    assert.deepEqual(kinds(receive(plan({ type: 'mindmap', planId: 'x' }), plan({ type: 'items' }))), ['raw', 'raw']);
  });
});

describe('translate: background tasks', () => {
  const update = (tasks: unknown): JsonObject => ({ sessionUpdate: 'background_tasks_update', tasks });

  it('are a complete list each time, without invalid entries', () => {
    const task = { taskId: 'a', kind: 'command', title: 'npm run dev\nsecond line' };
    const state = receive(update([task, { taskId: 'b', kind: 'odd' }, { kind: 'command' }, 7, task]));
    assert.deepEqual(state.background, [
      { taskId: 'a', kind: 'command', title: 'npm run dev' },
      { taskId: 'b', kind: 'task', title: '' },
    ]);
    assert.deepEqual(receive(update([task]), update('none')).background, []);
  });

  it('are limited in number and length', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => ({ taskId: String(index), title: 'x'.repeat(5_000) }));
    const { background } = receive(update(many));
    assert.equal(background.length, 100);
    assert.ok((background[0]?.title.length ?? 0) <= 201);
  });
});

describe('translate: compaction', () => {
  const update = (fields: JsonObject): JsonObject => ({
    sessionUpdate: 'compaction_update',
    compactionId: 'k',
    ...fields,
  });
  const chunk = (words: string): JsonObject => ({
    sessionUpdate: 'compaction_summary_chunk',
    compactionId: 'k',
    content: text(words),
  });

  it('is one entry, whose summary is made of chunks or replaced', () => {
    const state = receive(
      update({ status: 'in_progress' }),
      chunk('one '),
      chunk('two'),
      update({ status: 'completed' }),
    );
    const entry = only(state);
    assert.ok(entry.kind === 'compaction');
    assert.equal(entry.text, 'one two');
    assert.equal(entry.status, 'completed');
    const replaced = only(receive(chunk('old'), update({ status: 'completed', summary: [text('new')] })));
    assert.ok(replaced.kind === 'compaction' && replaced.text === 'new');
    const cleared = only(
      receive(chunk('old'), update({ status: 'failed', summary: null, error: { message: 'No room' } })),
    );
    assert.ok(cleared.kind === 'compaction' && cleared.text === '' && cleared.error === 'No room');
  });
});

describe('translate: messages between sessions', () => {
  it('name the known sessions, and grow by chunks', () => {
    const entry = receive(
      { sessionUpdate: 'subagent_update', sessionId: 'c', title: 'Docs' },
      {
        sessionUpdate: 'session_message',
        messageId: 'm',
        senderSessionId: 'me',
        recipientSessionId: 'c',
        content: [text('Read ')],
      },
      { sessionUpdate: 'session_message_chunk', messageId: 'm', content: text('it') },
    ).entries.pages[0]?.[1];
    assert.ok(entry?.kind === 'relay');
    assert.deepEqual([entry.from, entry.to, entry.text], ['Agent', 'Docs', 'Read it']);
  });
});

describe('translate: usage', () => {
  const usage = (fields: JsonObject): JsonObject => ({ sessionUpdate: 'usage_update', ...fields });
  const odd: [JsonObject, unknown][] = [
    [{ used: null, size: 100 }, undefined],
    [{ used: -1, size: 100 }, undefined],
    [
      { used: 5, size: 0 },
      { used: 5, size: 0 },
    ],
    [
      { used: 5, size: null },
      { used: 5, size: 0 },
    ],
    [
      { used: 500, size: 100 },
      { used: 500, size: 100 },
    ],
  ];
  for (const [fields, wanted] of odd) {
    it(`reads ${JSON.stringify(fields)}`, () => assert.deepEqual(receive(usage(fields)).usage, wanted));
  }

  it('keeps a cost that a later update omits', () => {
    const cost = { amount: 1, currency: 'USD' };
    assert.deepEqual(receive(usage({ used: 1, size: 9, cost }), usage({ used: 2, size: 9 })).usage, {
      used: 2,
      size: 9,
      cost,
    });
  });
});

describe('translate: config options of a session', () => {
  const open = (result: JsonObject): ReturnType<typeof initialConfigOptions> => initialConfigOptions(result, () => {});

  it('keep values that are URLs, and a current value that is not in the list', () => {
    const url = 'https://agentclientprotocol.com/protocol/session-modes#agent';
    const [mode] = open({ modes: { currentModeId: url, availableModes: [{ id: url, name: 'Agent' }] } }) ?? [];
    assert.equal(mode && displayedValue(mode), url);
    const options = [{ value: 'x', name: 'X' }];
    const [odd] =
      open({ configOptions: [{ id: 'p', name: 'Provider', type: 'select', currentValue: 'y', options }] }) ?? [];
    assert.equal(odd && displayedValue(odd), 'y');
  });

  it('are undefined if the response contains none', () => {
    assert.equal(open({}), undefined);
    assert.equal(open({ modes: null, models: null, configOptions: null }), undefined);
    assert.deepEqual(open({ configOptions: [] }), []);
  });

  it('may be flat and grouped, and are skipped without a value', () => {
    const options = [
      { value: 'a', name: 'A' },
      { group: 'g', name: 'G', options: [{ value: 'b' }, 7] },
      { name: 'no value' },
    ];
    const [selector] = open({ configOptions: [{ id: 'm', type: 'select', currentValue: 'a', options }] }) ?? [];
    assert.deepEqual(selector?.kind === 'select' && selector.groups, [
      { choices: [{ value: 'a', name: 'A' }] },
      { name: 'G', choices: [{ value: 'b', name: 'b' }] },
    ]);
  });
});

describe('translate: terminal output that each update repeats completely', () => {
  it('is shown once', () => {
    const call = (meta: JsonObject): JsonObject => ({
      sessionUpdate: 'tool_call_update',
      toolCallId: 't',
      _meta: meta,
    });
    const state = receive(
      call({ terminal_info: { terminal_id: 'x' } }),
      call({ terminal_output: { terminal_id: 'x', data: 'a line of some length\n' } }),
      call({ terminal_output: { terminal_id: 'x', data: 'a line of some length\nand more\n' } }),
    );
    assert.equal(state.terminals['x']?.output, 'a line of some length\nand more\n');
    assert.equal(state.terminals['x'].foreign, true);
  });
});

describe('updates with any fields', () => {
  const kind = fc.constantFrom(
    'plan_update',
    'plan_removed',
    'compaction_update',
    'compaction_summary_chunk',
    'session_message',
    'session_message_chunk',
    'subagent_update',
    'config_option_update',
    'current_mode_update',
    'usage_update',
    'session_info_update',
  );
  const id = fc.constantFrom('a', 'b', null, 7);
  const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constant({ type: 'text', text: 'x' }));
  const update = fc.record(
    {
      sessionUpdate: kind,
      sessionId: id,
      planId: id,
      compactionId: id,
      messageId: id,
      status: value,
      plan: value,
      content: value,
      summary: value,
      state: value,
      capabilities: value,
      configOptions: value,
      currentModeId: value,
      used: value,
      size: value,
      title: value,
    },
    { requiredKeys: ['sessionUpdate'] },
  );

  it('never throw, never leave an unreadable entry, and replay to the same state', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(update, fc.option(fc.constantFrom('a', 'b')))), (updates) => {
        const { session, actions } = model();
        for (const [one, child] of updates) session.applyUpdate(one, child ?? undefined);
        for (const [, entry] of entriesFrom(session.state.entries)) {
          assert.ok(entry.kind !== 'raw' || entry.label !== 'unreadable update');
        }
        assert.deepEqual(actions.reduce(reduce, emptySession('s')), session.state);
        assert.deepEqual(mergeActions(actions).reduce(reduce, emptySession('s')), session.state);
      }),
    );
  });
});

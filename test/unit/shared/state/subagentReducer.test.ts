import assert from 'node:assert/strict';
import type { CompactionPatch } from '../../../../src/shared/state/compactionState';
import type { ConfigOption } from '../../../../src/shared/state/configOptionState';
import type { NamedPlan } from '../../../../src/shared/state/planState';
import type { Action } from '../../../../src/shared/state/sessionActions';
import type { SessionMessagePatch } from '../../../../src/shared/state/sessionMessageState';
import { reduce } from '../../../../src/shared/state/sessionReducer';
import type { Connection, Entry, SessionState, SubagentEntry } from '../../../../src/shared/state/sessionState';
import { emptySession } from '../../../../src/shared/state/sessionState';
import type { SubagentPatch } from '../../../../src/shared/state/subagentState';
import type { Terminal } from '../../../../src/shared/state/terminalState';
import { entries, play, withEntries } from './states';

const image = { type: 'image', data: 'AA==', mimeType: 'image/png' } as const;
const text = { type: 'text', text: ' more' } as const;
const mode: ConfigOption = { id: 'mode', name: 'Mode', source: 'mode', kind: 'select', value: 'ask', groups: [] };
const fast: ConfigOption = { id: 'fast', name: 'Fast', source: 'config', kind: 'boolean', value: false };
const prompt: Action = { type: 'promptSent', text: 'go', blocks: [], at: 1 };
const user: Entry = { kind: 'user', text: 'go', blocks: [], at: 1 };

describe('config options of an agent (state)', () => {
  const state: SessionState = { ...emptySession('s'), selectors: [mode, fast], title: 'T' };
  const after = (action: Action, before = state): unknown => reduce(before, action);

  it('are replaced, and keep values that the agent has not confirmed', () => {
    const wished: SessionState = {
      ...state,
      selectors: [
        { ...mode, wanted: 'code' },
        { ...fast, wanted: false },
      ],
    };
    const next: ConfigOption[] = [
      { ...fast, value: true },
      { ...mode, value: 'plan' },
    ];
    assert.deepEqual(after({ type: 'selectorsChanged', selectors: next }), { ...state, selectors: next });
    assert.deepEqual(after({ type: 'selectorsChanged', selectors: next }, wished), {
      ...state,
      selectors: [
        { ...next[0], wanted: false },
        { ...next[1], wanted: 'code' },
      ],
    });
    // The same id refers to another call now.
    const other: ConfigOption = { ...fast, id: 'mode' };
    assert.deepEqual(after({ type: 'selectorsChanged', selectors: [other] }, wished), { ...state, selectors: [other] });
  });

  it('show the selected value until the agent has confirmed it', () => {
    const wished = { ...state, selectors: [mode, { ...fast, wanted: true }] };
    assert.deepEqual(after({ type: 'selectorChosen', id: 'fast', value: true }), wished);
    assert.deepEqual(after({ type: 'choiceSettled', id: 'fast' }, wished as SessionState), state);
    const settled = { ...state, selectors: [mode, { ...fast, value: true }] };
    assert.deepEqual(after({ type: 'choiceSettled', id: 'fast', value: true }, wished as SessionState), settled);
    assert.equal(after({ type: 'selectorChosen', id: 'none', value: true }), state);
    assert.equal(after({ type: 'choiceSettled', id: 'none', value: true }), state);
  });

  it('are stored as choices', () => {
    assert.deepEqual(after({ type: 'choicesKept', choices: { mode: 'code' } }), {
      ...state,
      choices: { mode: 'code' },
    });
  });

  it('are removed when the agent exits or restarts, but not while an idle one starts', () => {
    const commands = [{ name: 'init', description: '' }];
    const known = { ...state, commands };
    const ready: SessionState = { ...known, connection: { status: 'ready' } };
    const starting: Connection = { status: 'starting' };
    const dropped = { ...ready, connection: starting, selectors: [], commands: [] };
    assert.deepEqual(after({ type: 'connectionChanged', connection: starting }, ready), dropped);
    const cases: [Connection, boolean][] = [
      [{ status: 'idle' }, true],
      [{ status: 'starting' }, true],
      [{ status: 'ready' }, true],
      [{ status: 'reconnecting', attempt: 1 }, true],
      [{ status: 'signIn', message: 'm', methods: [] }, true],
      [{ status: 'failed', message: 'm' }, false],
      [{ status: 'exited', code: 1 }, false],
    ];
    for (const [connection, stays] of cases) {
      const expected = { ...known, connection, ...(!stays && { selectors: [], commands: [] }) };
      assert.deepEqual(after({ type: 'connectionChanged', connection }, known), expected, connection.status);
    }
  });
});

describe('plans with ids', () => {
  const plan = (planId: string, words: string): NamedPlan => ({ planId, kind: 'markdown', text: words });

  it('are added, replaced and removed by their id', () => {
    const state: SessionState = { ...emptySession('s'), plans: [plan('a', '1'), plan('b', '1')], title: 'T' };
    const cases: [Action, NamedPlan[]][] = [
      [{ type: 'planUpdated', plan: plan('c', '1') }, [plan('a', '1'), plan('b', '1'), plan('c', '1')]],
      [{ type: 'planUpdated', plan: plan('a', '2') }, [plan('a', '2'), plan('b', '1')]],
      [{ type: 'planUpdated', plan: plan('b', '2') }, [plan('a', '1'), plan('b', '2')]],
      [{ type: 'planRemoved', planId: 'a' }, [plan('b', '1')]],
      [{ type: 'planRemoved', planId: 'c' }, [plan('a', '1'), plan('b', '1')]],
    ];
    for (const [action, plans] of cases) assert.deepEqual(reduce(state, action), { ...state, plans });
  });
});

/** Text patches and their result, applied to "old" with an image. */
const patches: [CompactionPatch & SessionMessagePatch, { text: string; blocks: readonly unknown[] }][] = [
  [{}, { text: 'old', blocks: [image] }],
  [{ text: 'new' }, { text: 'new', blocks: [image] }],
  [{ text: '' }, { text: '', blocks: [image] }],
  [{ blocks: [] }, { text: 'old', blocks: [] }],
  [{ more: text }, { text: 'old more', blocks: [image] }],
  [{ more: image }, { text: 'old', blocks: [image, image] }],
  [
    { text: 'new', blocks: [], more: text },
    { text: 'new more', blocks: [] },
  ],
  [
    { text: 'new', blocks: [], more: image },
    { text: 'new', blocks: [image] },
  ],
];

describe('a compaction and a message between sessions', () => {
  const compaction = {
    kind: 'compaction',
    compactionId: 'c',
    status: 'in_progress',
    text: '',
    blocks: [],
    at: 2,
  } as const;
  const relay = { kind: 'relay', messageId: 'm', text: '', blocks: [], at: 2 } as const;
  const startCompaction = (patch: CompactionPatch): Action => ({
    type: 'compactionStarted',
    compactionId: 'c',
    patch,
    at: 2,
  });
  const startRelay = (patch: SessionMessagePatch): Action => ({ type: 'relayStarted', messageId: 'm', patch, at: 2 });
  const changeCompaction = (patch: CompactionPatch): Action => ({ type: 'compactionChanged', entry: 1, patch });
  const changeRelay = (patch: SessionMessagePatch): Action => ({ type: 'relayChanged', entry: 1, patch });
  const old = { text: 'old', blocks: [image] };

  it('have defaults for omitted fields', () => {
    const state = { ...play(prompt), title: 'T' };
    assert.deepEqual(reduce(state, startCompaction({})), withEntries(state, user, compaction));
    assert.deepEqual(reduce(state, startRelay({})), withEntries(state, user, relay));
    const failed = { ...old, status: 'failed', error: '' };
    assert.deepEqual(reduce(state, startCompaction(failed)), withEntries(state, user, { ...compaction, ...failed }));
    const named = { ...old, from: 'a', to: 'b' };
    assert.deepEqual(reduce(state, startRelay(named)), withEntries(state, user, { ...relay, ...named }));
  });

  it('replace or append text', () => {
    for (const [patch, made] of patches) {
      const state: SessionState = {
        ...play(prompt, startCompaction({ ...old, status: 'on', error: 'e' })),
        title: 'T',
      };
      const was = { ...compaction, status: 'on', error: 'e' };
      assert.deepEqual(reduce(state, changeCompaction(patch)), withEntries(state, user, { ...was, ...made } as Entry));
      const relayed = play(prompt, startRelay({ ...old, from: 'a' }));
      assert.deepEqual(entries(reduce(relayed, changeRelay(patch)))[1], { ...relay, from: 'a', ...made });
    }
  });

  it('accept a status and an error, and remove fields that are null', () => {
    const state = play(prompt, startCompaction({ status: 'on' }));
    const done = { status: 'completed', error: 'e' };
    assert.deepEqual(entries(reduce(state, changeCompaction(done)))[1], { ...compaction, ...done });
    const relayed = play(prompt, startRelay({ from: 'a', to: 'b' }));
    assert.deepEqual(entries(reduce(relayed, changeRelay({ from: null })))[1], { ...relay, to: 'b' });
    assert.deepEqual(entries(reduce(relayed, changeRelay({ from: 'x', to: null })))[1], { ...relay, from: 'x' });
  });

  it('are ignored for an entry of another kind', () => {
    for (const other of [play(prompt), play(prompt, prompt), play(prompt, startRelay({}))])
      assert.equal(reduce(other, changeCompaction({ text: 'x' })), other);
    const state = play(prompt, startCompaction({}));
    for (const action of [
      changeRelay({ text: 'x' }),
      { type: 'subagentChanged', entry: 1, patch: {}, at: 3 },
      { type: 'subagentActed', entry: 1, action: prompt },
    ] as Action[])
      assert.equal(reduce(state, action), state);
  });
});

describe('a child session', () => {
  const start = (patch: SubagentPatch = {}): Action => ({ type: 'subagentStarted', sessionId: 'c', patch, at: 2 });
  const change = (patch: SubagentPatch): Action => ({ type: 'subagentChanged', entry: 1, patch, at: 5 });
  const running: SessionState = { ...emptySession('c'), turn: { status: 'running', startedAt: 2, firstEntry: 0 } };
  const over = (stopReason: string, at: number): SessionState => ({
    ...emptySession('c'),
    turn: { status: 'idle', stopReason },
    turns: [{ entry: 0, end: 0, ms: at - 2, tools: 0, stopReason }],
  });
  const child: SubagentEntry = { kind: 'subagent', sessionId: 'c', canStop: false, child: running, at: 2 };
  const childOf = (state: SessionState): SubagentEntry => {
    const entry = entries(state)[1];
    assert.ok(entry?.kind === 'subagent');
    return entry;
  };

  it('starts as running, unless the agent reports another status', () => {
    const state = { ...play(prompt), title: 'T' };
    assert.deepEqual(reduce(state, start()), withEntries(state, user, child));
    const patch = { title: 'C', description: 'd', canStop: true, activity: 'requires_action' };
    assert.deepEqual(childOf(reduce(state, start(patch))), { ...child, ...patch });
    const idle = { activity: 'idle', stopReason: 'refusal' };
    assert.deepEqual(childOf(reduce(state, start(idle))), { ...child, ...idle, child: over('refusal', 2) });
  });

  it('is changed by the fields of an update; null removes a field', () => {
    const state = {
      ...play(prompt, start({ title: 'C', description: 'd', canStop: true, activity: 'running' })),
      title: 'T',
    };
    const was = childOf(state);
    const with_ = (entry: SubagentEntry): SessionState => withEntries(state, user, entry);
    assert.deepEqual(reduce(state, change({})), with_(was));
    const { title: _title, description: _description, activity: _activity, ...rest } = was;
    const cleared = change({ title: null, description: null, activity: null });
    assert.deepEqual(reduce(state, cleared), with_(rest));
    const more = { title: 'D', canStop: false };
    assert.deepEqual(reduce(state, change(more)), with_({ ...was, ...more }));
  });

  it('shows the activity that the agent reports', () => {
    const state = play(prompt, start());
    const idle = reduce(state, change({ activity: 'idle' }));
    assert.deepEqual(childOf(idle), { ...child, activity: 'idle', child: over('end_turn', 5) });
    const again = childOf(reduce(idle, change({ activity: 'idle', stopReason: 'late' })));
    assert.deepEqual(again.child, over('end_turn', 5));
    const stopped = childOf(reduce(state, change({ activity: 'idle', stopReason: 'cancelled' })));
    assert.deepEqual([stopped.stopReason, stopped.child], ['cancelled', over('cancelled', 5)]);
    assert.equal(childOf(reduce(state, change({ activity: 'running' }))).child, childOf(state).child);
    // An unknown state does not change the turn.
    assert.equal(childOf(reduce(idle, change({ activity: null }))).child, childOf(idle).child);
  });

  it('may continue after its end', () => {
    const notice: Action = { type: 'noticeShown', severity: 'info', title: 'N', at: 3 };
    const acted: Action = { type: 'subagentActed', entry: 1, action: notice };
    const idle = play(prompt, start(), acted, change({ activity: 'idle' }));
    const { child: before } = childOf(idle);
    const on = childOf(reduce(idle, { ...change({ activity: 'running' }), at: 7 } as Action));
    assert.deepEqual(on.child, { ...before, turn: { status: 'running', startedAt: 7, firstEntry: 1 } });
  });

  it('has its own transcript', () => {
    const state = { ...play(prompt, start()), title: 'T' };
    const notice: Action = { type: 'noticeShown', severity: 'info', title: 'N', at: 3 };
    const acted = reduce(state, { type: 'subagentActed', entry: 1, action: notice });
    assert.deepEqual(acted, withEntries(state, user, { ...child, child: reduce(running, notice) }));
    const nothing: Action = { type: 'textAppended', role: 'agent', text: '', at: 3 };
    assert.equal(reduce(state, { type: 'subagentActed', entry: 1, action: nothing }), state);
  });

  it('ends with a failed turn, or with any turn if the agent does not report its activity', () => {
    const end = (stopReason: string): Action => ({ type: 'turnEnded', stopReason, at: 9 });
    const silent = { ...play(prompt, start()), title: 'T' };
    const tells = play(prompt, start({ activity: 'running' }));
    const ended = (stopReason: string): Entry => ({
      ...child,
      activity: 'idle',
      stopReason,
      child: over(stopReason, 9),
    });
    assert.deepEqual(entries(reduce(silent, end('end_turn')))[1], ended('end_turn'));
    assert.deepEqual(entries(reduce(silent, end('error')))[1], ended('error'));
    assert.equal(reduce(silent, end('error')).title, 'T');
    assert.equal(childOf(reduce(tells, end('end_turn'))), childOf(tells));
    assert.deepEqual(entries(reduce(tells, end('cancelled')))[1], ended('cancelled'));
    const idle = play(prompt, start({ activity: 'idle' }));
    assert.equal(childOf(reduce(idle, end('error'))), childOf(idle));
    // A subagent of an earlier turn continues.
    const earlier = play(prompt, start({ activity: 'running' }), end('end_turn'), prompt);
    assert.equal(childOf(reduce(earlier, end('cancelled'))), childOf(earlier));
  });
});

describe('the end of a turn, besides its entries,', () => {
  const terminal = (id: string, foreign?: boolean): Action => ({
    type: 'terminalCreated',
    terminalId: id,
    command: 'ls',
    ...(foreign !== undefined && { foreign }),
    at: 2,
  });
  const end: Action = { type: 'turnEnded', stopReason: 'end_turn', at: 9 };

  it('ends the agent’s commands that have no exit, and keeps the tokens', () => {
    const exited: Action = { type: 'terminalExited', terminalId: 'b', code: 1, at: 3 };
    const state = play(prompt, terminal('a', true), terminal('b', true), terminal('c'), exited);
    const tokens = { total: 3, input: 1, output: 2 };
    const ended = reduce(state, { ...end, tokens });
    const expected: Record<string, Terminal> = { ...state.terminals, a: { ...state.terminals['a']!, exit: { at: 9 } } };
    assert.deepEqual(ended.terminals, expected);
    assert.deepEqual(ended.tokens, tokens);
    assert.deepEqual(reduce(ended, prompt).tokens, tokens);
    assert.deepEqual(play(prompt, end, prompt, { ...end, tokens }, prompt, end).tokens, tokens);
  });

  it('keeps the list of terminals if none is open', () => {
    const state = play(prompt, terminal('c'));
    assert.equal(reduce(state, end).terminals, state.terminals);
    assert.equal('tokens' in reduce(state, end), false);
  });
});

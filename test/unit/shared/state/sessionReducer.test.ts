import assert from 'node:assert/strict';
import fc from 'fast-check';
import { entriesFrom, entryAt } from '../../../../src/shared/state/entryPages';
import { mergeActions } from '../../../../src/shared/state/mergeActions';
import type { Action } from '../../../../src/shared/state/sessionActions';
import { reduce } from '../../../../src/shared/state/sessionReducer';
import type { SessionState } from '../../../../src/shared/state/sessionState';
import { MAX_TERMINAL_TAIL_CHARS } from '../../../../src/shared/state/terminalState';
import type { ToolEntry } from '../../../../src/shared/state/toolCallState';
import { connectionText, displayStatus, STATUS_LABELS, stopReasonNotice } from '../../../../src/shared/text/statusText';
import { entries, play } from './states';

function toolAt(state: SessionState, index: number): ToolEntry {
  const entry = entryAt(state.entries, index);
  assert.ok(entry?.kind === 'tool');
  return entry;
}

const prompt: Action = { type: 'promptSent', text: 'go', blocks: [], at: 1 };
const say = (text: string, messageId?: string): Action => ({
  type: 'textAppended',
  role: 'agent',
  text,
  at: 2,
  ...(messageId !== undefined && { messageId }),
});
const tool = (toolCallId: string, status: ToolEntry['status'] = 'pending'): Action => ({
  type: 'toolStarted',
  toolCallId,
  patch: { status, title: toolCallId },
  at: 3,
});
const change = (entry: number, status: ToolEntry['status']): Action => ({
  type: 'toolChanged',
  entry,
  patch: { status },
  at: 4,
});
const retitle = (entry: number, title: string): Action => ({ type: 'toolChanged', entry, patch: { title }, at: 4 });
const print = (entry: number, text: string): Action => ({
  type: 'toolChanged',
  entry,
  patch: { content: [{ type: 'block', block: { type: 'text', text } }] },
  at: 2,
});
const ask = (toolEntry: number): Action => ({
  type: 'permissionAsked',
  permissionId: `p${toolEntry}`,
  tool: toolEntry,
  title: 'Write',
  options: [
    { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  ],
  at: 5,
});

describe('plans', () => {
  it('leave with the next message once they are finished, or their turn was cut off', () => {
    const items = (status: 'completed' | 'pending') => [{ content: 'Test', priority: 'high', status }] as const;
    const named: Action = { type: 'planUpdated', plan: { planId: 'a', kind: 'items', items: items('completed') } };
    const text: Action = { type: 'planUpdated', plan: { planId: 'b', kind: 'markdown', text: 'Go on' } };
    const ended: Action = { type: 'turnEnded', stopReason: 'end_turn', at: 3 };
    const before = play(prompt, { type: 'planChanged', items: items('completed') }, named, text, ended);
    assert.deepEqual([before.plan.length, before.plans.length], [1, 2]);
    const after = reduce(before, prompt);
    assert.deepEqual([after.plan, after.plans.map(({ planId }) => planId)], [[], ['b']]);
    const open: Action = { type: 'planChanged', items: [...items('completed'), ...items('pending')] };
    assert.equal(play(prompt, open, ended, prompt).plan.length, 2);
    for (const stopReason of ['cancelled', 'interrupted']) {
      const stopped: Action = { ...ended, stopReason };
      assert.deepEqual(play(prompt, open, stopped).plan.length, 2);
      assert.deepEqual(play(prompt, open, stopped, prompt).plan, []);
    }
  });
});

describe('messages', () => {
  it('joins the chunks of a message, and starts a new one after another entry', () => {
    const state = play(prompt, say('Hel'), say('lo'), tool('t'), say('after'));
    assert.deepEqual(
      entries(state).map((entry) => ('text' in entry ? entry.text : entry.kind)),
      ['go', 'Hello', 'tool', 'after'],
    );
  });

  it('separates messages with different ids, and joins a chunk without an id', () => {
    const state = play(say('one', 'a'), say(' more'), say('two', 'b'));
    assert.deepEqual(
      entries(state).map((entry) => 'text' in entry && entry.text),
      ['one more', 'two'],
    );
  });

  it('creates no entry for an empty chunk', () => {
    const before = play(prompt);
    assert.equal(reduce(before, say('')), before);
  });

  it('closes a thought when the answer starts, which gives its duration', () => {
    const state = play(
      { type: 'textAppended', role: 'thought', text: 'hm', at: 1_000 },
      { type: 'textAppended', role: 'agent', text: 'ah', at: 7_000 },
    );
    const [thought] = entries(state);
    assert.equal(thought?.kind === 'thought' && thought.endedAt, 7_000);
  });

  it('puts text after an image into a new entry', () => {
    const image: Action = {
      type: 'blockAppended',
      role: 'agent',
      block: { type: 'image', data: 'AA==', mimeType: 'image/png' },
      at: 2,
    };
    assert.deepEqual(
      entries(play(say('before'), image, say('after'))).map((entry) => 'text' in entry && entry.text),
      ['before', 'after'],
    );
  });
});

describe('tool calls', () => {
  it('are not reset by a late pending, and not restarted after their end', () => {
    assert.equal(toolAt(play(tool('t', 'running'), change(0, 'pending')), 0).status, 'running');
    assert.equal(toolAt(play(tool('t', 'done'), change(0, 'running')), 0).status, 'done');
  });

  it('wait while a permission request for them is pending', () => {
    const asked = play(prompt, tool('t'), ask(1));
    assert.equal(STATUS_LABELS[displayStatus(toolAt(asked, 1))], 'Waiting for you');
    assert.deepEqual(asked.waiting, [2]);
    const running = reduce(asked, change(1, 'running'));
    assert.equal(STATUS_LABELS[displayStatus(toolAt(running, 1))], 'Waiting for you');
  });

  it('stay Rejected after later updates of the agent', () => {
    const rejected = play(prompt, tool('t'), ask(1), {
      type: 'permissionAnswered',
      entry: 2,
      outcome: { type: 'selected', optionId: 'no' },
      at: 6,
    });
    for (const status of ['failed', 'done', 'running'] as const) {
      assert.equal(STATUS_LABELS[displayStatus(toolAt(reduce(rejected, change(1, status)), 1))], 'Rejected');
    }
  });

  it('use the first answer only', () => {
    const answer = (optionId: string): Action => ({
      type: 'permissionAnswered',
      entry: 2,
      outcome: { type: 'selected', optionId },
      at: 6,
    });
    const once = play(prompt, tool('t'), ask(1), answer('yes'));
    assert.equal(reduce(once, answer('no')), once);
    assert.deepEqual(once.waiting, []);
  });

  it('are Canceled on Stop with their permission requests, and may still be reported done', () => {
    const stopped = play(prompt, tool('t', 'running'), tool('u'), ask(2), { type: 'stopRequested', at: 7 });
    assert.deepEqual(
      [1, 2].map((index) => STATUS_LABELS[displayStatus(toolAt(stopped, index))]),
      ['Canceled', 'Canceled'],
    );
    assert.deepEqual(stopped.waiting, []);
    assert.equal(toolAt(reduce(stopped, change(1, 'done')), 1).status, 'done');
    assert.equal(toolAt(reduce(stopped, change(1, 'running')), 1).status, 'canceled');
  });

  it('are closed by the end of the turn', () => {
    const end = (stopReason: string): Action => ({ type: 'turnEnded', stopReason, at: 9 });
    assert.equal(toolAt(play(prompt, tool('t', 'running'), end('end_turn')), 1).status, 'done');
    assert.equal(toolAt(play(prompt, tool('t', 'running'), end('cancelled')), 1).status, 'canceled');
    assert.equal(toolAt(play(prompt, tool('t', 'running'), end('error')), 1).status, 'failed');
  });

  it('of an earlier turn are not changed by the end of the next', () => {
    const state = play(prompt, tool('t', 'done'), { type: 'turnEnded', stopReason: 'end_turn', at: 9 }, prompt, {
      type: 'turnEnded',
      stopReason: 'cancelled',
      at: 11,
    });
    assert.equal(toolAt(state, 1).status, 'done');
  });
});

describe('terminals', () => {
  it('keep the end of their output and mark the dropped beginning', () => {
    const created: Action = { type: 'terminalCreated', terminalId: 't', command: 'yes', at: 1 };
    const output = (data: string): Action => ({ type: 'terminalOutput', terminalId: 't', data });
    const state = play(created, output('x'.repeat(2 * MAX_TERMINAL_TAIL_CHARS)), output('END'));
    assert.equal(state.terminals['t']?.truncated, true);
    const kept = state.terminals['t']?.output.length ?? 0;
    assert.ok(kept >= MAX_TERMINAL_TAIL_CHARS && kept <= 2 * MAX_TERMINAL_TAIL_CHARS, `${kept} kept`);
    assert.ok(state.terminals['t']?.output.endsWith('END'));
  });

  it('ignore output of an unknown terminal', () => {
    const before = play(prompt);
    assert.equal(reduce(before, { type: 'terminalOutput', terminalId: 'ghost', data: 'x' }), before);
  });
});

const anyAction: fc.Arbitrary<Action> = fc.oneof(
  fc.constant(prompt),
  fc.record({
    type: fc.constant('textAppended' as const),
    role: fc.constantFrom('agent' as const, 'thought' as const, 'user' as const),
    text: fc.string({ maxLength: 8 }),
    at: fc.nat(100),
  }),
  fc.string({ maxLength: 3 }).map((id) => tool(id)),
  fc
    .tuple(fc.nat(20), fc.constantFrom('pending', 'running', 'done', 'failed') as fc.Arbitrary<ToolEntry['status']>)
    .map(([entry, status]) => change(entry, status)),
  fc.tuple(fc.nat(20), fc.string({ maxLength: 3 })).map(([entry, title]) => retitle(entry, title)),
  fc.tuple(fc.nat(20), fc.string({ maxLength: 3 })).map(([entry, text]) => print(entry, text)),
  fc
    .tuple(fc.nat(20), fc.string({ maxLength: 3 }))
    .map<Action>(([entry, text]) => ({ type: 'toolOutputAppended', entry, text })),
  fc.nat(20).map(ask),
  fc.record({
    type: fc.constant('permissionAnswered' as const),
    entry: fc.nat(20),
    outcome: fc.constantFrom(
      { type: 'selected' as const, optionId: 'yes' },
      { type: 'selected' as const, optionId: 'no' },
      { type: 'canceled' as const, reason: 'r' },
    ),
    at: fc.nat(100),
  }),
  fc.constant<Action>({ type: 'stopRequested', at: 50 }),
  fc
    .constantFrom('end_turn', 'cancelled', 'error')
    .map<Action>((stopReason) => ({ type: 'turnEnded', stopReason, at: 60 })),
  fc.record({
    type: fc.constant('terminalOutput' as const),
    terminalId: fc.constantFrom('a', 'b'),
    data: fc.string({ maxLength: 5 }),
  }),
  fc.constant<Action>({ type: 'terminalCreated', terminalId: 'a', command: 'ls', at: 1 }),
);

describe('the state', () => {
  it('I1: replaying the actions, also through JSON, gives the same state', () => {
    fc.assert(
      fc.property(fc.array(anyAction, { maxLength: 60 }), (actions) => {
        assert.deepEqual(play(...(JSON.parse(JSON.stringify(actions)) as Action[])), play(...actions));
      }),
    );
  });

  it('is the same if adjacent text is merged first', () => {
    fc.assert(
      fc.property(fc.array(anyAction, { maxLength: 60 }), (actions) => {
        const merged = play(...mergeActions(actions));
        assert.deepEqual(withoutTimes(merged), withoutTimes(play(...actions)));
      }),
    );
  });

  it('is the same with only the last of many updates that repeat the output of a call', () => {
    const merged = (updates: number): Action[] =>
      mergeActions([change(0, 'running'), ...Array.from({ length: updates }, (_, at) => retitle(0, `${at}`))]);
    assert.deepEqual(merged(250), [{ ...change(0, 'running'), patch: { status: 'running', title: '249' } }]);
    assert.equal(merged(500).length, 1);
  });

  it('lists exactly the pending requests, after any actions', () => {
    fc.assert(
      fc.property(fc.array(anyAction, { maxLength: 60 }), (actions) => {
        const state = play(...actions);
        const open = Array.from(entriesFrom(state.entries))
          .filter(([, entry]) => entry.kind === 'permission' && !entry.outcome)
          .map(([index]) => index);
        assert.deepEqual([...state.waiting], open);
      }),
    );
  });

  it('I8: copies one page for an update, for any length of the transcript', () => {
    const long = play(...Array.from({ length: 1_000 }, (_, index) => tool(String(index))));
    const next = reduce(long, change(500, 'running'));
    const copied = next.entries.pages.filter((page, index) => page !== long.entries.pages[index]);
    assert.equal(copied.length, 1);
  });
});

function withoutTimes(state: SessionState): unknown {
  return JSON.parse(JSON.stringify(state, (key, value: unknown) => (key === 'at' || key === 'endedAt' ? 0 : value)));
}

describe('texts of the state', () => {
  it('describe the agent’s activity', () => {
    const agent = { name: 'gemini', title: 'Gemini' };
    assert.equal(connectionText(agent, { status: 'starting' }), 'Starting Gemini…');
    assert.equal(connectionText(agent, { status: 'ready' }), 'Gemini: ready');
    assert.equal(connectionText(agent, { status: 'exited', code: 1 }), 'Gemini: exited (code 1)');
    assert.equal(connectionText(agent, { status: 'exited', signal: 'SIGKILL' }), 'Gemini: exited (SIGKILL)');
  });

  it('name every stop reason except end_turn, and unknown ones unchanged', () => {
    assert.equal(stopReasonNotice('end_turn'), undefined);
    assert.equal(stopReasonNotice('cancelled')?.title, 'Canceled');
    assert.equal(stopReasonNotice('weird_reason')?.title, 'Stopped: weird_reason');
  });
});

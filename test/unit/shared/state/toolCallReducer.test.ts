import assert from 'node:assert/strict';
import type { Action } from '../../../../src/shared/state/sessionActions';
import { reduce } from '../../../../src/shared/state/sessionReducer';
import type { Entry } from '../../../../src/shared/state/sessionState';
import type { ToolPatch } from '../../../../src/shared/state/toolCallState';
import type {
  PermissionEntry,
  PermissionOutcome,
  ToolEntry,
  ToolStatus,
} from '../../../../src/shared/state/toolCallState';
import { entries, play, withEntries } from './states';

const blank: ToolEntry = {
  kind: 'tool',
  toolCallId: 't',
  title: '',
  tool: 'other',
  status: 'pending',
  waiting: 0,
  content: [],
  locations: [],
  at: 1,
};
const start = (patch: ToolPatch = {}): Action => ({ type: 'toolStarted', toolCallId: 't', patch, at: 1 });
const change = (patch: ToolPatch, entry = 0): Action => ({ type: 'toolChanged', entry, patch, at: 2 });
const asked: PermissionEntry = {
  kind: 'permission',
  permissionId: 'p',
  tool: 0,
  title: 'Write',
  options: [
    { optionId: 'once', name: 'Allow', kind: 'allow_once' },
    { optionId: 'always', name: 'Always', kind: 'allow_always' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    { optionId: 'never', name: 'Never', kind: 'reject_always' },
    { optionId: 'other', name: 'Else', kind: 'other' },
  ],
  at: 3,
};
const { kind: _kind, ...question } = asked;
const ask: Action = { type: 'permissionAsked', ...question };
const selected = (optionId: string): PermissionOutcome => ({ type: 'selected', optionId });
const canceled: PermissionOutcome = { type: 'canceled', reason: 'r' };
const answer = (outcome: PermissionOutcome, entry = 1): Action => ({
  type: 'permissionAnswered',
  entry,
  outcome,
  at: 4,
});
const remember: Action = {
  type: 'permissionRemembered',
  entry: 1,
  remembered: { scope: 'session', rules: ['{"tool": "Write"}'] },
};
const form = { type: 'elicitationAsked', elicitationId: 'e', agent: 'A', message: '?', at: 3 } as const;
const formAsked: Action = { ...form, question: { mode: 'form', fields: [] } };
/** The effect of each outcome on an open call. */
const verdicts: [PermissionOutcome, ToolStatus | undefined][] = [
  [selected('once'), undefined],
  [selected('always'), undefined],
  [selected('other'), undefined],
  [selected('unknown'), undefined],
  [selected('no'), 'rejected'],
  [selected('never'), 'rejected'],
  [canceled, 'canceled'],
];

describe('a tool call', () => {
  it('has defaults for omitted fields, and may end when it starts', () => {
    assert.deepEqual(entries(play(start())), [blank]);
    const patch: ToolPatch = { title: 'Read', name: 'read', tool: 'read', status: 'done', rawInput: { a: 1 } };
    assert.deepEqual(entries(play(start(patch))), [{ ...blank, ...patch, endedAt: 1 }]);
  });

  it('is changed only in the fields of an update', () => {
    const state = { ...play(start({ title: 'Read', rawInput: 1 }), start()), title: 'T' };
    const [first, second] = entries(state);
    assert.ok(first && second);
    const patch: ToolPatch = { content: [], rawOutput: 2, status: 'running' };
    assert.deepEqual(reduce(state, change(patch, 1)), withEntries(state, first, { ...second, ...patch } as ToolEntry));
  });

  it('is not changed if the entry is not a tool call', () => {
    const state = play(start(), { type: 'promptSent', text: '', blocks: [], at: 2 });
    for (const entry of [1, 2, -1]) assert.equal(reduce(state, change({ title: 'x' }, entry)), state);
  });

  it('changes its status only forward, and ends once', () => {
    const all = ['pending', 'running', 'done', 'failed', 'canceled', 'rejected'] as const;
    const next: Record<ToolStatus, readonly (readonly [ToolStatus, ToolStatus])[]> = {
      pending: all.map((to) => [to, to]),
      running: all.map((to) => [to, to === 'pending' ? 'running' : to]),
      done: all.map((to) => [to, to === 'pending' || to === 'running' ? 'done' : to]),
      failed: all.map((to) => [to, to === 'pending' || to === 'running' ? 'failed' : to]),
      canceled: all.map((to) => [to, to === 'done' ? 'done' : 'canceled']),
      rejected: all.map((to) => [to, 'rejected']),
    };
    for (const from of all) {
      for (const [to, expected] of next[from]) {
        const [tool] = entries(play(start({ status: from }), change({ status: to })));
        const endedAt = from !== 'pending' && from !== 'running' ? 1 : 2;
        const ends = expected !== 'pending' && expected !== 'running';
        assert.deepEqual(tool, { ...blank, status: expected, ...(ends && { endedAt }) }, `${from} -> ${to}`);
      }
      const [same] = entries(play(start({ status: from }), change({ title: 'x' })));
      assert.ok(same?.kind === 'tool' && same.status === from, from);
    }
  });
});

describe('a permission', () => {
  it('is pending together with its call', () => {
    const state = { ...play(start()), title: 'T' };
    // Each with the call as shown in the request.
    const first = { ...asked, about: blank };
    const second = { ...asked, about: { ...blank, waiting: 1 } };
    const waits = { ...withEntries(state, { ...blank, waiting: 1 }, first), waiting: [1] };
    assert.deepEqual(reduce(state, ask), waits);
    const both = { ...withEntries(state, { ...blank, waiting: 2 }, first, second), waiting: [1, 2] };
    assert.deepEqual(reduce(waits, ask), both);
  });

  for (const [outcome, verdict] of verdicts) {
    const name = outcome.type === 'selected' ? outcome.optionId : outcome.type;
    it(`that is answered releases its call, or ends it if rejected: ${name}`, () => {
      const state = { ...play(start(), ask, ask), title: 'T' };
      const tool: ToolEntry = { ...blank, waiting: 1, ...(verdict && { status: verdict, endedAt: 4 }) };
      const answered: Entry = { ...asked, outcome, answeredAt: 4 };
      const next = reduce(state, answer(outcome));
      const other = { ...asked, about: { ...blank, waiting: 1 } };
      assert.deepEqual(next, { ...withEntries(state, tool, answered, other), waiting: [2] });
      assert.equal(reduce(next, answer(selected('once'))), next);
      assert.equal(reduce(next, answer(outcome, 0)), next);
    });

    it(`that a rule has answered is never pending, and ends its call if rejected: ${name}`, () => {
      const state = { ...play(start()), title: 'T' };
      const tool: ToolEntry = { ...blank, ...(verdict && { status: verdict, endedAt: 3 }) };
      assert.deepEqual(reduce(state, { ...ask, outcome }), withEntries(state, tool, { ...asked, outcome }));
    });

    it(`that is answered late does not change an ended call: ${name}`, () => {
      const over = { ...blank, status: 'done', endedAt: 1 } as const;
      const done = play(start({ status: 'done' }), ask, answer(outcome));
      assert.deepEqual(entries(done)[0], over);
      assert.deepEqual(entries(play(start({ status: 'done' }), { ...ask, outcome }))[0], over);
    });
  }

  it('that the end of the turn has canceled does not decrease the count below zero', () => {
    const state = play(start(), ask);
    const none = { ...state, ...withEntries(state, blank, asked) };
    assert.deepEqual(entries(reduce(none, answer(selected('once'))))[0], blank);
  });

  it('stores a remembered rule only after an option was selected', () => {
    const state = { ...play(start(), ask, answer(selected('always'))), title: 'T' };
    const [tool, answered] = entries(state);
    assert.ok(tool && answered?.kind === 'permission');
    assert.ok(remember.type === 'permissionRemembered');
    const { remembered } = remember;
    assert.deepEqual(reduce(state, remember), withEntries(state, tool, { ...answered, remembered }));
    for (const other of [play(start(), ask), play(start(), ask, answer(canceled)), play(start(), start())])
      assert.equal(reduce(other, remember), other);
  });
});

describe('the end of a turn', () => {
  const prompt: Action = { type: 'promptSent', text: '', blocks: [], at: 0 };
  const end = (stopReason: string): Action => ({ type: 'turnEnded', stopReason, at: 9 });
  const askAt = (tool: number): Action => ({ ...ask, tool });

  it('cancels pending requests, with the reason', () => {
    for (const [stopReason, reason] of [
      ['interrupted', 'window reloaded'],
      ['end_turn', 'the turn ended'],
    ] as const) {
      const state = play(prompt, start(), askAt(1), formAsked);
      const [, , permission, elicitation] = entries(state);
      assert.ok(permission?.kind === 'permission');
      const { about, ...known } = permission;
      assert.deepEqual(about, blank);
      const ended = reduce(state, end(stopReason));
      const outcome = { type: 'canceled', reason };
      assert.deepEqual(entries(ended).slice(2), [
        { ...known, outcome },
        { ...elicitation, outcome },
      ]);
      assert.deepEqual(ended.waiting, []);
    }
  });

  it('changes no other entry, even if it is in the list', () => {
    const state = { ...play(prompt, { type: 'noticeShown', severity: 'info', title: 'N', at: 1 }), waiting: [1] };
    assert.deepEqual(entries(reduce(state, end('end_turn'))), entries(state));
  });

  it('ends each open call, and no other', () => {
    for (const [stopReason, status] of [
      ['end_turn', 'done'],
      ['error', 'failed'],
      ['cancelled', 'canceled'],
      ['other', 'canceled'],
    ] as const) {
      const state = play(prompt, start(), start({ status: 'running' }), start({ status: 'failed' }));
      const failed: ToolEntry = { ...blank, status: 'failed', endedAt: 1 };
      const isCut = stopReason === 'error' || stopReason === 'other';
      const ended: ToolEntry = { ...blank, status, ...(isCut && { interrupted: true }), endedAt: 9 };
      assert.deepEqual(entries(reduce(state, end(stopReason))).slice(1), [ended, ended, failed]);
    }
  });

  it('clears the pending count of an ended call', () => {
    for (const questions of [[askAt(1)], [askAt(1), askAt(1)]]) {
      const state = play(prompt, start({ status: 'done' }), ...questions);
      const [, tool] = entries(reduce(state, end('cancelled')));
      assert.deepEqual(tool, { ...blank, status: 'done', endedAt: 9 });
    }
  });
});

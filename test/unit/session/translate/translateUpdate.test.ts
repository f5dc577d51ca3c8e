import assert from 'node:assert/strict';
import fc from 'fast-check';
import { systemClock } from '../../../../src/base/clock';
import type { JsonObject } from '../../../../src/base/json';
import { nullLogger } from '../../../../src/base/logger';
import type { TranscriptWriter } from '../../../../src/history/transcriptWriter';
import { SessionModel } from '../../../../src/session/sessionModel';
import { toPermissionOptions } from '../../../../src/session/translate/translateToolCall';
import { entriesFrom } from '../../../../src/shared/state/entryPages';
import { mergeActions } from '../../../../src/shared/state/mergeActions';
import type { Action } from '../../../../src/shared/state/sessionActions';
import { reduce } from '../../../../src/shared/state/sessionReducer';
import type { Entry, SessionState } from '../../../../src/shared/state/sessionState';
import { emptySession } from '../../../../src/shared/state/sessionState';
import type { ToolEntry } from '../../../../src/shared/state/toolCallState';
import { stubOf } from '../../../kit/stubOf';

/** A session model without a disk; writes are dropped. */
function model(): SessionModel {
  let clock = 0;
  const history = stubOf<TranscriptWriter>({ append() {}, appendDiff() {} });
  return new SessionModel({
    id: 's',
    folders: ['/workspace'],
    history,
    log: nullLogger,
    clock: { ...systemClock, now: () => ++clock },
  });
}

function receive(...updates: JsonObject[]): SessionState {
  const session = model();
  session.dispatch({ type: 'promptSent', text: 'go', blocks: [], at: 0 });
  for (const update of updates) session.applyUpdate(update);
  return session.state;
}

function entries(state: SessionState): Entry[] {
  return Array.from(entriesFrom(state.entries), ([, entry]) => entry).slice(1);
}

function tools(state: SessionState): ToolEntry[] {
  return entries(state).filter((entry): entry is ToolEntry => entry.kind === 'tool');
}

const call = (fields: JsonObject): JsonObject => ({ sessionUpdate: 'tool_call', toolCallId: 't1', ...fields });
const update = (fields: JsonObject): JsonObject => ({ sessionUpdate: 'tool_call_update', toolCallId: 't1', ...fields });

describe('translate: tool calls', () => {
  it('creates one card for an update before its tool_call, and keeps its status', () => {
    const state = receive(update({ status: 'in_progress' }), call({ title: 'Read', status: 'pending', kind: 'read' }));
    assert.equal(tools(state).length, 1);
    assert.deepEqual([tools(state)[0]?.title, tools(state)[0]?.status], ['Read', 'running']);
  });

  it('reads as many files and changes as a request may have, and keeps the others as they are', () => {
    const paths = Array.from({ length: 3_000 }, (_, at) => `/workspace/${at}`);
    const content = paths.map((path) => ({ type: 'diff', path, oldText: 'a', newText: 'b' }));
    const [tool] = tools(receive(call({ title: 'Edit', locations: paths.map((path) => ({ path })), content })));
    assert.equal(tool?.locations.length, 1_001);
    assert.deepEqual(
      tool?.content.slice(1_000),
      content.slice(1_000).map((value) => ({ type: 'raw', value })),
    );
    assert.equal(tool?.content[999]?.type, 'diff');
    const long = `/workspace/${'a/'.repeat(60_000)}`;
    const [other] = tools(receive(call({ title: 'Edit', locations: [{ path: '/workspace/a' }, { path: long }] })));
    assert.deepEqual(
      other?.locations.map(({ label }) => label),
      ['a', long],
    );
  });

  it('replaces content and locations, and keeps fields that an update omits', () => {
    const [tool] = tools(
      receive(
        call({ title: 'Edit', locations: [{ path: '/workspace/a.ts', line: 0 }] }),
        update({ content: [{ type: 'content', content: { type: 'text', text: 'one' } }] }),
        update({ content: [{ type: 'content', content: { type: 'text', text: 'two' } }], title: null, kind: null }),
      ),
    );
    assert.equal(tool?.title, 'Edit');
    assert.deepEqual(tool?.locations, [{ path: '/workspace/a.ts', label: 'a.ts', line: 1 }]);
    assert.deepEqual(tool?.content, [{ type: 'block', block: { type: 'text', text: 'two' } }]);
  });

  it('treats an id of an earlier turn as a new call', () => {
    const session = model();
    session.dispatch({ type: 'promptSent', text: 'one', blocks: [], at: 0 });
    session.applyUpdate(call({ title: 'first', status: 'completed' }));
    session.dispatch({ type: 'turnEnded', stopReason: 'end_turn', at: 0 });
    session.dispatch({ type: 'promptSent', text: 'two', blocks: [], at: 0 });
    session.applyUpdate(call({ title: 'second' }));
    session.applyUpdate(update({ status: 'completed' }));
    assert.deepEqual(
      tools(session.state).map((tool) => `${tool.title}: ${tool.status}`),
      ['first: done', 'second: done'],
    );
  });

  it('shows a diff as hunks, with all forms of a new file', () => {
    for (const oldText of [null, '', undefined]) {
      const diff = {
        type: 'diff',
        path: '/workspace/new.ts',
        newText: 'a\nb\n',
        ...(oldText !== undefined && { oldText }),
      };
      const content = tools(receive(call({ content: [diff] })))[0]?.content[0];
      assert.ok(content?.type === 'diff');
      assert.deepEqual([content.label, content.isNew, content.added, content.removed], ['new.ts', true, 2, 0]);
    }
  });

  it('reads an unknown kind as "other", and keeps the status for an unknown one', () => {
    const [tool] = tools(receive(call({ kind: 'teleport', status: 'in_progress' }), update({ status: 'sideways' })));
    assert.deepEqual([tool?.tool, tool?.status], ['other', 'running']);
  });

  it('ignores an update that only carries _meta', () => {
    const before = receive(call({ title: 'x' }));
    assert.equal(tools(receive(call({ title: 'x' }), update({ _meta: { a: 1 } })))[0]?.title, tools(before)[0]?.title);
  });
});

describe('translate: command output that each update repeats completely', () => {
  const text = (words: string): JsonObject => ({ type: 'content', content: { type: 'text', text: words } });
  const print = (words: string, fields: JsonObject = {}): JsonObject => update({ content: [text(words)], ...fields });

  function dispatched(...updates: JsonObject[]): { actions: Action[]; state: SessionState } {
    const session = model();
    const actions: Action[] = [];
    session.onDidDispatch(({ action }) => void actions.push(action));
    for (const each of updates) session.applyUpdate(each);
    return { actions, state: session.state };
  }

  it('adds only new text and changed fields', () => {
    const { actions } = dispatched(
      call({ title: 'npm test', kind: 'execute', status: 'in_progress', content: [text('one\n')] }),
      print('one\ntwo\n', { status: 'in_progress', title: 'npm test' }),
      print('one\ntwo\n'),
      print('one\ntwo\nthree', { status: 'completed' }),
    );
    assert.deepEqual(actions.slice(1), [
      { type: 'toolOutputAppended', entry: 0, text: 'two\n' },
      { type: 'toolOutputAppended', entry: 0, text: 'three' },
      { type: 'toolChanged', entry: 0, patch: { status: 'done' }, at: 4 },
    ]);
  });

  it('I8: stores as much as was printed, for any number of updates', () => {
    const size = (updates: number): number => {
      const line = 'x'.repeat(99);
      const all = Array.from({ length: updates }, (_, at) => print(`${line}\n`.repeat(at + 1)));
      return JSON.stringify(mergeActions(dispatched(call({}), ...all).actions)).length / updates;
    };
    assert.ok(size(200) < 110, `${size(200)} for 100 characters`);
    assert.ok(size(400) <= size(200));
  });

  it('I1: equals the last text, also after a replay, for any earlier texts', () => {
    const texts = fc.array(fc.constantFrom('', 'a', 'ab', 'ab\n', 'abc', 'b', '\ud83d', '\ud83d\ude00'), {
      minLength: 1,
    });
    fc.assert(
      fc.property(texts, (all) => {
        const { actions, state } = dispatched(call({}), ...all.map((each) => print(each)));
        const replayed = (JSON.parse(JSON.stringify(mergeActions(actions))) as Action[]).reduce(
          reduce,
          emptySession('s'),
        );
        for (const shown of [state, replayed]) {
          const [tool] = [...entriesFrom(shown.entries)].map(([, entry]) => entry as ToolEntry);
          assert.deepEqual(tool?.content, [{ type: 'block', block: { type: 'text', text: all.at(-1) } }]);
        }
      }),
    );
  });

  it('is replaced by different content', () => {
    const [first] = tools(receive(call({ content: [text('a')] }), update({ content: [text('ab'), text('c')] })));
    assert.equal(first?.content.length, 2);
  });
});

describe('translate: unknown updates', () => {
  it('are kept and shown as JSON', () => {
    const [entry] = entries(receive({ sessionUpdate: 'hologram', angle: 42 }));
    assert.deepEqual(entry?.kind === 'raw' && [entry.label, entry.value], ['hologram', { angle: 42 }]);
  });

  it('are also kept in content', () => {
    const [entry] = entries(
      receive({ sessionUpdate: 'agent_message_chunk', content: { type: 'smell', odour: 'rose' } }),
    );
    assert.deepEqual(entry?.kind === 'agent' && entry.blocks, [
      { type: 'raw', value: { type: 'smell', odour: 'rose' } },
    ]);
    const [tool] = tools(receive(call({ content: [{ type: 'smell' }] })));
    assert.deepEqual(tool?.content, [{ type: 'raw', value: { type: 'smell' } }]);
  });

  it('never throw, for any JSON', () => {
    const kinds = [
      'agent_message_chunk',
      'tool_call',
      'tool_call_update',
      'plan',
      'usage_update',
      'notice',
      'x',
      undefined,
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.dictionary(
          fc.constantFrom('content', 'toolCallId', 'entries', 'title', 'locations', 'used', 'rawInput'),
          fc.jsonValue(),
        ),
        (kind, fields) => {
          receive({ ...fields, sessionUpdate: kind });
        },
      ),
    );
  });
});

describe('translate: other updates', () => {
  it('show the todos of a tool as a plan', () => {
    const todos = [
      { id: '1', content: 'Walnut', status: 'in_progress', priority: 'high' },
      { content: 'Hazel', status: 'completed' },
    ];
    const { plan } = receive(call({ title: 'todowrite', status: 'pending' }), update({ rawInput: { todos } }));
    assert.deepEqual(
      plan.map(({ content, status }) => `${content}: ${status}`),
      ['Walnut: in_progress', 'Hazel: completed'],
    );
    assert.deepEqual(receive(call({ rawInput: { todos: 'none' } })).plan, []);
    assert.deepEqual(receive(call({ rawInput: { todos }, status: 'failed' })).plan, []);
  });

  it('replace the plan completely', () => {
    const plan = (...contents: string[]): JsonObject => ({
      sessionUpdate: 'plan',
      entries: contents.map((content) => ({ content, priority: 'high', status: 'cancelled' })),
    });
    const state = receive(plan('a', 'b'), plan('c'));
    assert.deepEqual(state.plan, [{ content: 'c', priority: 'high', status: 'pending' }]);
  });

  it('keep the agent’s order, names and unknown kinds of permission options', () => {
    const options = toPermissionOptions([
      { optionId: 'a', name: 'Always', kind: 'allow_always' },
      { optionId: 'b', name: 'Once', kind: 'allow_once' },
      { optionId: 'c', name: 'Ask my mother', kind: 'delegate' },
      { name: 'no id' },
      'nonsense',
    ]);
    assert.deepEqual(
      options.map((option) => `${option.optionId}:${option.name}:${option.kind}`),
      ['a:Always:allow_always', 'b:Once:allow_once', 'c:Ask my mother:other'],
    );
  });

  it('approve nothing by an option that allows under the name of a refusal', () => {
    const kindOf = (name: string): unknown =>
      toPermissionOptions([{ optionId: 'a', name, kind: 'allow_once' }])[0]?.kind;
    const refusals = ['Reject', '  no, thanks', 'NO', '✗ Deny', 'Don’t allow', 'Do not run', 'Never allow', 'Ablehnen'];
    for (const name of [...refusals, 'Nicht ausführen', '拒绝', '不允许', '否', 'Rej\u00adect', 'Rеject', 'Ｎｏ'])
      assert.equal(kindOf(name), 'other', name);
    const approvals = ['Yes', 'Allow once', 'Yes, and don’t ask again', 'Don’t ask again', 'Never ask again', 'Notify'];
    for (const name of [...approvals, 'Nicht mehr fragen', '不再询问', '允许', 'Ship it', 'Norden', '1. Yes', 'Да'])
      assert.equal(kindOf(name), 'allow_once', name);
    const [rejects] = toPermissionOptions([{ optionId: 'r', name: 'Allow', kind: 'reject_once' }]);
    assert.equal(rejects?.kind, 'reject_once');
  });
});

describe('translate: a suggested message', () => {
  const info = (suggestions: unknown): JsonObject => ({
    sessionUpdate: 'session_info_update',
    _meta: { promptSuggestions: { suggestions } },
  });

  it('is the first nonempty one, in one visible line, until it is removed', () => {
    assert.equal(receive(info([{ text: ' ' }, { text: '  Run the tests\nand more' }])).suggestion, 'Run the tests');
    assert.equal(receive(info([{ text: 'Run' }]), info([])).suggestion, undefined);
    assert.notEqual(receive(info([{ text: 'a\u202eb' }])).suggestion, 'a\u202eb');
    assert.ok((receive(info([{ text: 'x'.repeat(5000) }])).suggestion ?? '').length <= 301);
    for (const wrong of [7, [7], [{}], [{ text: 7 }], null]) assert.equal(receive(info(wrong)).suggestion, undefined);
  });

  it('is used for one message, and is not stored', () => {
    const session = model();
    session.applyUpdate(info([{ text: 'Run' }]));
    assert.equal(session.state.suggestion, 'Run');
    session.dispatch({ type: 'promptSent', text: 'go', blocks: [], at: 0 });
    assert.equal(session.state.suggestion, undefined);
    for (const change of [
      { type: 'agentNamed', agent: { name: 'other', title: 'Other' } },
      { type: 'agentSessionClosed' },
    ] as const) {
      session.applyUpdate(info([{ text: 'Run' }]));
      session.dispatch(change);
      assert.equal(session.state.suggestion, undefined, change.type);
    }
  });
});

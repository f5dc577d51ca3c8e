import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { Emitter } from '../../../../src/base/event';
import { toDisposable } from '../../../../src/base/lifecycle';
import type { Disposable } from '../../../../src/base/lifecycle';
import type { HostMessage, PageEnvironment } from '../../../../src/shared/protocol/chatPageProtocol';
import type { Action } from '../../../../src/shared/state/sessionActions';
import { reduce } from '../../../../src/shared/state/sessionReducer';
import type { SessionState } from '../../../../src/shared/state/sessionState';
import { ENTRIES_PER_PAGE } from '../../../../src/shared/state/sessionState';
import { MAX_TERMINAL_TAIL_CHARS } from '../../../../src/shared/state/terminalState';
import {
  FLOOD_ENTRIES,
  MAX_ACTIONS_PER_POST,
  MAX_BACKLOG,
  MAX_FLOOD_INTERVALS,
  MAX_PENDING,
  MAX_PENDING_TEXT,
  MAX_UNACKNOWLEDGED,
  StateSync,
  OUTPUT_INTERVAL_MS,
  POST_INTERVAL_MS,
  postSchedule,
} from '../../../../src/ui/chat/stateSync';
import type { PostSchedule } from '../../../../src/ui/chat/stateSync';
import { TestClock } from '../../../kit/testClock';
import { FakeSession } from '../fakes';

const environment: PageEnvironment = { agents: [], trusted: true, mac: false };

/** Host, wire and page of one view; the test advances the time. */
class Bench {
  readonly environmentChanged = new Emitter<void>();
  readonly posted: HostMessage[] = [];
  readonly wire: HostMessage[] = [];
  readonly acks: number[] = [];
  readonly sessions = [new FakeSession('one'), new FakeSession('two')] as const;
  readonly sync: StateSync;
  shown: FakeSession = this.sessions[0];
  page: { state?: SessionState; seq: number; asked: boolean } | undefined;
  #timers: (() => void)[] = [];

  /** @param schedule by default calls back with the next {@link tick} */
  constructor(schedule: PostSchedule = (callback) => this.#onTick(callback)) {
    this.sync = new StateSync(
      this.shown,
      { environment: () => environment, onDidChange: this.environmentChanged.event },
      schedule,
    );
    this.sync.webview = {
      postMessage: async (posted: HostMessage | string) => {
        const message = typeof posted === 'string' ? (JSON.parse(posted) as HostMessage) : posted;
        this.posted.push(message);
        // A webview gets a copy, and nothing without a page.
        if (this.page) this.wire.push(structuredClone(message));
        return true;
      },
    };
  }

  /** Advances one frame. */
  tick(): void {
    for (const timer of this.#timers.splice(0)) timer();
  }

  #onTick(callback: () => void): Disposable {
    this.#timers.push(callback);
    return toDisposable(() => (this.#timers = this.#timers.filter((timer) => timer !== callback)));
  }

  get timers(): number {
    return this.#timers.length;
  }

  load(): void {
    if (this.page) return;
    this.page = { seq: 0, asked: true };
    this.sync.ready();
  }

  hide(): void {
    this.page = undefined;
    this.wire.length = 0;
    this.acks.length = 0;
    this.sync.onPageHidden();
  }

  switchTo(session: FakeSession): void {
    this.shown = session;
    this.sync.showSession(session);
  }

  /** Loses a post of actions; the next one reveals the gap. */
  lose(): void {
    if (this.wire.length > 1 && this.wire[0]?.type === 'actions') this.wire.shift();
  }

  /** The page takes one message from the wire, as the real store does. */
  take(): void {
    const message = this.wire.shift();
    const { page } = this;
    if (!message || !page) return;
    if (message.type === 'snapshot') Object.assign(page, { state: message.state, seq: message.seq, asked: false });
    else if (message.type === 'actions') {
      if (page.state && message.last <= page.seq) return;
      if (!page.state || message.seq !== page.seq + 1) {
        if (!page.asked) this.sync.ready();
        page.asked = true;
        return;
      }
      page.state = message.actions.reduce(reduce, page.state);
      page.seq = message.last;
    } else return;
    this.acks.push(page.seq);
  }

  /** An acknowledgement reaches the host. */
  acknowledge(): void {
    const seq = this.acks.shift();
    if (seq !== undefined) this.sync.ack(seq);
  }

  /** Delivers all pending messages. */
  settle(): void {
    while (this.wire.length > 0 || this.acks.length > 0 || this.#timers.length > 0) {
      this.tick();
      this.take();
      this.acknowledge();
    }
  }

  actions(): Action[] {
    return this.posted.flatMap((message) => (message.type === 'actions' ? message.actions : []));
  }
}

/** Not a change of a session. */
const ASIDE = { type: 'focusComposer' } as const;

function text(chunk: string, role: 'agent' | 'thought' = 'agent'): Action {
  return { type: 'textAppended', role, text: chunk, at: 5 };
}

function raw(value: number): Action {
  return { type: 'rawReceived', label: 'x', value, at: 5 };
}

function started(call: number): Action {
  return { type: 'toolStarted', toolCallId: `t${call}`, patch: { title: 'x' }, at: 5 };
}

function finished(entry: number): Action {
  return { type: 'toolChanged', entry, patch: { status: 'done' }, at: 6 };
}

/** A page that shows each post immediately, and a clock. */
class TimedBench extends Bench {
  readonly clock: TestClock;

  constructor(clock = new TestClock()) {
    super(postSchedule(clock));
    this.clock = clock;
    this.load();
    this.shown.dispatch(started(0));
    this.shown.dispatch({ type: 'terminalCreated', terminalId: 't', command: 'ls', at: 1 });
    this.pass(0);
    this.pass(OUTPUT_INTERVAL_MS);
  }

  /** @returns the number of posts meanwhile */
  pass(ms: number): number {
    const before = this.posted.length;
    this.clock.advance(ms);
    while (this.wire.length > 0) this.take();
    while (this.acks.length > 0) this.acknowledge();
    return this.posted.length - before;
  }
}

/** Each only continues the output of a command. */
const OUTPUTS: readonly Action[] = [
  { type: 'terminalOutput', terminalId: 't', data: 'x' },
  { type: 'toolOutputAppended', entry: 0, text: 'x' },
  { type: 'subagentActed', entry: 0, action: { type: 'toolOutputAppended', entry: 0, text: 'x' } },
];

describe('ui/chat/stateSync', () => {
  it('posts nothing before the page is ready, then one snapshot with everything', () => {
    const bench = new Bench();
    bench.shown.dispatch(text('early'));
    bench.tick();
    assert.deepEqual(bench.posted, []);
    bench.load();
    assert.deepEqual(bench.posted, [{ type: 'snapshot', seq: 1, state: bench.shown.state, environment }]);
  });

  it('posts state as one text: VS Code copies each object of a message several times', () => {
    const bench = new Bench();
    const kinds: string[] = [];
    bench.sync.webview = { postMessage: async (message: unknown) => kinds.push(typeof message) > 0 };
    bench.load();
    bench.shown.dispatch(text('new'));
    bench.tick();
    bench.sync.postSideMessage({ type: 'focusComposer' });
    bench.tick();
    assert.deepEqual(kinds, ['string', 'string', 'object']);
  });

  it('posts nothing to a page that is kept while it is hidden, and what is new once it is shown', () => {
    const bench = new Bench();
    bench.load();
    bench.settle();
    bench.sync.setVisible(false);
    const before = bench.posted.length;
    bench.shown.dispatch(text('unseen'));
    bench.sync.postSideMessage(ASIDE);
    bench.environmentChanged.fire();
    bench.settle();
    assert.equal(bench.posted.length, before);
    bench.sync.setVisible(true);
    bench.settle();
    assert.deepEqual(
      bench.posted.slice(before).map(({ type }) => type),
      ['environment', 'actions', 'focusComposer'],
    );
    assert.deepEqual(bench.page?.state, bench.shown.state);
    bench.sync.setVisible(true);
    bench.settle();
    assert.equal(bench.posted.length, before + 3);
  });

  it('shows another session to a hidden page at once: it stores what it shows', () => {
    const bench = new Bench();
    bench.load();
    bench.settle();
    bench.sync.setVisible(false);
    bench.switchTo(bench.sessions[1]);
    bench.take();
    assert.equal(bench.page?.state?.id, 'two');
    bench.sync.setVisible(true);
    bench.settle();
    assert.equal(bench.posted.length, 2);
  });

  it('posts a snapshot to a page that was reloaded while it was hidden', () => {
    const bench = new Bench();
    bench.load();
    bench.settle();
    bench.sync.setVisible(false);
    bench.shown.dispatch(text('unseen'));
    bench.page = undefined;
    bench.load();
    bench.settle();
    const before = bench.posted.length;
    bench.sync.setVisible(true);
    bench.settle();
    assert.deepEqual(bench.posted.slice(before), [{ type: 'snapshot', seq: 1, state: bench.shown.state, environment }]);
  });

  it('allows one more post after an acknowledgement of the oldest', () => {
    const bench = new Bench();
    bench.load();
    bench.settle();
    const step = (name: string): number => {
      bench.shown.dispatch(text(name));
      bench.tick();
      return bench.posted.length;
    };
    const before = bench.posted.length;
    const first = bench.shown.seq + 1;
    for (let post = 1; post <= MAX_UNACKNOWLEDGED; post += 1) assert.equal(step(`${post}`), before + post);
    assert.equal(step('one too many'), before + MAX_UNACKNOWLEDGED);
    bench.sync.ack(first);
    bench.tick();
    assert.equal(bench.posted.length, before + MAX_UNACKNOWLEDGED + 1);
    assert.equal(step('again too many'), before + MAX_UNACKNOWLEDGED + 1, 'the others are not acknowledged yet');
    bench.sync.ack(first + 1);
    bench.sync.ack(first);
    bench.tick();
    assert.equal(bench.posted.length, before + MAX_UNACKNOWLEDGED + 2);
    assert.equal(step('still too many'), before + MAX_UNACKNOWLEDGED + 2);
  });

  it('sends side messages to a slow page even without further changes', () => {
    const bench = new Bench();
    bench.load();
    bench.settle();
    for (let step = 0; step < MAX_UNACKNOWLEDGED; step += 1) {
      bench.shown.dispatch(text(String(step)));
      bench.tick();
    }
    bench.sync.postSideMessage(ASIDE);
    bench.tick();
    assert.ok(!bench.posted.includes(ASIDE));
    bench.settle();
    assert.ok(bench.posted.includes(ASIDE));
  });

  it('merges the text of a frame into one numbered post', () => {
    const bench = new Bench();
    bench.load();
    for (const chunk of ['a', 'b', 'c']) bench.shown.dispatch(text(chunk));
    assert.equal(bench.posted.length, 1, 'nothing but the snapshot before the frame is over');
    bench.tick();
    assert.deepEqual(bench.posted[1], { type: 'actions', seq: 1, last: 3, actions: [text('abc')] });
    bench.shown.dispatch(text('d'));
    bench.tick();
    assert.deepEqual(bench.posted[2], { type: 'actions', seq: 4, last: 4, actions: [text('d')] });
  });

  it('keeps the order of text and other actions', () => {
    const bench = new Bench();
    bench.load();
    const created: Action = { type: 'terminalCreated', terminalId: 't', command: 'ls', at: 1 };
    const output = (data: string): Action => ({ type: 'terminalOutput', terminalId: 't', data });
    for (const action of [text('a'), text('b', 'thought'), created, output('1'), output('2'), text('c')]) {
      bench.shown.dispatch(action);
    }
    bench.tick();
    assert.deepEqual(bench.actions(), [text('a'), text('b', 'thought'), created, output('12'), text('c')]);
  });

  it('waits for a page that does not acknowledge, and then continues in one post', () => {
    const bench = new Bench();
    bench.load();
    for (let i = 0; i < 20; i++) {
      bench.shown.dispatch(text('x'));
      bench.tick();
    }
    assert.equal(bench.posted.length, MAX_UNACKNOWLEDGED);
    bench.settle();
    assert.equal(bench.posted.length, MAX_UNACKNOWLEDGED + 1);
    assert.deepEqual(bench.page?.state, bench.shown.state);
  });

  it('sends one snapshot to a page that is too far behind', () => {
    const bench = new Bench();
    bench.load();
    for (let i = 0; i < MAX_UNACKNOWLEDGED; i++) {
      bench.shown.dispatch(text('x'));
      bench.tick();
    }
    for (let i = 0; i < MAX_PENDING; i++) bench.shown.dispatch({ type: 'rawReceived', label: 'x', value: i, at: i });
    bench.shown.dispatch({ type: 'terminalCreated', terminalId: 't', command: 'yes', at: 1 });
    const before = bench.posted.length;
    bench.settle();
    assert.deepEqual(
      bench.posted.slice(before).map(({ type }) => type),
      ['snapshot'],
    );
    assert.deepEqual(bench.page?.state, bench.shown.state);
  });

  it('posts a flood in batches, and side messages after the last one', () => {
    const posts = (count: number): number => {
      const bench = new Bench();
      bench.load();
      for (let at = 0; at < 3 * count; at++) bench.shown.dispatch(started(at));
      bench.settle();
      for (let at = 0; at < count; at++) bench.shown.dispatch(finished(at));
      bench.sync.postSideMessage(ASIDE);
      const before = bench.posted.length;
      bench.settle();
      const flood = bench.posted.slice(before);
      assert.equal(flood.pop(), ASIDE);
      for (const post of flood) assert.ok(post.type === 'actions' && post.actions.length <= MAX_ACTIONS_PER_POST);
      assert.deepEqual(bench.page?.state, bench.shown.state);
      return flood.length;
    };
    assert.deepEqual([posts(MAX_ACTIONS_PER_POST * 5), posts(MAX_ACTIONS_PER_POST * 10)], [5, 10]);
  });

  it('collects a flood of new entries for some intervals, but not once the turn has ended', () => {
    const bench = new Bench();
    bench.load();
    for (let at = 0; at < 4 * ENTRIES_PER_PAGE; at++) bench.shown.dispatch(raw(at));
    bench.settle();
    const before = bench.posted.length;
    const posts = (): number[] =>
      bench.posted.slice(before).map((post) => (post.type === 'actions' ? post.actions.length : 0));
    for (let at = 0; at < MAX_FLOOD_INTERVALS; at++) {
      for (let entry = 0; entry <= FLOOD_ENTRIES; entry++) bench.shown.dispatch(raw(entry));
      bench.tick();
    }
    assert.deepEqual(posts(), []);
    bench.tick();
    const all = MAX_FLOOD_INTERVALS * (FLOOD_ENTRIES + 1);
    assert.deepEqual(posts(), [all], 'the page draws only the last of so many');
    for (let entry = 0; entry <= FLOOD_ENTRIES; entry++) bench.shown.dispatch(raw(entry));
    bench.tick();
    assert.deepEqual(posts(), [all]);
    bench.shown.dispatch({ type: 'turnEnded', stopReason: 'end_turn', at: 6 });
    bench.tick();
    assert.deepEqual(posts(), [all, FLOOD_ENTRIES + 2]);
    bench.settle();
    assert.deepEqual(bench.page?.state, bench.shown.state);
  });

  it('does not let what the user waits for wait for a flood of new entries', () => {
    const asked = { type: 'permissionAsked', permissionId: 'p', tool: 0, title: 'Run', options: [], at: 1 } as const;
    const posts = (act: (bench: Bench) => void): number => {
      const bench = new Bench();
      bench.load();
      bench.shown.dispatch(started(0));
      bench.settle();
      const before = bench.posted.length;
      for (let entry = 0; entry <= FLOOD_ENTRIES; entry++) bench.shown.dispatch(raw(entry));
      act(bench);
      bench.tick();
      return bench.posted.length - before;
    };
    assert.equal(
      posts(() => undefined),
      0,
    );
    assert.equal(
      posts((bench) => bench.shown.dispatch({ type: 'stopRequested', at: 2 })),
      1,
    );
    assert.equal(
      posts((bench) => bench.sync.postSideMessage(ASIDE)),
      2,
    );
    assert.equal(
      posts((bench) => bench.shown.dispatch(asked)),
      1,
    );
    const byRule = { ...asked, outcome: { type: 'selected', optionId: 'a', by: 'rule' } } as const;
    assert.equal(
      posts((bench) => bench.shown.dispatch(byRule)),
      0,
      'answered by a rule',
    );
  });

  it('posts output that continues less often than text', () => {
    const posts = (next: (at: number) => Action): number => {
      const bench = new TimedBench();
      let count = 0;
      for (let at = 0; at < 400; at++) {
        bench.shown.dispatch(next(at));
        count += bench.pass(5);
      }
      assert.ok(bench.pass(OUTPUT_INTERVAL_MS) <= 1);
      assert.deepEqual(bench.page?.state, bench.shown.state);
      return count;
    };
    const most = (interval: number): number => Math.ceil(2000 / interval) + 1;
    for (const output of OUTPUTS) {
      assert.ok(posts(() => output) <= most(OUTPUT_INTERVAL_MS), output.type);
      const mixed = posts((at) => (at % 2 === 0 ? output : text('x')));
      assert.ok(mixed > most(OUTPUT_INTERVAL_MS) && mixed <= most(POST_INTERVAL_MS), `${output.type} with text`);
    }
  });

  it('posts the first output of a command, and what follows output, no later than text', () => {
    for (const output of OUTPUTS) {
      for (const next of [text('x'), finished(0), started(1)]) {
        const bench = new TimedBench();
        bench.shown.dispatch(text('x'));
        assert.equal(bench.pass(0), 1);
        bench.shown.dispatch(output);
        assert.equal(bench.pass(POST_INTERVAL_MS - 1), 0);
        assert.equal(bench.pass(1), 1, `first ${output.type}`);
        bench.shown.dispatch(output);
        assert.equal(bench.pass(POST_INTERVAL_MS + 1), 0, `more ${output.type}`);
        bench.shown.dispatch(next);
        assert.equal(bench.pass(0), 1, `${output.type}, then ${next.type}`);
        bench.shown.dispatch(output);
        assert.equal(bench.pass(POST_INTERVAL_MS), 1, `${output.type} again`);
      }
    }
  });

  it('does not let a side message wait for output', () => {
    const bench = new TimedBench();
    for (const output of [OUTPUTS[0]!, OUTPUTS[0]!]) {
      bench.shown.dispatch(output);
      bench.pass(POST_INTERVAL_MS);
    }
    bench.sync.postSideMessage(ASIDE);
    assert.equal(bench.pass(0), 2);
    assert.equal(bench.posted.at(-1), ASIDE);
  });

  it('numbers the batches of merged text without gaps', () => {
    const bench = new Bench();
    bench.load();
    for (let at = 0; at < MAX_ACTIONS_PER_POST + 2; at++) {
      for (const chunk of ['a', 'b']) bench.shown.dispatch(text(chunk, at % 2 === 0 ? 'agent' : 'thought'));
    }
    bench.settle();
    const [, first, second] = bench.posted;
    assert.ok(first?.type === 'actions' && second?.type === 'actions');
    const end = 2 * MAX_ACTIONS_PER_POST;
    assert.deepEqual([first.seq, first.last, second.seq, second.last], [1, end, end + 1, end + 4]);
    assert.deepEqual(bench.page?.state, bench.shown.state);
  });

  it('sends a snapshot if the backlog is most of the session, as after loading', () => {
    const bench = new Bench();
    bench.load();
    for (let at = 0; at <= MAX_BACKLOG; at++) bench.shown.dispatch(raw(at));
    bench.settle();
    assert.deepEqual(
      bench.posted.map(({ type }) => type),
      ['snapshot', 'snapshot'],
    );
    assert.deepEqual(bench.page?.state, bench.shown.state);
  });

  it('keeps no more text for a slow page than a snapshot has', () => {
    const chunk = 'y'.repeat(MAX_TERMINAL_TAIL_CHARS);
    const inSubagent = { type: 'toolOutputAppended', entry: 0, text: chunk } as const;
    const outputs: readonly Action[] = [
      text(chunk),
      { type: 'terminalOutput', terminalId: 't', data: chunk },
      { type: 'toolOutputAppended', entry: 0, text: chunk },
      { type: 'subagentActed', entry: 0, action: inSubagent },
    ];
    for (const output of outputs) {
      const bench = new Bench();
      bench.load();
      bench.shown.dispatch({ type: 'terminalCreated', terminalId: 't', command: 'yes', at: 1 });
      bench.shown.dispatch(started(0));
      for (let sent = 0; sent <= MAX_PENDING_TEXT; sent += chunk.length) bench.shown.dispatch(output);
      bench.tick();
      assert.equal(bench.posted.at(-1)?.type, 'snapshot', output.type);
    }
  });

  it('counts only text that waits: neither posted text nor that of the last snapshot', () => {
    const bench = new Bench();
    bench.load();
    const half = text('y'.repeat(MAX_PENDING_TEXT / 2));
    const postAll = (): void => {
      bench.settle();
      bench.posted.length = 0;
    };
    for (let turn = 0; turn < 3; turn++) {
      bench.shown.dispatch(half);
      bench.tick();
      assert.equal(bench.posted.at(-1)?.type, 'actions', `turn ${turn}`);
      postAll();
    }
    for (let part = 0; part < 3; part++) bench.shown.dispatch(half);
    bench.tick();
    assert.equal(bench.posted.at(-1)?.type, 'snapshot');
    postAll();
    bench.shown.dispatch(half);
    bench.tick();
    assert.equal(bench.posted.at(-1)?.type, 'actions');
  });

  it('cuts long command output where the host cuts it, for any chunks', () => {
    const bench = new Bench();
    bench.load();
    bench.shown.dispatch({ type: 'terminalCreated', terminalId: 't', command: 'yes', at: 1 });
    for (const frame of [[1.9], [0.2, 0.05], [0.9, 0.3], [0.6, 1.4, 0.1]]) {
      for (const share of frame) {
        const data = `${'😀'.repeat(Math.round((share * MAX_TERMINAL_TAIL_CHARS) / 2))}x`;
        bench.shown.dispatch({ type: 'terminalOutput', terminalId: 't', data });
      }
      bench.settle();
      const [ours, theirs] = [bench.shown.state, bench.page?.state].map((state) => state?.terminals['t']);
      assert.ok(ours && theirs);
      // Not deepEqual: its diff would be unreadable.
      assert.ok(ours.output === theirs.output && ours.dropped === theirs.dropped, `after ${frame.join(', ')}`);
    }
    assert.equal(bench.shown.state.terminals['t']?.truncated, true);
  });

  it('posts nothing while hidden, and sends a snapshot when shown again', () => {
    const bench = new Bench();
    bench.load();
    bench.settle();
    bench.hide();
    const before = bench.posted.length;
    bench.shown.dispatch(text('unseen'));
    assert.equal(bench.timers, 0, 'no frame is waited for');
    bench.environmentChanged.fire();
    assert.equal(bench.posted.length, before);
    bench.load();
    assert.equal(bench.posted.length, before + 1);
    assert.deepEqual(bench.posted.at(-1), { type: 'snapshot', seq: 1, state: bench.shown.state, environment });
  });

  it('shows another session by a snapshot, and posts nothing more of the first', () => {
    const bench = new Bench();
    bench.load();
    const [first, second] = bench.sessions;
    second.dispatch(text('of the second'));
    bench.switchTo(second);
    first.dispatch(text('of the first'));
    bench.settle();
    assert.deepEqual(bench.page?.state, second.state);
    assert.deepEqual(bench.actions(), []);
  });

  it('delivers side messages after the state they refer to, also to a loading page', () => {
    const bench = new Bench();
    bench.sync.postSideMessage({ type: 'reveal', entry: 0 });
    bench.shown.dispatch(text('a'));
    bench.load();
    assert.deepEqual(
      bench.posted.map(({ type }) => type),
      ['snapshot', 'reveal'],
    );
    bench.shown.dispatch(text('b'));
    bench.sync.postSideMessage({ type: 'focusComposer' });
    bench.settle();
    assert.deepEqual(
      bench.posted.slice(2).map(({ type }) => type),
      ['actions', 'focusComposer'],
    );
  });

  it('keeps the text of a link for the next page if this page closes before receiving it', () => {
    const bench = new Bench();
    bench.sync.postSideMessage({ type: 'focusComposer' });
    bench.sync.postSideMessage({ type: 'fillComposer', session: 'one', text: 'x', remarks: [] });
    bench.hide();
    bench.load();
    assert.deepEqual(
      bench.posted.map(({ type }) => type),
      ['snapshot', 'fillComposer'],
    );
    bench.hide();
    bench.load();
    assert.equal(bench.posted.length, 3, 'once');
  });

  it('keeps insertions for the next page, and all side messages for a page that starts loading', () => {
    const bench = new Bench();
    const compose: HostMessage = { type: 'compose', text: 'x', attachments: [], send: true };
    const insert: HostMessage = { type: 'insertText', text: 'x' };
    for (const told of [ASIDE, compose, insert, { type: 'reveal', entry: 3 } as const])
      bench.sync.postSideMessage(told);
    bench.sync.onPageOpening();
    assert.deepEqual(bench.posted, []);
    bench.load();
    assert.deepEqual(
      bench.posted.map(({ type }) => type),
      ['snapshot', 'focusComposer', 'compose', 'insertText', 'reveal'],
    );
    for (const told of [ASIDE, compose, insert]) bench.sync.postSideMessage(told);
    bench.hide();
    bench.load();
    assert.deepEqual(
      bench.posted.slice(5).map(({ type }) => type),
      ['snapshot', 'compose', 'insertText'],
    );
  });

  it('ends in the state of the host after any events', () => {
    const chunk = fc.constantFrom('', 'a', 'bc', '😀', '\ud83d');
    const action: fc.Arbitrary<Action> = fc.oneof(
      fc.record({
        type: fc.constant('textAppended' as const),
        role: fc.constantFrom('user' as const, 'agent' as const, 'thought' as const),
        text: chunk,
        at: fc.nat(9),
      }),
      fc.record({
        type: fc.constant('textAppended' as const),
        role: fc.constant('agent' as const),
        text: chunk,
        messageId: fc.constantFrom('m1', 'm2'),
        at: fc.nat(9),
      }),
      fc.record({
        type: fc.constant('blockAppended' as const),
        role: fc.constant('agent' as const),
        block: fc.constant({ type: 'raw' as const, value: 1 }),
        at: fc.nat(9),
      }),
      fc.record({ type: fc.constant('promptSent' as const), text: chunk, blocks: fc.constant([]), at: fc.nat(9) }),
      fc.record({ type: fc.constant('turnEnded' as const), stopReason: fc.constant('end_turn'), at: fc.nat(9) }),
      fc.record({
        type: fc.constant('terminalCreated' as const),
        terminalId: fc.constantFrom('t', 'u'),
        command: fc.constant('ls'),
        at: fc.nat(9),
      }),
      fc.record({
        type: fc.constant('terminalOutput' as const),
        terminalId: fc.constantFrom('t', 'u'),
        data: fc.oneof(
          chunk,
          fc.nat(4).map((n) => '😀x'.repeat((n * MAX_TERMINAL_TAIL_CHARS) / 4)),
        ),
      }),
    );
    const session = fc.constantFrom(0 as const, 1 as const);
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.tuple(fc.constant('dispatch' as const), session, action) },
      { weight: 4, arbitrary: fc.constantFrom('tick' as const, 'take' as const, 'acknowledge' as const) },
      { weight: 1, arbitrary: fc.constantFrom('hide' as const, 'load' as const, 'gap' as const) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('switch' as const), session) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        const bench = new Bench();
        for (const step of steps) {
          if (step === 'gap') bench.lose();
          else if (typeof step === 'string') bench[step]();
          else if (step[0] === 'dispatch') bench.sessions[step[1]].dispatch(step[2]);
          else bench.switchTo(bench.sessions[step[1]]);
        }
        bench.load();
        bench.settle();
        assert.deepEqual(bench.page?.state, bench.shown.state);
      }),
      { numRuns: 400 },
    );
  });
});

import type * as vscode from 'vscode';
import { systemClock } from '../../base/clock';
import type { Clock } from '../../base/clock';
import type { Disposable } from '../../base/lifecycle';
import { MutableDisposable } from '../../base/lifecycle';
import type { Session } from '../../session/session';
import type { HostMessage } from '../../shared/protocol/chatPageProtocol';
import { mergeActions } from '../../shared/state/mergeActions';
import type { Action } from '../../shared/state/sessionActions';
import { ENTRIES_PER_PAGE } from '../../shared/state/sessionState';
import { LAST_COUNTS, OUTLIVES_PAGE } from '../messages/sideMessages';
import type { SideMessage } from '../messages/sideMessages';
import type { EnvironmentSource } from '../window';

/** Unacknowledged posts before the host waits for the page. */
export const MAX_UNACKNOWLEDGED = 4;

/** Limits of pending actions, and of UTF-16 units in them; beyond that a snapshot is cheaper. */
export const MAX_PENDING = 10_000;
export const MAX_PENDING_TEXT = 4_000_000;

/** Actions in one post: the page applies and draws a post in one task. */
export const MAX_ACTIONS_PER_POST = 40;

/**
 * Above this number of pending actions, a snapshot is cheaper if they are also most of the session: the page draws the end of a
 * snapshot first.
 */
export const MAX_BACKLOG = 400;

/** More new entries than these in an interval are a flood (not a burst of posts): the page would draw each, though nobody can read them. */
export const FLOOD_ENTRIES = 8;

/** Intervals for which a flood waits for more entries. */
export const MAX_FLOOD_INTERVALS = 8;

/** The page draws only the last entries of a post with so many, and the others when it is idle: the post may be longer. */
const MANY_ENTRIES = 4 * ENTRIES_PER_PAGE;

/**
 * Synchronizes a page with a session: actions are numbered, merged, posted at intervals, a limited number each time, and only as fast
 * as the page acknowledges them. A page gets a snapshot on `ready`, on a change of session, and when it fell far behind. It may be destroyed at any time (I2):
 * nothing is posted until the next `ready`. Nothing is posted to a page that is kept while it is hidden, either.
 */
export class StateSync implements Disposable {
  readonly #subscription = new MutableDisposable<Disposable>();
  readonly #timer = new MutableDisposable<Disposable>();
  readonly #environmentChanges: Disposable;
  #source: Session;
  /** Of `#timer`, while it is set. */
  #timerInterval = 0;
  #isAlive = false;
  #isHidden = false;
  #needsSnapshot = true;
  /** The last post was nothing but output. */
  #hasPostedOutput = false;
  readonly #pending = new PendingActions();
  #hasNewEnvironment = false;
  /** Number of the last posted action, and of the last one in `#pending`. */
  #posted = 0;
  #seen = 0;
  /** Number of entries at the last post. */
  #postedEntries = 0;
  /** Intervals for which a flood has waited. */
  #floodIntervals = 0;
  /** Last action number of each unacknowledged post, oldest first. */
  #unacknowledged: number[] = [];
  #sideMessages: SideMessage[] = [];

  /** Undefined while there is none: then no page is alive. */
  webview: Pick<vscode.Webview, 'postMessage'> | undefined;

  constructor(
    source: Session,
    private readonly environment: EnvironmentSource,
    private readonly schedule: PostSchedule = postSchedule(systemClock),
  ) {
    this.#source = source;
    this.#subscribe();
    this.#environmentChanges = environment.onDidChange(() => this.#postEnvironment());
  }

  showSession(source: Session): void {
    if (source === this.#source) return;
    this.#source = source;
    this.#subscribe();
    this.#askForSnapshot();
    // Also to a hidden page: it stores what it shows, which may be a conversation that was deleted.
    if (this.#isAlive && this.#isHidden) this.#postSnapshot();
  }

  /** The page was loaded or has found a gap: it needs a snapshot. */
  ready(): void {
    this.#isAlive = true;
    this.#unacknowledged = [];
    this.#needsSnapshot = true;
    this.#flush();
  }

  /** The page shows everything up to `seq`. */
  ack(seq: number): void {
    this.#unacknowledged = this.#unacknowledged.filter((last) => last > seq);
    if (this.#needsSnapshot || this.#pending.length > 0 || this.#sideMessages.length > 0) this.#scheduleFlush();
  }

  /** A page starts to load. Earlier messages are kept for it: callers may send one before VS Code creates the page. */
  onPageOpening(): void {
    this.#isAlive = false;
    this.#askForSnapshot();
  }

  /** VS Code destroys a hidden page. */
  onPageHidden(): void {
    this.#sideMessages = this.#sideMessages.filter(({ type }) => OUTLIVES_PAGE.has(type));
    this.onPageOpening();
  }

  /** Of a page that VS Code keeps while it is hidden. */
  setVisible(isVisible: boolean): void {
    this.#isHidden = !isVisible;
    if (!isVisible) return;
    if (this.#hasNewEnvironment) this.#postEnvironment();
    this.#scheduleFlush();
  }

  /** Delivers a message after the current state, also to a page that is still loading. */
  postSideMessage(message: SideMessage): void {
    const isAlone = LAST_COUNTS.has(message.type);
    const others = this.#sideMessages.filter(({ type }) => !isAlone || type !== message.type);
    // The draft goes first: other messages may add to it.
    this.#sideMessages = message.type === 'draft' ? [message, ...others] : [...others, message];
    // These two are sent without an act of the user.
    if (message.type !== 'tools' && message.type !== 'race') this.#floodIntervals = MAX_FLOOD_INTERVALS;
    if (this.#isAlive) this.#scheduleFlush();
  }

  dispose(): void {
    this.#isAlive = false;
    this.#subscription.dispose();
    this.#timer.dispose();
    this.#environmentChanges.dispose();
  }

  #postEnvironment(): void {
    this.#hasNewEnvironment = this.#isHidden;
    if (this.#isAlive && !this.#isHidden)
      this.#post({ type: 'environment', environment: this.environment.environment(this.#source) });
  }

  #subscribe(): void {
    this.#subscription.value = this.#source.onDidDispatch(({ action, seq }) => this.#onDidDispatch(action, seq));
  }

  #onDidDispatch(action: Action, seq: number): void {
    // A page that needs a snapshot needs no actions, and earlier actions are in the last snapshot.
    if (this.#needsSnapshot || seq <= this.#seen) return;
    this.#seen = seq;
    if (endsFlood(action)) this.#floodIntervals = MAX_FLOOD_INTERVALS;
    this.#pending.push(action, seq);
    if (this.#pending.text > MAX_PENDING_TEXT || !this.#mergeToFit()) this.#askForSnapshot();
    else this.#scheduleFlush();
  }

  /** Merges a long queue; false when that did not halve it. */
  #mergeToFit(): boolean {
    if (this.#pending.length < MAX_PENDING) return true;
    this.#pending.merge();
    return this.#pending.length < MAX_PENDING / 2;
  }

  #askForSnapshot(): void {
    this.#needsSnapshot = true;
    this.#pending.clear();
    this.#scheduleFlush();
  }

  #scheduleFlush(): void {
    if (!this.#isAlive || this.#isHidden) return;
    const interval = this.#continuesOutput ? OUTPUT_INTERVAL_MS : POST_INTERVAL_MS;
    if (this.#timer.value && this.#timerInterval <= interval) return;
    this.#timerInterval = interval;
    this.#timer.value = this.schedule(() => {
      this.#timer.value = undefined;
      this.#flush();
    }, interval);
  }

  /** The first output of a command is posted like text. */
  get #continuesOutput(): boolean {
    return this.#hasPostedOutput && this.#pending.isOnlyOutput && this.#sideMessages.length === 0;
  }

  #flush(): void {
    if (!this.#isAlive || this.#isHidden || this.#unacknowledged.length >= MAX_UNACKNOWLEDGED) return;
    if (this.#shouldWait()) {
      this.#scheduleFlush();
      return;
    }
    if (!this.#needsSnapshot) this.#pending.merge();
    if (this.#needsSnapshot || this.#isMostOfSession) this.#postSnapshot();
    else if (this.#pending.length > 0) this.#postActions();
    if (this.#pending.length > 0) {
      this.#scheduleFlush();
      return;
    }
    for (const message of this.#sideMessages.splice(0)) this.#post(message);
  }

  #shouldWait(): boolean {
    if (this.#needsSnapshot || this.#newEntries <= FLOOD_ENTRIES) return false;
    return this.#floodIntervals++ < MAX_FLOOD_INTERVALS;
  }

  get #newEntries(): number {
    return this.#source.state.entries.count - this.#postedEntries;
  }

  get #isMostOfSession(): boolean {
    const { length } = this.#pending;
    return length > MAX_BACKLOG && length > this.#source.state.entries.count / 2;
  }

  #postSnapshot(): void {
    const { state, seq } = this.#source;
    this.#needsSnapshot = false;
    this.#hasPostedOutput = false;
    this.#pending.clear();
    this.#seen = seq;
    this.#recordPosted(seq);
    this.#post({ type: 'snapshot', seq, state, environment: this.environment.environment(this.#source) });
  }

  #postActions(): void {
    const first = this.#posted + 1;
    // Limited also for a page that draws all of them: its user has scrolled up.
    const limit = this.#newEntries < MANY_ENTRIES ? MAX_ACTIONS_PER_POST : MAX_BACKLOG;
    const { actions, last } = this.#pending.take(limit);
    this.#hasPostedOutput = actions.every(isOutput);
    this.#recordPosted(last);
    this.#post({ type: 'actions', seq: first, last, actions });
  }

  /** State is posted as JSON: VS Code copies a message four times on its way, and copying objects takes longer than parsing a text once. */
  #post(message: HostMessage): void {
    const isState = message.type === 'snapshot' || message.type === 'actions';
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a webview's postMessage has none
    void this.webview?.postMessage(isState ? JSON.stringify(message) : message);
  }

  #recordPosted(last: number): void {
    this.#posted = last;
    this.#unacknowledged.push(last);
    // What is left is posted after the next interval.
    if (this.#pending.length > 0) return;
    this.#postedEntries = this.#source.state.entries.count;
    this.#floodIntervals = 0;
  }
}

const ENDS_FLOOD: ReadonlySet<Action['type']> = new Set([
  'elicitationAnswered',
  'elicitationAsked',
  'messageQueued',
  'permissionAnswered',
  'promptSent',
  'replayEnded',
  'stopRequested',
  'turnEnded',
]);

/** Whether the user waits for an action: a flood of new entries must not hold it back. */
function endsFlood(action: Action): boolean {
  return ENDS_FLOOD.has(action.type) || (action.type === 'permissionAsked' && !action.outcome);
}

/** Minimum milliseconds between two posts: the page does not draw streaming text more often. */
export const POST_INTERVAL_MS = 40;
/** Minimum milliseconds between two posts that only continue the output of commands. */
export const OUTPUT_INTERVAL_MS = 100;

/** Calls back once, at least `interval` milliseconds after the previous callback, unless disposed. */
export type PostSchedule = (callback: () => void, interval: number) => Disposable;

/** Schedules the posts of one page. The first post after a pause is sent immediately; the posts of a burst are spaced out. */
export function postSchedule(clock: Clock): PostSchedule {
  let postedAt = -Infinity;
  return (callback, interval) => {
    const rest = postedAt + interval - clock.now();
    // A clock that was set back must not stop the posts.
    return clock.after(Math.min(interval, Math.max(0, rest)), () => {
      postedAt = clock.now();
      callback();
    });
  };
}

/** Numbered actions that wait to be posted, in order. */
class PendingActions {
  #actions: Action[] = [];
  /** The number of each pending action; for merged actions, that of the last one. */
  #numbers: number[] = [];
  #text = 0;
  #isOnlyOutput = false;

  get length(): number {
    return this.#actions.length;
  }

  /** UTF-16 units of text and output. */
  get text(): number {
    return this.#text;
  }

  /** There is output of commands, and nothing else. */
  get isOnlyOutput(): boolean {
    return this.#isOnlyOutput;
  }

  push(action: Action, number: number): void {
    this.#isOnlyOutput = (this.#isOnlyOutput || this.#actions.length === 0) && isOutput(action);
    this.#actions.push(action);
    this.#numbers.push(number);
    this.#text += textLength(action);
  }

  merge(): void {
    const ends: number[] = [];
    const merged = mergeActions(this.#actions, ends);
    this.#numbers = ends.map((end) => this.#numbers[end] ?? 0);
    this.#actions = merged;
  }

  /**
   * Removes at most `max` actions from the start; call it only with pending actions.
   * @returns with the number of the last action
   */
  take(max: number): { readonly actions: readonly Action[]; readonly last: number } {
    const actions = this.#actions.splice(0, max);
    const last = this.#numbers.splice(0, max).at(-1) ?? 0;
    for (const action of actions) this.#text -= textLength(action);
    this.#isOnlyOutput = this.#actions.length > 0 && this.#actions.every(isOutput);
    return { actions, last };
  }

  clear(): void {
    this.#actions = [];
    this.#numbers = [];
    this.#text = 0;
    this.#isOnlyOutput = false;
  }
}

/** Whether an action only appends output of a command, which is read less closely than text. */
function isOutput(action: Action): boolean {
  if (action.type === 'subagentActed') return isOutput(action.action);
  return action.type === 'terminalOutput' || action.type === 'toolOutputAppended';
}

function textLength(action: Action): number {
  if (action.type === 'subagentActed') return textLength(action.action);
  if (action.type === 'textAppended' || action.type === 'toolOutputAppended') return action.text.length;
  return action.type === 'terminalOutput' ? action.data.length : 0;
}

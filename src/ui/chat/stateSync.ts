import type { Event } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { MutableDisposable } from '../../base/lifecycle';
import type { Action } from '../../shared/state/sessionActions';
import { mergeActions } from '../../shared/state/mergeActions';
import type { HostMessage, PageEnvironment } from '../../shared/protocol/chatPageProtocol';
import type { SessionState } from '../../shared/state/sessionState';

/** What the page is kept in step with. */
export interface SyncedSession {
  readonly state: SessionState;
  /** Number of the last action in `state`. */
  readonly seq: number;
  readonly onDidDispatch: Event<{ readonly action: Action; readonly seq: number }>;
}

export interface SyncOptions {
  post(message: HostMessage): void;
  surroundings(): PageEnvironment;
  /** Calls back once, about a frame later, unless disposed before. */
  schedule(callback: () => void): Disposable;
}

/** Posts the page has not acknowledged before the host waits for it. */
export const MAX_UNACKNOWLEDGED = 4;

/** Actions kept for a page that is slow to take them, and UTF-16 units of text in them; beyond that one snapshot is less work. */
export const MAX_PENDING = 10_000;
export const MAX_PENDING_TEXT = 4_000_000;

/** A message that does not belong to the state: it is delivered after the state it is about. */
export type SideMessage = Exclude<HostMessage, { type: 'snapshot' | 'actions' | 'surroundings' }>;

/** Of these only the last one counts. */
const LAST_COUNTS: ReadonlySet<SideMessage['type']> = new Set([
  'focusComposer',
  'fillComposer',
  'reveal',
  'playSound',
  'showTools',
  'tools',
  'mentions',
  'draft',
]);
/** What would be written, attached or sent, or was: the user would look for it in vain. */
const OUTLIVES_PAGE: ReadonlySet<SideMessage['type']> = new Set([
  'fillComposer',
  'insertText',
  'compose',
  'attach',
  'sendRefused',
  'resendEnded',
]);

/**
 * Keeps a page in step with a session: actions go out numbered, merged, about one post per frame, and only as fast as the page
 * acknowledges them. The page is sent a snapshot when it says `ready`, when another session is shown and when it fell
 * far behind. It may be destroyed at any moment (I2): nothing is posted until it says `ready` again.
 */
export class StateSync implements Disposable {
  readonly #options: SyncOptions;
  readonly #subscription = new MutableDisposable<Disposable>();
  readonly #timer = new MutableDisposable<Disposable>();
  #source: SyncedSession;
  #alive = false;
  #needsSnapshot = true;
  #pending: Action[] = [];
  #pendingText = 0;
  /** Number of the last action the page was sent, and of the last one in `#pending`. */
  #posted = 0;
  #seen = 0;
  /** Last action number of each post that is not acknowledged, oldest first. */
  #unacknowledged: number[] = [];
  #asides: SideMessage[] = [];

  constructor(source: SyncedSession, options: SyncOptions) {
    this.#options = options;
    this.#source = source;
    this.#subscribe();
  }

  /** Shows another session. */
  attach(source: SyncedSession): void {
    if (source === this.#source) return;
    this.#source = source;
    this.#subscribe();
    this.#askForSnapshot();
  }

  /** The page is loaded, or noticed a gap: it knows nothing, or nothing it can go on with. */
  ready(): void {
    this.#alive = true;
    this.#unacknowledged = [];
    this.#needsSnapshot = true;
    this.#flush();
  }

  /** The page shows everything up to `seq`. */
  ack(seq: number): void {
    this.#unacknowledged = this.#unacknowledged.filter((last) => last > seq);
    if (this.#needsSnapshot || this.#pending.length > 0 || this.#asides.length > 0) this.#scheduleFlush();
  }

  /** A page begins to load. What was told before is for it: whoever shows a view may tell it something before VS Code makes its page. */
  opening(): void {
    this.#alive = false;
    this.#askForSnapshot();
  }

  /** The page is hidden: VS Code destroys it. */
  hidden(): void {
    this.#asides = this.#asides.filter(({ type }) => OUTLIVES_PAGE.has(type));
    this.opening();
  }

  /** Agents, trust or the like changed. */
  surroundingsChanged(): void {
    if (this.#alive) this.#options.post({ type: 'surroundings', surroundings: this.#options.surroundings() });
  }

  /** Delivers a message after the state as it is now; also to a page that is only just loading. */
  tell(aside: SideMessage): void {
    const isAlone = LAST_COUNTS.has(aside.type);
    const others = this.#asides.filter(({ type }) => !isAlone || type !== aside.type);
    // What else is told may add to what is being written: that has to be there first.
    this.#asides = aside.type === 'draft' ? [aside, ...others] : [...others, aside];
    if (this.#alive) this.#scheduleFlush();
  }

  dispose(): void {
    this.#alive = false;
    this.#subscription.dispose();
    this.#timer.dispose();
  }

  #subscribe(): void {
    this.#subscription.value = this.#source.onDidDispatch(({ action, seq }) => this.#dispatched(action, seq));
  }

  #dispatched(action: Action, seq: number): void {
    // Whoever gets a snapshot anyway needs no actions (a hidden page costs nothing), and what was in the last one is known.
    if (this.#needsSnapshot || seq <= this.#seen) return;
    this.#seen = seq;
    this.#pending.push(action);
    this.#pendingText += textLength(action);
    if (this.#pendingText > MAX_PENDING_TEXT || !this.#fits()) this.#askForSnapshot();
    else this.#scheduleFlush();
  }

  /** Merges what waits when it has become much; false when that did not halve it. */
  #fits(): boolean {
    if (this.#pending.length < MAX_PENDING) return true;
    this.#pending = mergeActions(this.#pending);
    return this.#pending.length < MAX_PENDING / 2;
  }

  #askForSnapshot(): void {
    this.#needsSnapshot = true;
    this.#takePending();
    this.#scheduleFlush();
  }

  #scheduleFlush(): void {
    if (!this.#alive || this.#timer.value) return;
    this.#timer.value = this.#options.schedule(() => {
      this.#timer.value = undefined;
      this.#flush();
    });
  }

  #flush(): void {
    if (!this.#alive || this.#unacknowledged.length >= MAX_UNACKNOWLEDGED) return;
    if (this.#needsSnapshot) this.#postSnapshot();
    else if (this.#pending.length > 0) this.#postActions();
    for (const aside of this.#asides.splice(0)) this.#options.post(aside);
  }

  #postSnapshot(): void {
    const { state, seq } = this.#source;
    this.#needsSnapshot = false;
    this.#takePending();
    this.#seen = seq;
    this.#sent(seq);
    this.#options.post({ type: 'snapshot', seq, state, surroundings: this.#options.surroundings() });
  }

  #postActions(): void {
    const first = this.#posted + 1;
    const last = this.#seen;
    const actions = mergeActions(this.#takePending());
    this.#sent(last);
    this.#options.post({ type: 'actions', seq: first, last, actions });
  }

  #takePending(): readonly Action[] {
    this.#pendingText = 0;
    return this.#pending.splice(0);
  }

  #sent(last: number): void {
    this.#posted = last;
    this.#unacknowledged.push(last);
  }
}

function textLength(action: Action): number {
  if (action.type === 'textAppended') return action.text.length;
  return action.type === 'terminalOutput' ? action.data.length : 0;
}

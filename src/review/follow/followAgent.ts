import type { Clock } from '../../base/clock';
import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, MutableDisposable } from '../../base/lifecycle';
import type { Session } from '../../session/session';
import type { FileAccess } from '../../session/sessionHandle';
import type { Sessions } from '../../session/sessions';
import type { FollowStatus } from '../../shared/protocol/chatPageProtocol';
import type { ToolKind } from '../../shared/state/contentBlocks';
import { entryAt } from '../../shared/state/entryPages';
import type { Action } from '../../shared/state/sessionActions';
import type { FollowLocation } from './followLocation';
import { followLocation } from './followLocation';

/** Minimum milliseconds between two locations. */
const REVEAL_INTERVAL_MS = 500;
/** As a multiple of the time that VS Code took for the last one: opening an editor stalls the keys of the whole window. */
const REVEAL_COST = 5;
/** Milliseconds for which the agent must stay in a file of a burst before it is opened: faster edits go by unseen anyway. */
const BURST_PAUSE_MS = 500;
/** Milliseconds after a key during which no editor is opened. */
const TYPING_PAUSE_MS = 1000;
/** Milliseconds for which the agent must stay with a location that it reads, before the editor shows it: faster reads would flicker. */
const READ_DELAY_MS = 800;

export interface FollowEditor extends Disposable {
  /** Shows a location without focusing it. False when it cannot or must not be shown. */
  reveal(location: FollowLocation, session: Session): Promise<boolean>;
  /** Whether a document is in an editor only because it was shown here: the user has not touched it. */
  isOnlyPreviewed(uri: string): boolean;
  /** Removes the decoration; the editor stays. */
  clear(): void;
  /** Fires when the user moves the cursor, scrolls or switches editors in the followed group. */
  readonly onDidTakeOver: Event<void>;
}

/** The setting `parley.follow`. */
interface FollowSetting {
  isEnabled(): boolean;
  setEnabled(isEnabled: boolean): Promise<void>;
  readonly onDidChange: Event<void>;
}

/**
 * Shows where the active session's agent works, during a turn: an edit at once, of a burst of edits the last one, a read when the agent stays
 * with it; not while the user types. A user action in that editor pauses it until the toggle is used.
 */
export class Follow implements Disposable {
  readonly #store = new DisposableStore();
  readonly #session = this.#store.add(new MutableDisposable<Disposable>());
  /** Until the next location may be shown, or until the decoration of an ended turn is removed. */
  readonly #timer = this.#store.add(new MutableDisposable<Disposable>());
  /** A location that the agent has read and not left yet. */
  readonly #read = this.#store.add(new MutableDisposable<Disposable>());
  readonly #onDidChange = this.#store.add(new Emitter<FollowStatus>());
  #isPaused = false;
  #status: FollowStatus;
  /** The last location, also while paused: resuming goes there. */
  #latest: FollowLocation | undefined;
  #shown: FollowLocation | undefined;
  #isWaiting = false;
  #isRevealing = false;
  /** Whether the last location came shortly after the one before. */
  #isBurst = false;
  /** Times of the monotonic clock: of the last location and key, and from when on the next location may be shown. */
  #movedAt = -Infinity;
  #typedAt = -Infinity;
  #readyAt = -Infinity;

  readonly onDidChange: Event<FollowStatus> = this.#onDidChange.event;

  /** @param onDidType fires at keys in any editor */
  constructor(
    private readonly sessions: Sessions,
    private readonly editor: FollowEditor,
    private readonly setting: FollowSetting,
    onDidType: Event<void>,
    private readonly clock: Clock,
  ) {
    this.#status = this.#currentStatus();
    this.#store.add(editor);
    this.#store.add(editor.onDidTakeOver(() => this.#pause()));
    this.#store.add(onDidType(() => this.noteTyping()));
    this.#store.add(setting.onDidChange(() => this.#refresh()));
    this.#store.add(sessions.onDidChangeActive(() => this.#attach()));
    this.#attach();
  }

  get status(): FollowStatus {
    return this.#status;
  }

  /** Whether a document is in an editor only because the agent worked there: the user has not touched it. */
  isOnlyPreviewed(uri: string): boolean {
    return this.editor.isOnlyPreviewed(uri);
  }

  /** Turns following off, or on from the agent's last location. */
  async toggle(): Promise<void> {
    const wasFollowing = this.#status === 'following';
    this.#isBurst = false;
    this.#isPaused = false;
    if (this.setting.isEnabled() === wasFollowing) await this.setting.setEnabled(!wasFollowing);
    this.#refresh();
    if (!wasFollowing && this.#isRunning) this.#showLatest();
  }

  /** The user has pressed a key: opens no editor until they pause. */
  noteTyping(): void {
    this.#typedAt = this.clock.elapsed();
  }

  /** Handles a file access of the agent through the editor. */
  recordFileAccess({ sessionId, path, line, kind }: FileAccess): void {
    if (sessionId !== this.sessions.active.id) return;
    this.#schedule({ path, ...(line !== undefined && { line }) }, kind === 'read');
  }

  dispose(): void {
    this.#store.dispose();
  }

  get #isRunning(): boolean {
    return this.sessions.active.state.turn.status === 'running';
  }

  #attach(): void {
    this.#reset();
    this.#session.value = this.sessions.active.onDidDispatch(({ action }) => this.#handleAction(action));
  }

  /** Ignores actions of child sessions, which would distract from the agent itself. */
  #handleAction(action: Action): void {
    if (action.type === 'turnEnded') {
      this.#read.value = undefined;
      // The last reported location is still shown, and soon: later it would cover what the user opens then.
      this.#readyAt = -Infinity;
      if (this.#isWaiting) this.#showLatest();
      else this.#reset();
      return;
    }
    if (action.type !== 'toolStarted' && action.type !== 'toolChanged') return;
    const location = followLocation(action.patch);
    if (location) this.#schedule(location, READING.has(this.#kindOf(action)));
  }

  #kindOf(action: Extract<Action, { type: 'toolStarted' | 'toolChanged' }>): ToolKind {
    if (action.patch.tool !== undefined || action.type === 'toolStarted') return action.patch.tool ?? 'other';
    const entry = entryAt(this.sessions.active.state.entries, action.entry);
    return entry?.kind === 'tool' ? entry.tool : 'other';
  }

  #schedule(location: FollowLocation, isRead: boolean): void {
    // Ignores the history replay of a resumed session.
    if (!this.#isRunning) return;
    this.#read.value = isRead ? this.clock.after(READ_DELAY_MS, () => this.#goTo(location)) : undefined;
    if (!isRead) this.#goTo(location);
  }

  #goTo(location: FollowLocation): void {
    const now = this.clock.elapsed();
    this.#isBurst = now - this.#movedAt < BURST_PAUSE_MS;
    this.#movedAt = now;
    this.#latest = location;
    this.#showLatest();
  }

  #showLatest(): void {
    const location = this.#latest;
    if (this.#status !== 'following' || !location) return;
    this.#isWaiting = !isSameLocation(location, this.#shown);
    if (this.#isRevealing || !this.#isWaiting) return;
    const delay = this.#mayShowAt(location) - this.clock.elapsed();
    if (delay <= 0) void this.#show(location);
    else this.#timer.value = this.clock.after(delay, () => this.#endDelay());
  }

  /** Time of the monotonic clock. */
  #mayShowAt({ path }: FollowLocation): number {
    if (path === this.#shown?.path) return this.#readyAt;
    const burstEnd = this.#isBurst ? this.#movedAt + BURST_PAUSE_MS : -Infinity;
    return Math.max(this.#readyAt, burstEnd, this.#typedAt + TYPING_PAUSE_MS);
  }

  async #show(location: FollowLocation): Promise<void> {
    this.#isWaiting = false;
    this.#isRevealing = true;
    const session = this.sessions.active;
    const start = this.clock.elapsed();
    const isShown = await this.editor.reveal(location, session);
    this.#isRevealing = false;
    if (session !== this.sessions.active || this.#status !== 'following') this.editor.clear();
    else if (isShown) this.#shown = location;
    const end = this.clock.elapsed();
    this.#readyAt = end + (this.#isRunning ? Math.max(REVEAL_INTERVAL_MS, REVEAL_COST * (end - start)) : 0);
    this.#timer.value = this.clock.after(REVEAL_INTERVAL_MS, () => this.#endDelay());
  }

  #endDelay(): void {
    if (this.#isWaiting) this.#showLatest();
    if (!this.#isWaiting && !this.#isRevealing && !this.#isRunning) this.#reset();
  }

  #pause(): void {
    if (this.#status !== 'following') return;
    if (!this.#isRunning) {
      // A location of the ended turn that still waits must not cover what the user opened since.
      this.#reset();
      return;
    }
    this.#isPaused = true;
    this.#refresh();
  }

  #reset(): void {
    this.#read.value = undefined;
    this.#latest = undefined;
    this.#shown = undefined;
    this.#isWaiting = false;
    this.editor.clear();
  }

  #refresh(): void {
    const status = this.#currentStatus();
    if (status === this.#status) return;
    this.#status = status;
    if (status !== 'following') {
      this.#isWaiting = false;
      this.#shown = undefined;
      this.editor.clear();
    }
    this.#onDidChange.fire(status);
  }

  #currentStatus(): FollowStatus {
    if (!this.setting.isEnabled()) return 'off';
    return this.#isPaused ? 'paused' : 'following';
  }
}

const READING: ReadonlySet<ToolKind> = new Set<ToolKind>(['read', 'search']);

function isSameLocation(a: FollowLocation, b: FollowLocation | undefined): boolean {
  return a.path === b?.path && a.line === b.line;
}

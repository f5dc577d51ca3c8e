import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock';
import { errorMessage } from '../base/errors';
import { Emitter } from '../base/event';
import type { Event } from '../base/event';
import { omitUndefined } from '../base/json';
import { DisposableStore, MutableDisposable } from '../base/lifecycle';
import type { Disposable } from '../base/lifecycle';
import { SessionLocks, SessionLockedError } from '../history/sessionLocks';
import { SessionStore } from '../history/sessionStore';
import { lastPromptAfter, summaryOf } from '../history/sessionSummary';
import type { TranscriptContent } from '../history/transcriptFile';
import type { Action } from '../shared/state/sessionActions';
import { initialSession } from './lastViewedSession';
import type { LiveSession } from './liveSession';
import { LiveSessions } from './liveSessions';
import type { Sessions } from './sessions';
import type { SessionsOptions } from './sessionsOptions';
import type { TakenOverSession } from './sessionTakeover';
import { SessionVisibility } from './sessionVisibility';

/** Sessions in memory; beyond it the idle one that was shown longest ago is closed. It can be opened again. */
const MAX_OPEN = 12;

export class WindowSessions implements Sessions, Disposable {
  readonly #options: SessionsOptions;
  readonly #onDidChangeActive = new Emitter<LiveSession>();
  readonly #onDidChangeInView = new Emitter<LiveSession>();
  readonly #onDidAsk = new Emitter<{ session: LiveSession; entry: number }>();
  readonly #onDidChange = new Emitter<LiveSession>();
  readonly #onDidHide = new Emitter<LiveSession>();
  readonly #onDidLoseSession = new Emitter<TakenOverSession>();
  readonly #visibility = new SessionVisibility<LiveSession>(
    (session) => session === this.#viewSession || session.warmStart.release(),
    (session) => this.#onDidHide.fire(session),
  );
  #active: LiveSession;
  #viewSession: LiveSession;
  #isViewVisible = true;
  readonly #viewRelease = new MutableDisposable<Disposable>();
  readonly #summaries: SummaryUpdater;
  #isClosing = false;

  readonly store: SessionStore;
  readonly open: LiveSessions;
  readonly onDidChangeActive: Event<LiveSession> = this.#onDidChangeActive.event;
  readonly onDidChangeInView: Event<LiveSession> = this.#onDidChangeInView.event;
  readonly onDidAsk: Event<{ session: LiveSession; entry: number }> = this.#onDidAsk.event;
  readonly onDidChange: Event<LiveSession> = this.#onDidChange.event;
  readonly onDidHide: Event<LiveSession> = this.#onDidHide.event;
  readonly onDidClose: Event<string>;
  readonly onDidLoseSession: Event<TakenOverSession> = this.#onDidLoseSession.event;

  private constructor(options: SessionsOptions, store: SessionStore, first: TranscriptContent | string | undefined) {
    this.#options = options;
    const { clock } = options;
    this.store = store;
    this.open = new LiveSessions(options, store, (session) => this.#subscribe(session));
    this.onDidClose = this.open.onDidClose;
    this.open.locks.onDidRequestRelease((id) => void this.#releaseTaken(id));
    this.open.locks.onDidLose((id) => void this.#releaseTaken(id));
    this.#summaries = new SummaryUpdater(store, clock, this.#visibility, this.open.locks);
    this.#viewSession = this.#createFirst(first);
    this.#active = this.#viewSession;
    this.setViewVisible(true);
  }

  /** Opens the session that the chat view showed before the reload, else the last used one. */
  static async open(options: SessionsOptions): Promise<WindowSessions> {
    const store = await SessionStore.open(options.folder, options.log, options.onSaveError);
    const others = new SessionLocks(options.folder, options.isShared === true);
    const isFree = (id: string): boolean => !others.isInOtherWindow(id);
    return new WindowSessions(options, store, await initialSession(store, options.inView, isFree));
  }

  /** Opens sessions with a scheduled retry. The window that opens one first sends it. */
  async openRetries(): Promise<void> {
    const ids = this.store.list().flatMap(({ id, retryAt }) => (retryAt === undefined || this.getOpen(id) ? [] : [id]));
    const opened = await Promise.allSettled(ids.map((id) => this.open.load(id)));
    for (const one of opened) {
      if (one.status === 'rejected' && !(one.reason instanceof SessionLockedError))
        this.#options.log.warn('session', `Failed to open a session with a retry: ${errorMessage(one.reason)}`);
    }
  }

  get active(): LiveSession {
    return this.#active;
  }

  get viewSession(): LiveSession {
    return this.#viewSession;
  }

  allOpen(): readonly LiveSession[] {
    return this.open.all();
  }

  getOpen(id: string): LiveSession | undefined {
    return this.open.get(id);
  }

  isUnread(id: string): boolean {
    return this.store.get(id)?.unread === true;
  }

  async takeOver(id: string): Promise<Disposable> {
    const { takeOver } = await import('./sessionTakeover');
    return takeOver(this.open.locks, id);
  }

  async refresh(): Promise<void> {
    if (this.#options.isShared || this.store.problem !== undefined)
      await this.store.rescan((id) => this.getOpen(id) !== undefined);
  }

  newChat(agentName?: string): LiveSession {
    const session = this.#findEmpty() ?? this.open.create(randomUUID());
    session.setFolder(undefined);
    session.dropPreset();
    session.followSettings(this.#options.initialAgent());
    this.activate(session);
    if (agentName !== undefined) void session.chooseAgent(agentName);
    return session;
  }

  /** The settings may have come after a chat was opened, as in a remote window. */
  followSettings(): void {
    for (const session of this.allOpen()) session.followSettings(this.#options.initialAgent());
  }

  newSession(): LiveSession {
    const blank = this.#findEmpty();
    const session = blank && blank !== this.#viewSession ? blank : this.open.create(randomUUID());
    session.dropPreset();
    return session;
  }

  activate(session: LiveSession): void {
    const before = this.#viewSession;
    this.#viewSession = session;
    if (before !== session) {
      if (!this.#visibility.isRetained(before)) before.warmStart.release();
      this.setViewVisible(this.#isViewVisible);
      this.#onDidChangeInView.fire(session);
    }
    this.setActive(session);
  }

  setActive(session: LiveSession): void {
    this.#markRead(session);
    if (this.#active === session) return;
    this.#active = session;
    this.open.touch(session);
    this.#onDidChangeActive.fire(session);
    this.#closeIdle();
  }

  retain(session: LiveSession): Disposable {
    return this.#visibility.retain(session);
  }

  markVisible(session: LiveSession): Disposable {
    this.#markRead(session);
    return this.#visibility.markVisible(session);
  }

  /** Assumed visible until the first call. */
  setViewVisible(isVisible: boolean): void {
    this.#isViewVisible = isVisible;
    this.#viewRelease.value = isVisible ? this.markVisible(this.#viewSession) : undefined;
  }

  /** Closes a session but keeps its transcript. If it was active, another one becomes active. Settles when everything is written. */
  close(session: LiveSession): Promise<void> {
    return this.open.close(session, () => {
      if (this.#viewSession === session) this.activate(this.#nextForView());
      else if (this.#active === session) this.setActive(this.#viewSession);
    });
  }

  /** The window is about to close: see `LiveSession.interrupt`. */
  interrupt(): void {
    this.#isClosing = true;
    for (const session of this.allOpen()) session.interrupt();
  }

  /** Called at the end of the window. */
  async flush(): Promise<void> {
    await Promise.allSettled([...this.allOpen().map((session) => session.history.flush()), this.store.flush()]);
    // A reloading window opens again while this one still ends its agents.
    if (this.#isClosing) this.open.locks.dispose();
  }

  dispose(): void {
    this.open.dispose();
    const emitters = [
      this.#onDidChangeActive,
      this.#onDidChangeInView,
      this.#onDidAsk,
      this.#onDidChange,
      this.#onDidHide,
      this.#onDidLoseSession,
    ];
    for (const emitter of [...emitters, this.store]) emitter.dispose();
  }

  #createFirst(first: TranscriptContent | string | undefined): LiveSession {
    try {
      if (typeof first === 'string') return this.open.create(first, this.#options.inView?.preset);
      return first ? this.open.restore(first) : this.open.create(randomUUID());
    } catch (error) {
      // Another window was faster.
      if (!(error instanceof SessionLockedError)) throw error;
      return this.open.create(randomUUID());
    }
  }

  /** Releases a session that another window has taken. */
  async #releaseTaken(id: string): Promise<void> {
    try {
      const { releaseSession } = await import('./sessionTakeover');
      const session = this.getOpen(id);
      if (!session) return;
      const taken = await releaseSession(session, this.store, (closing) => this.close(closing));
      if (taken.copy !== undefined) await this.refresh();
      if (taken.failure !== undefined)
        this.#options.log.error('session', `Failed to store later updates of session ${id}: ${taken.failure}`);
      this.#onDidLoseSession.fire(taken);
    } catch (error) {
      this.#options.log.error('session', `Failed to release session ${id} completely: ${errorMessage(error)}`, error);
    }
  }

  #subscribe(session: LiveSession): Disposable {
    const store = new DisposableStore();
    store.add(session.onDidDispatch(({ action }) => this.#onDidDispatch(session, action)));
    store.add(session.onDidAsk((entry) => this.#onDidAsk.fire({ session, entry })));
    return store;
  }

  #onDidDispatch(session: LiveSession, action: Action): void {
    this.#summaries.apply(session, action);
    this.#onDidChange.fire(session);
  }

  #markRead(session: LiveSession): void {
    if (this.#summaries.markRead(session)) this.#onDidChange.fire(session);
  }

  /** Skips a session bound to an agent's session: it is empty only until its history is loaded. */
  #findEmpty(): LiveSession | undefined {
    return this.allOpen().find((session) => {
      const { state, binding } = session;
      if (state.entries.count > 0 || this.#visibility.isRetained(session)) return false;
      return !state.agentSession || binding.current?.isFresh === true;
    });
  }

  /** The chat view's next session after a close, not one with its own tab. */
  #nextForView(): LiveSession {
    const free = this.allOpen().filter((session) => !this.#visibility.isRetained(session));
    return free.at(-1) ?? this.open.create(randomUUID());
  }

  #closeIdle(): void {
    const isShown = (session: LiveSession): boolean =>
      session === this.#active || session === this.#viewSession || this.#visibility.isRetained(session);
    const idle = this.allOpen().filter((session) => !isShown(session) && session.canClose);
    const tooMany = this.open.size - MAX_OPEN;
    for (const session of idle.slice(0, Math.max(0, tooMany))) void this.close(session);
  }
}

/** Actions that change a session's summary. */
const LISTED: ReadonlySet<Action['type']> = new Set([
  'agentNamed',
  'agentSessionOpened',
  'folderChosen',
  'branchRenamed',
  'agentSessionDated',
  'titleChanged',
  'sessionRenamed',
  'promptSent',
  'turnEnded',
  'replayEnded',
  'retryScheduled',
  'retryEnded',
]);
/** The actions among these that make a session unread. */
const UNREAD: ReadonlySet<Action['type']> = new Set(['promptSent', 'turnEnded']);

/** Keeps the summaries of open sessions in the store up to date. */
class SummaryUpdater {
  constructor(
    private readonly store: SessionStore,
    private readonly clock: Clock,
    private readonly visibility: SessionVisibility<LiveSession>,
    private readonly locks: SessionLocks,
  ) {}

  apply(session: LiveSession, action: Action): void {
    const { type } = action;
    // Another window may have taken the session.
    if (!session.hasTranscript || !LISTED.has(type) || !this.locks.canWrite(session.id)) return;
    const before = this.store.get(session.id);
    const isNew = UNREAD.has(type);
    const updatedAt = isNew || !before ? this.clock.now() : before.updatedAt;
    const isArchived = (before?.archived ?? false) && !isNew;
    const isUnread = !this.visibility.isVisible(session) && (type === 'turnEnded' || before?.unread === true);
    this.store.saveSummary(
      summaryOf(session.state, {
        updatedAt,
        archived: isArchived,
        unread: isUnread,
        ...omitUndefined({ lastPrompt: lastPromptAfter(before?.lastPrompt, action) }),
      }),
    );
  }

  /** @returns false when it was read already */
  markRead({ id }: LiveSession): boolean {
    const summary = this.store.get(id);
    if (summary?.unread !== true || !this.locks.canWrite(id)) return false;
    this.store.saveSummary({ ...summary, unread: false });
    return true;
  }
}

import type { Clock } from '../base/clock';
import { Emitter } from '../base/event';
import type { Event } from '../base/event';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import { createSession } from './createSession';
import { SessionLocks } from '../history/sessionLocks';
import type { Session } from './session';
import type { SessionsOptions } from './sessionsOptions';
import type { SessionAvailability, SessionStore } from '../history/sessionStore';
import type { Transcript } from '../history/transcriptFile';

export interface OpenSessionsOptions {
  readonly of: SessionsOptions;
  readonly shelf: SessionStore;
  readonly clock: Clock;
  /** Listens to a session that was opened, for as long as it is open. */
  readonly follow: (session: Session) => Disposable;
}

/** What belongs to an open session. */
interface Opened {
  readonly store: DisposableStore;
  readonly claim: Disposable;
}

/** The sessions in memory: how they come in from disk and go out again, each once, and in one window at a time. */
export class OpenSessions implements SessionAvailability, Disposable {
  readonly #options: OpenSessionsOptions;
  /** The one that was used last comes last. */
  readonly #open = new Map<Session, Opened>();
  /** Ids of sessions that are on their way into memory, and out of it. */
  readonly #loading = new Map<string, Promise<Session | undefined>>();
  readonly #closing = new Map<string, Promise<void>>();
  readonly #closed = new Emitter<string>();

  /** Which sessions this window has. */
  readonly claims: SessionLocks;

  /** A session is no longer open here: its id. Its transcript may be. */
  readonly onDidClose: Event<string> = this.#closed.event;

  constructor(options: OpenSessionsOptions) {
    this.#options = options;
    this.claims = new SessionLocks(options.of.folder, options.of.shared === true);
  }

  all(): readonly Session[] {
    return Array.from(this.#open.keys());
  }

  get size(): number {
    return this.#open.size;
  }

  get(id: string): Session | undefined {
    return this.all().find((session) => session.id === id);
  }

  /** See {@link SessionAvailability}; in this window or another. */
  isFree(id: string): boolean {
    return !this.get(id) && !this.#loading.has(id) && !this.#closing.has(id) && !this.isElsewhere(id);
  }

  /** Another window has it open. */
  isElsewhere(id: string): boolean {
    return this.claims.isElsewhere(id);
  }

  reserve(id: string): Disposable | undefined {
    if (!this.isFree(id)) return undefined;
    try {
      return this.claims.take(id);
    } catch {
      // Another window was faster.
      return undefined;
    }
  }

  /** The session was used. */
  touch(session: Session): void {
    const opened = this.#open.get(session);
    if (!opened) return;
    this.#open.delete(session);
    this.#open.set(session, opened);
  }

  /**
   * One without anything in it.
   * @throws OpenElsewhereError
   */
  create(id: string): Session {
    const { of, clock, follow } = this.#options;
    const claim = this.claims.take(id);
    const session = createSession(id, of, clock, () => this.claims.holds(id));
    const store = new DisposableStore();
    store.defer(() => this.#closed.fire(id));
    store.add(session);
    store.add(follow(session));
    this.#open.set(session, { store, claim });
    return session;
  }

  /**
   * One with what was said in it.
   * @throws OpenElsewhereError
   */
  restore(transcript: Transcript): Session {
    const session = this.create(transcript.id);
    session.restore(transcript);
    // The agent may be at work still, and what it wants to know it can only ask where the session is open.
    const { turn } = session.state;
    if (session.isRemote && turn.status === 'idle' && turn.stopReason === 'interrupted') void session.reopen();
    return session;
  }

  /** See `Sessions.load`. */
  async load(id: string): Promise<Session | undefined> {
    const open = this.get(id);
    if (open) return open;
    const loading = this.#loading.get(id) ?? this.#load(id);
    this.#loading.set(id, loading);
    try {
      return await loading;
    } finally {
      if (this.#loading.get(id) === loading) this.#loading.delete(id);
    }
  }

  /**
   * Takes it out of memory; settles when all of it is written.
   * @param leaving called when it is not among the open ones any more, and still lives
   */
  async close(session: Session, leaving: () => void): Promise<void> {
    const opened = this.#open.get(session);
    if (!opened) return this.#closing.get(session.id);
    session.cancelTurn();
    this.#open.delete(session);
    leaving();
    opened.store.dispose();
    // Whoever has it next reads its summary, too.
    const written = session.written().then(() => this.#options.shelf.flush());
    const closing = written.finally(() => {
      opened.claim.dispose();
      this.#closing.delete(session.id);
    });
    this.#closing.set(session.id, closing);
    await closing;
  }

  /** Other windows may have them: the window that is reloaded opens again while this one still ends its agents. */
  letGo(): void {
    this.claims.dispose();
  }

  dispose(): void {
    for (const { store } of this.#open.values()) store.dispose();
    this.#open.clear();
    this.claims.dispose();
    this.#closed.dispose();
  }

  async #load(id: string): Promise<Session | undefined> {
    // Its last lines may be on their way to disk still.
    await this.#closing.get(id);
    const { shelf } = this.#options;
    // Before it is read: another window could write more of it meanwhile.
    const claim = shelf.get(id) ? this.claims.take(id) : undefined;
    try {
      const transcript = await shelf.read(id);
      return this.get(id) ?? (transcript && this.restore(transcript));
    } finally {
      // An open one has its own.
      claim?.dispose();
    }
  }
}

import { errorMessage } from '../base/errors';
import { Emitter } from '../base/event';
import type { Event } from '../base/event';
import type { Disposable } from '../base/lifecycle';
import { DisposableStore } from '../base/lifecycle';
import { SessionLocks } from '../history/sessionLocks';
import type { SessionStore } from '../history/sessionStore';
import type { TranscriptContent } from '../history/transcriptFile';
import { TranscriptWriter } from '../history/transcriptWriter';
import type { SessionOptions } from './liveSession';
import { LiveSession } from './liveSession';
import type { Session } from './session';
import type { OpenSessions } from './sessions';
import type { SessionsOptions } from './sessionsOptions';
import { UnaskedCalls } from './unaskedCalls';

interface Opened {
  readonly store: DisposableStore;
  readonly lock: Disposable;
}

export class LiveSessions implements OpenSessions, Disposable {
  /** Least recently used first. */
  readonly #open = new Map<LiveSession, Opened>();
  /** By session id. */
  readonly #loading = new Map<string, Promise<LiveSession | undefined>>();
  readonly #closing = new Map<string, Promise<void>>();
  readonly #onDidClose = new Emitter<string>();

  readonly locks: SessionLocks;

  readonly onDidClose: Event<string> = this.#onDidClose.event;

  /** @param subscribe subscribes to a session while it is open */
  constructor(
    private readonly options: SessionsOptions,
    private readonly store: SessionStore,
    private readonly subscribe: (session: LiveSession) => Disposable,
  ) {
    this.locks = new SessionLocks(options.folder, options.isShared === true);
  }

  all(): readonly LiveSession[] {
    return Array.from(this.#open.keys());
  }

  get size(): number {
    return this.#open.size;
  }

  get(id: string): LiveSession | undefined {
    return this.all().find((session) => session.id === id);
  }

  /** See {@link SessionAvailability}. False if the session is open in this window or another one. */
  isAvailable(id: string): boolean {
    return !this.get(id) && !this.#loading.has(id) && !this.#closing.has(id) && !this.isElsewhere(id);
  }

  isElsewhere(id: string): boolean {
    return this.locks.isInOtherWindow(id);
  }

  reserve(id: string): Disposable | undefined {
    if (!this.isAvailable(id)) return undefined;
    try {
      return this.locks.acquire(id);
    } catch {
      // Another window was faster.
      return undefined;
    }
  }

  touch(session: LiveSession): void {
    const opened = this.#open.get(session);
    if (!opened) return;
    this.#open.delete(session);
    this.#open.set(session, opened);
  }

  create(id: string, presetName?: string): LiveSession {
    const lock = this.locks.acquire(id);
    const session = createSession(
      id,
      this.options,
      () => this.locks.canWrite(id),
      (agentName, agentSessionId) => this.store.markDeleted(agentName, agentSessionId),
    );
    const preset = this.options.presets?.().find(({ name }) => name === presetName);
    if (preset) session.restorePreset(preset);
    const store = new DisposableStore();
    store.defer(() => this.#onDidClose.fire(id));
    store.add(session);
    store.add(this.subscribe(session));
    store.add(new UnaskedCalls(session, this.options.policy));
    this.#open.set(session, { store, lock });
    return session;
  }

  /** @throws SessionLockedError */
  restore(transcript: TranscriptContent): LiveSession {
    const session = this.create(transcript.id);
    session.restore(transcript);
    // The agent may still be working and needs an open session for its requests.
    const { turn } = session.state;
    if (session.isRemote && turn.status === 'idle' && turn.stopReason === 'interrupted') void session.reopen();
    return session;
  }

  async load(id: string): Promise<LiveSession | undefined> {
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
   * Closes a session; settles when everything is written.
   * @param beforeClose called after it left the open sessions, before it is disposed
   */
  async close(session: LiveSession, beforeClose: () => void): Promise<void> {
    const opened = this.#open.get(session);
    if (!opened) return this.#closing.get(session.id);
    session.cancelTurn();
    this.#open.delete(session);
    beforeClose();
    opened.store.dispose();
    // The next window also reads its summary.
    const written = session.history.close().then(() => this.store.flush());
    const closing = written.finally(() => {
      opened.lock.dispose();
      this.#closing.delete(session.id);
    });
    this.#closing.set(session.id, closing);
    await closing;
  }

  /** Releases all locks: a reloading window opens again while this one still ends its agents. */
  dispose(): void {
    for (const { store } of this.#open.values()) store.dispose();
    this.#open.clear();
    this.locks.dispose();
    this.#onDidClose.dispose();
  }

  async #load(id: string): Promise<LiveSession | undefined> {
    // The last lines of the session may still be written.
    await this.#closing.get(id);
    // Acquired before reading: another window could write meanwhile.
    const lock = this.store.get(id) ? this.locks.acquire(id) : undefined;
    try {
      const transcript = await this.store.readToOpen(id);
      return this.get(id) ?? (transcript && this.restore(transcript));
    } finally {
      // An open session has its own lock.
      lock?.dispose();
    }
  }
}

/**
 * @param id ours
 * @param mayWrite false when another window has taken the transcript
 * @param onDidAbandon see `BindableSession`
 */
function createSession(
  id: string,
  options: SessionsOptions,
  mayWrite: () => boolean,
  onDidAbandon: NonNullable<SessionOptions['onDidAbandon']>,
): LiveSession {
  const { beforePrompt, readAttachments, virtualFolders, ...shared } = options;
  const agent = options.agents.refOf(options.initialAgent());
  const session: LiveSession = new LiveSession({
    ...shared,
    ...(agent && { agent }),
    onDidAbandon,
    id,
    // Folders can change while a session is open.
    get folders() {
      return options.folders();
    },
    virtualFolders: virtualFolders?.() ?? [],
    get cwd() {
      return options.initialFolder?.() ?? options.folders()[0] ?? options.home;
    },
    history: historyOf(id, options, mayWrite, () => session),
    mayWrite,
    beforePrompt: async (entry) => beforePrompt?.(session, entry),
    ...(readAttachments && { readAttachments: (all) => readAttachments(session, all) }),
  });
  return session;
}

/** A write error is reported once per session. */
function historyOf(
  id: string,
  options: SessionsOptions,
  mayWrite: () => boolean,
  session: () => Session,
): TranscriptWriter {
  const { log, folder } = options;
  let hasFailed = false;
  const onError = (error: unknown): void => {
    log.error('session', `Failed to write transcript ${id}: ${errorMessage(error)}`);
    if (!hasFailed) options.onHistoryError(session(), errorMessage(error));
    hasFailed = true;
  };
  return new TranscriptWriter(folder, id, onError, mayWrite);
}

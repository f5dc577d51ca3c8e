import { randomUUID } from 'node:crypto';
import { systemClock } from '../base/clock';
import type { Clock } from '../base/clock';
import { Emitter } from '../base/event';
import type { Event } from '../base/event';
import { DisposableStore } from '../base/lifecycle';
import type { Disposable } from '../base/lifecycle';
import type { Log } from '../base/log';
import { messageOf } from '../base/errors';
import type { Agents } from './agents';
import type { Action } from '../shared/actions';
import { claim, isClaimed } from './claim';
import { HistoryWriter } from './history';
import type { Transcript } from './history';
import type { Prompts } from './prompts';
import type { Policy } from './policy';
import { Session } from './session';
import { Shelf } from './shelf';
import { summaryOf } from './summary';

export interface SessionsOptions {
  readonly agents: Agents;
  readonly log: Log;
  /** Folder of the transcripts: absolute; made when needed. */
  readonly folder: string;
  /** Absolute paths of the workspace folders. */
  folders(): readonly string[];
  /** Where agents work when no folder is open. */
  readonly home: string;
  /** Name of the agent a new chat begins with; undefined leaves the choice to the person. */
  initialAgent(): string | undefined;
  /** Used when a prompt is sent without a choice. */
  readonly fallbackAgent: string;
  /** Told that transcripts cannot be written, once a session. */
  onHistoryError(session: Session, message: string): void;
  /** Names of workspace folders that are not on disk: agents cannot see them. */
  virtualFolders?(): readonly string[];
  /** Decides about what agents want to do. */
  readonly policy?: Policy;
  readonly clock?: Clock;
  readonly stopDeadline?: number;
  /** The person's prompt files. */
  readonly prompts?: Pick<Prompts, 'expand'>;
  /** Records the files before a prompt goes out. Never rejects. @param entry the prompt's */
  beforePrompt?(session: Session, entry: number): Promise<void>;
  /** Other windows keep their sessions in the same folder: only what none of them has open is brought back. */
  readonly shared?: boolean;
}

const STOP_DEADLINE = 10_000;
/** Sessions in memory; beyond that the one that was shown longest ago and does nothing is closed. It can be opened again. */
const MAX_OPEN = 12;

/** What changes how a session stands in a list. */
const LISTED: ReadonlySet<Action['type']> = new Set([
  'agentNamed',
  'agentSessionOpened',
  'agentSessionDated',
  'titleChanged',
  'sessionRenamed',
  'promptSent',
  'turnEnded',
  'replayEnded',
]);
/** Of these, what counts as new. */
const NEWS: ReadonlySet<Action['type']> = new Set(['promptSent', 'turnEnded']);

/** The open sessions of this window, and the transcripts of the others. One is active: the one the chat view shows. */
export class Sessions implements Disposable {
  readonly #options: SessionsOptions;
  readonly #clock: Clock;
  /** What belongs to each open session; the one shown last comes last. */
  readonly #open = new Map<Session, DisposableStore>();
  readonly #unread = new Set<string>();
  readonly #activeChanged = new Emitter<Session>();
  readonly #asked = new Emitter<{ session: Session; entry: number }>();
  readonly #changed = new Emitter<Session>();
  readonly #closed = new Emitter<string>();
  #active: Session;
  /** Keep other windows from bringing back what is open here. */
  readonly #claims = new DisposableStore();

  /** The sessions on disk. */
  readonly shelf: Shelf;
  readonly onDidChangeActive: Event<Session> = this.#activeChanged.event;
  /** A question was put to the person. */
  readonly onDidAsk: Event<{ session: Session; entry: number }> = this.#asked.event;
  /** Something happened in a session. */
  readonly onDidChange: Event<Session> = this.#changed.event;
  /** A session is no longer open here: its id. Its transcript may be. */
  readonly onDidClose: Event<string> = this.#closed.event;

  private constructor(options: SessionsOptions, shelf: Shelf, first: Transcript | undefined) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.shelf = shelf;
    this.#active = first ? this.#restore(first) : this.create(randomUUID());
  }

  /** The sessions with the newest transcript opened, as it was before the window was reloaded. */
  static async open(options: SessionsOptions): Promise<Sessions> {
    const shelf = await Shelf.open(options.folder, options.log);
    const newest = shelf.all().find(({ archived }) => !archived);
    const isFree = newest && (!options.shared || !isClaimed(options.folder, newest.id));
    return new Sessions(options, shelf, isFree ? await shelf.read(newest.id) : undefined);
  }

  get active(): Session {
    return this.#active;
  }

  /** Where the sessions of this window work. */
  get cwd(): string {
    return this.#options.folders()[0] ?? this.#options.home;
  }

  /** The open ones. */
  all(): readonly Session[] {
    return Array.from(this.#open.keys());
  }

  get(id: string): Session | undefined {
    return this.all().find((session) => session.id === id);
  }

  /** A turn has ended there since the person looked last. */
  isUnread(id: string): boolean {
    return this.#unread.has(id);
  }

  /** Opens an empty session and makes it the active one. @param agentName the agent; the default one is chosen at the first prompt */
  newChat(agentName?: string): Session {
    // One that stands for a session which only the agent has is not blank: its transcript is on its way.
    const blank = this.all().find(({ state, bound }) => {
      return state.entries.count === 0 && (!state.agentSession || bound?.fresh === true);
    });
    const session = blank ?? this.create(randomUUID());
    this.activate(session);
    if (agentName !== undefined) void session.chooseAgent(agentName);
    return session;
  }

  activate(session: Session): void {
    this.#unread.delete(session.id);
    if (this.#active === session) return;
    this.#active = session;
    const store = this.#open.get(session);
    if (store) {
      this.#open.delete(session);
      this.#open.set(session, store);
    }
    this.#activeChanged.fire(session);
    this.#closeIdle();
  }

  /** The session with this id, read from disk when it is not open; undefined when there is none. It does not become active. */
  async load(id: string): Promise<Session | undefined> {
    const open = this.get(id);
    if (open) return open;
    const transcript = await this.shelf.read(id);
    // Somebody else may have opened it meanwhile.
    return this.get(id) ?? (transcript && this.#restore(transcript));
  }

  /** Takes a session out of memory; its transcript stays. What was active gives way to another one. */
  async close(session: Session): Promise<void> {
    const store = this.#open.get(session);
    if (!store) return;
    this.#open.delete(session);
    this.#unread.delete(session.id);
    if (this.#active === session) this.activate(this.all().at(-1) ?? this.create(randomUUID()));
    store.dispose();
    await session.written();
  }

  /** The window is about to close: see {@link Session.interrupt}. */
  interrupt(): void {
    this.#claims.dispose();
    for (const session of this.all()) session.interrupt();
  }

  /** Writes what is left to write; for the end of the window. */
  async flush(): Promise<void> {
    await Promise.allSettled([...this.all().map((session) => session.flush()), this.shelf.flush()]);
  }

  dispose(): void {
    for (const store of this.#open.values()) store.dispose();
    this.#open.clear();
    for (const emitter of [this.#activeChanged, this.#asked, this.#changed, this.#closed, this.shelf])
      emitter.dispose();
  }

  #restore(transcript: Transcript): Session {
    const session = this.create(transcript.id);
    session.restore(transcript);
    // The agent may be at work still, and what it wants to know it can only ask where the session is open.
    const { turn } = session.state;
    if (session.isRemote && turn.status === 'idle' && turn.stopReason === 'interrupted') void session.reopen();
    return session;
  }

  /** An open session without anything in it. */
  create(id: string): Session {
    const { agents, log, home, fallbackAgent, stopDeadline = STOP_DEADLINE } = this.#options;
    const agent = agents.reference(this.#options.initialAgent());
    const options = this.#options;
    const session = new Session({
      ...(agent && { agent }),
      ...(options.policy && { policy: options.policy }),
      id,
      agents,
      // Folders come and go while a session is open.
      get folders() {
        return options.folders();
      },
      virtualFolders: this.#options.virtualFolders?.() ?? [],
      cwd: options.folders()[0] ?? home,
      history: this.#history(id),
      log,
      now: () => this.#clock.now(),
      clock: this.#clock,
      fallbackAgent,
      stopDeadline,
      ...(options.prompts && { prompts: options.prompts }),
      beforePrompt: async (entry) => options.beforePrompt?.(session, entry),
    });
    const store = new DisposableStore();
    store.defer(() => this.#closed.fire(id));
    store.add(session);
    const mine = options.shared ? claim(options.folder, id) : undefined;
    if (mine) store.add(this.#claims.add(mine));
    store.add(session.onDidDispatch(({ action }) => this.#dispatched(session, action)));
    store.add(session.onDidAsk((entry) => this.#asked.fire({ session, entry })));
    this.#open.set(session, store);
    return session;
  }

  #history(id: string): HistoryWriter {
    const { log, folder } = this.#options;
    let failed = false;
    return new HistoryWriter(folder, id, (error) => {
      log.error('session', `Transcript ${id} could not be written: ${messageOf(error)}`);
      const session = this.get(id);
      if (!failed && session) this.#options.onHistoryError(session, messageOf(error));
      failed = true;
    });
  }

  #dispatched(session: Session, action: Action): void {
    if (session.isKept && LISTED.has(action.type)) this.#list(session, NEWS.has(action.type));
    if (action.type === 'turnEnded' && session !== this.#active) this.#unread.add(session.id);
    this.#changed.fire(session);
  }

  #list(session: Session, isNew: boolean): void {
    const before = this.shelf.get(session.id);
    const updatedAt = isNew || !before ? this.#clock.now() : before.updatedAt;
    this.shelf.put(summaryOf(session.state, updatedAt, (before?.archived ?? false) && !isNew));
  }

  #closeIdle(): void {
    const idle = this.all().filter((session) => session !== this.#active && session.canClose);
    const tooMany = this.#open.size - MAX_OPEN;
    for (const session of idle.slice(0, Math.max(0, tooMany))) void this.close(session);
  }
}

import { randomUUID } from 'node:crypto';
import { systemClock } from '../base/clock';
import type { Clock } from '../base/clock';
import { Emitter } from '../base/event';
import type { Event } from '../base/event';
import { DisposableStore, MutableDisposable } from '../base/lifecycle';
import type { Disposable } from '../base/lifecycle';
import type { Log } from '../base/log';
import { messageOf } from '../base/errors';
import type { Attachment } from '../shared/attachments';
import type { Block } from '../shared/content';
import type { Agents } from './agents';
import type { Action } from '../shared/actions';
import { Audience } from './audience';
import { claim, isClaimed } from './claim';
import { HistoryWriter } from './history';
import type { LastInView } from './inView';
import { firstInView } from './inView';
import type { Prompts } from './prompts';
import type { Policy } from './policy';
import { Session } from './session';
import { Shelf } from './shelf';
import { summaryOf } from './summary';
import type { Transcript } from './transcript';

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
  /** What attachments of a message stand for at this moment. @throws ParleyError that names what cannot be read */
  readAttachments?(session: Session, attachments: readonly Attachment[]): Promise<readonly Block[]>;
  /** What the chat view showed in the window before. */
  readonly inView?: LastInView | undefined;
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

/**
 * The open sessions of this window, and the transcripts of the others. One is in the chat view, others may be in editor tabs; the active
 * one is the one the person was in last, wherever that is: it is what commands mean.
 */
export class Sessions implements Disposable {
  readonly #options: SessionsOptions;
  readonly #clock: Clock;
  /** What belongs to each open session; the one shown last comes last. */
  readonly #open = new Map<Session, DisposableStore>();
  readonly #activeChanged = new Emitter<Session>();
  readonly #inViewChanged = new Emitter<Session>();
  readonly #asked = new Emitter<{ session: Session; entry: number }>();
  readonly #changed = new Emitter<Session>();
  readonly #closed = new Emitter<string>();
  readonly #audience = new Audience<Session>();
  #active: Session;
  #inView: Session;
  #isViewVisible = true;
  readonly #viewed = new MutableDisposable<Disposable>();
  /** Keep other windows from bringing back what is open here. */
  readonly #claims = new DisposableStore();

  /** The sessions on disk. */
  readonly shelf: Shelf;
  readonly onDidChangeActive: Event<Session> = this.#activeChanged.event;
  /** The chat view shows another session. */
  readonly onDidChangeInView: Event<Session> = this.#inViewChanged.event;
  /** A question was put to the person. */
  readonly onDidAsk: Event<{ session: Session; entry: number }> = this.#asked.event;
  /** Something happened in a session. */
  readonly onDidChange: Event<Session> = this.#changed.event;
  /** A session is no longer open here: its id. Its transcript may be. */
  readonly onDidClose: Event<string> = this.#closed.event;

  private constructor(options: SessionsOptions, shelf: Shelf, first: Transcript | string | undefined) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.shelf = shelf;
    this.#inView = typeof first === 'object' ? this.#restore(first) : this.create(first ?? randomUUID());
    this.#active = this.#inView;
    this.setViewVisible(true);
  }

  /** The sessions with the one opened that the chat view showed before the window was reloaded, else the one used last. */
  static async open(options: SessionsOptions): Promise<Sessions> {
    const shelf = await Shelf.open(options.folder, options.log);
    const isFree = (id: string): boolean => !options.shared || !isClaimed(options.folder, id);
    return new Sessions(options, shelf, await firstInView(shelf, options.inView, isFree));
  }

  /** The one the person was in last. */
  get active(): Session {
    return this.#active;
  }

  /** The one the chat view shows. */
  get inView(): Session {
    return this.#inView;
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

  /** A turn has ended there since the person looked last; also in an earlier window. */
  isUnread(id: string): boolean {
    return this.shelf.get(id)?.unread === true;
  }

  /** The session is not open here, and no other window has it open either. */
  isFree(id: string): boolean {
    return !this.get(id) && (!this.#options.shared || !isClaimed(this.#options.folder, id));
  }

  /** Shows an empty session in the chat view. @param agentName the agent; the default one is chosen at the first prompt */
  newChat(agentName?: string): Session {
    const session = this.#blank() ?? this.create(randomUUID());
    this.activate(session);
    if (agentName !== undefined) void session.chooseAgent(agentName);
    return session;
  }

  /** An empty session that no page shows yet, for one that is about to. */
  newSession(): Session {
    const blank = this.#blank();
    return blank && blank !== this.#inView ? blank : this.create(randomUUID());
  }

  /** Shows a session in the chat view, and makes it the active one. */
  activate(session: Session): void {
    const before = this.#inView;
    this.#inView = session;
    if (before !== session) {
      this.setViewVisible(this.#isViewVisible);
      this.#inViewChanged.fire(session);
    }
    this.enter(session);
  }

  /** The person is in this session, wherever it is shown. */
  enter(session: Session): void {
    this.#read(session);
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

  /** A page other than the chat view is open for this session, which is not closed meanwhile. Dispose it with the page. */
  hold(session: Session): Disposable {
    return this.#audience.hold(session);
  }

  /** A page other than the chat view shows this session to the person: nothing in it is news. Dispose it when that ends. */
  look(session: Session): Disposable {
    this.#read(session);
    return this.#audience.look(session);
  }

  /** Whether the person sees the chat view; assumed until it is told. */
  setViewVisible(visible: boolean): void {
    this.#isViewVisible = visible;
    this.#viewed.value = visible ? this.look(this.#inView) : undefined;
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
    session.cancelTurn();
    this.#open.delete(session);
    if (this.#inView === session) this.activate(this.#forView());
    else if (this.#active === session) this.enter(this.#inView);
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
    const emitters = [this.#activeChanged, this.#inViewChanged, this.#asked, this.#changed, this.#closed];
    for (const emitter of [...emitters, this.shelf]) emitter.dispose();
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
      ...(options.readAttachments && { readAttachments: async (all) => options.readAttachments?.(session, all) ?? [] }),
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
    if (session.isKept && LISTED.has(action.type)) this.#list(session, action.type);
    this.#changed.fire(session);
  }

  #list(session: Session, why: Action['type']): void {
    const before = this.shelf.get(session.id);
    const isNew = NEWS.has(why);
    const updatedAt = isNew || !before ? this.#clock.now() : before.updatedAt;
    const archived = (before?.archived ?? false) && !isNew;
    const unread = !this.#audience.isLookedAt(session) && (why === 'turnEnded' || before?.unread === true);
    this.shelf.put(summaryOf(session.state, { updatedAt, archived, unread }));
  }

  #read(session: Session): void {
    const summary = this.shelf.get(session.id);
    if (summary?.unread !== true) return;
    this.shelf.put({ ...summary, unread: false });
    this.#changed.fire(session);
  }

  /** One that stands for a session which only the agent has is not blank: its transcript is on its way. */
  #blank(): Session | undefined {
    return this.all().find((session) => {
      const { state, bound } = session;
      if (state.entries.count > 0 || this.#audience.isHeld(session)) return false;
      return !state.agentSession || bound?.fresh === true;
    });
  }

  /** What the chat view shows when its session was closed: not what has a tab of its own. */
  #forView(): Session {
    const free = this.all().filter((session) => !this.#audience.isHeld(session));
    return free.at(-1) ?? this.create(randomUUID());
  }

  #closeIdle(): void {
    const shown = (session: Session): boolean =>
      session === this.#active || session === this.#inView || this.#audience.isHeld(session);
    const idle = this.all().filter((session) => !shown(session) && session.canClose);
    const tooMany = this.#open.size - MAX_OPEN;
    for (const session of idle.slice(0, Math.max(0, tooMany))) void this.close(session);
  }
}

import { randomUUID } from 'node:crypto';
import { Emitter } from '../base/event';
import type { Event } from '../base/event';
import { DisposableStore } from '../base/lifecycle';
import type { Disposable } from '../base/lifecycle';
import type { Log } from '../base/log';
import { messageOf } from '../base/errors';
import type { Agents } from './agents';
import { HistoryWriter, listTranscripts, readTranscript } from './history';
import { Session } from './session';

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
  readonly now?: () => number;
  readonly stopDeadline?: number;
}

const STOP_DEADLINE = 10_000;

/** The sessions of this window. One of them is active: the one the chat view shows. */
export class Sessions implements Disposable {
  readonly #options: SessionsOptions;
  readonly #store = new DisposableStore();
  readonly #sessions: Session[] = [];
  readonly #activeChanged = new Emitter<Session>();
  readonly #asked = new Emitter<{ session: Session; entry: number }>();
  readonly #changed = new Emitter<Session>();
  #active: Session;

  readonly onDidChangeActive: Event<Session> = this.#activeChanged.event;
  /** A question was put to the person. */
  readonly onDidAsk: Event<{ session: Session; entry: number }> = this.#asked.event;
  /** Something happened in a session. */
  readonly onDidChange: Event<Session> = this.#changed.event;

  private constructor(options: SessionsOptions, first?: string) {
    this.#options = options;
    this.#active = this.#create(first ?? randomUUID());
  }

  /** The sessions with the newest transcript opened, as it was before the window was reloaded. */
  static async open(options: SessionsOptions): Promise<Sessions> {
    const [newest] = await listTranscripts(options.folder);
    const transcript = newest === undefined ? undefined : await readTranscript(options.folder, newest);
    const sessions = new Sessions(options, transcript?.id);
    if (transcript) sessions.active.restore(transcript);
    return sessions;
  }

  get active(): Session {
    return this.#active;
  }

  all(): readonly Session[] {
    return this.#sessions;
  }

  /** Opens an empty session and makes it the active one. @param agentName the agent; the default one is chosen at the first prompt */
  newChat(agentName?: string): Session {
    const blank = this.#sessions.find((session) => session.state.entries.count === 0);
    const session = blank ?? this.#create(randomUUID());
    this.activate(session);
    if (agentName !== undefined) void session.chooseAgent(agentName);
    return session;
  }

  activate(session: Session): void {
    if (this.#active === session) return;
    this.#active = session;
    this.#activeChanged.fire(session);
  }

  /** Writes what is left to write; for the end of the window. */
  async flush(): Promise<void> {
    await Promise.allSettled(this.#sessions.map((session) => session.flush()));
  }

  dispose(): void {
    this.#store.dispose();
    for (const emitter of [this.#activeChanged, this.#asked, this.#changed]) emitter.dispose();
  }

  #create(id: string): Session {
    const { agents, log, home, fallbackAgent, stopDeadline = STOP_DEADLINE } = this.#options;
    const agent = agents.reference(this.#options.initialAgent());
    const folders = this.#options.folders();
    let failed = false;
    const history = new HistoryWriter(this.#options.folder, id, (error) => {
      log.error('session', `Transcript ${id} could not be written: ${messageOf(error)}`);
      if (!failed) this.#options.onHistoryError(session, messageOf(error));
      failed = true;
    });
    const now = this.#options.now ?? Date.now;
    const cwd = folders[0] ?? home;
    const session = new Session({
      ...(agent && { agent }),
      id,
      agents,
      folders,
      cwd,
      history,
      log,
      now,
      fallbackAgent,
      stopDeadline,
    });
    this.#store.add(session);
    this.#store.add(session.onDidDispatch(() => this.#changed.fire(session)));
    this.#store.add(session.onDidAsk((entry) => this.#asked.fire({ session, entry })));
    this.#sessions.push(session);
    return session;
  }
}

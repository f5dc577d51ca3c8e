import type { AgentConnection } from '../../agent/connection/agentConnection';
import type { AgentDefinition } from '../../agent/config/agentDefinition';
import type { AgentState } from '../../agent/connection/agentLaunch';
import { CanceledError, ParleyError } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import type { AgentRef } from '../../shared/state/sessionState';
import { capabilitiesOf } from './sessionCapabilities';
import type { SessionLookup, SessionHandle } from '../sessionHandle';
import type { RunInTerminal } from './signInFlow';
import { SignInFlow } from './signInFlow';

/** A session as its agent's link sees it: what it serves, and where its updates go. */
export interface AttachedSession extends SessionHandle {
  /**
   * Applies one `session/update`, in wire order.
   * @param childId the child session that it is about, when it is not this one
   */
  receive(update: JsonObject, childId?: string): void;
  /** The process was ended for all of its sessions. */
  processEnded(): void;
  /** Brings the agent's session back; false when that cannot be done. */
  reopen(): Promise<boolean>;
}

/** What serves one agent process, for as long as it lives. */
export interface AgentServices extends Disposable {
  /** A session has left the process: what was kept for it is let go, its commands end. */
  sessionClosed?(agentSessionId: string): void;
  /**
   * The MCP servers that a session declares to this agent, in the form of ACP's `McpServer`; they answer before this settles
   * (agents connect while `session/new` is unanswered). The same session gets the same addresses and tokens each time.
   */
  mcpServers?(session: SessionHandle): Promise<readonly JsonObject[]>;
}

/** What starts agents; the composition root brings it, so that this room needs no VS Code. */
export interface AgentsOptions {
  definitions(): readonly AgentDefinition[];
  /** False in a workspace that is not trusted: agents that it defines are not among {@link definitions}. True when absent. */
  readonly trusted?: () => boolean;
  /** Makes the connection with everything the client offers; `lookup` finds the session a request is about. */
  readonly connect: (
    definition: AgentDefinition,
    lookup: SessionLookup,
    onUpdate: (sessionId: string, update: JsonObject) => void,
  ) => { readonly connection: AgentConnection; readonly services: AgentServices };
  /** Reads the code that {@link connect} needs, when the first agent is wanted. Absent: it is there. */
  readonly load?: () => Promise<void>;
  /** Runs a command that signs in, where the user can see it and type into it. */
  readonly runInTerminal?: RunInTerminal;
}

const HIDDEN = t(
  'If this workspace defines it: it is not trusted, so trust it first (“Workspaces: Manage Workspace Trust”).',
);
/** Updates kept for a session id that nobody knows yet; more are dropped from the front. */
const MAX_EARLY_UPDATES = 1_000;
/** Unknown session ids that updates are kept for. */
const MAX_EARLY_SESSIONS = 64;

/** Not alive, but `start()` of the same connection is the way on. */
const WAITING: ReadonlySet<string> = new Set<AgentState['status']>(['stopped', 'reconnecting']);

/** One running agent process and the sessions on it. */
export class SharedAgent implements SessionLookup {
  readonly definition: AgentDefinition;
  readonly connection: AgentConnection;
  readonly signIn: SignInFlow;
  /** The session that follows what this process does, the last one where there are several. */
  user: AttachedSession | undefined;
  readonly #services: AgentServices;
  readonly #sessions = new Map<string, AttachedSession>();
  readonly #early = new Map<string, JsonObject[]>();
  /** The session at the top of each child session that an agent has told of (`subagent_update`). */
  readonly #parents = new Map<string, AttachedSession>();

  constructor(
    definition: AgentDefinition,
    { connect, runInTerminal }: Pick<AgentsOptions, 'connect' | 'runInTerminal'>,
  ) {
    this.definition = definition;
    const made = connect(definition, this, (sessionId, update) => this.#receive(sessionId, update));
    this.connection = made.connection;
    this.#services = made.services;
    // A command here would sign in on this machine, not where a remote agent runs.
    const terminal = definition.remote ? undefined : runInTerminal;
    this.signIn = new SignInFlow({
      definition,
      connection: made.connection,
      ...(terminal && { runInTerminal: terminal }),
    });
  }

  get isAlive(): boolean {
    const { status } = this.connection.state;
    return status === 'starting' || status === 'ready';
  }

  get sessions(): readonly AttachedSession[] {
    return Array.from(this.#sessions.values());
  }

  find(agentSessionId: string): AttachedSession | undefined {
    return this.#sessions.get(agentSessionId) ?? this.#parents.get(agentSessionId);
  }

  /** The session that works right now, else the one that has used this process last. */
  any(): AttachedSession | undefined {
    const running = this.sessions.find(({ state }) => state.turn.status === 'running');
    return running ?? this.user ?? this.sessions[0];
  }

  /** Puts a session on this process. What came for it before `session/new` was answered is applied now. */
  attach(agentSessionId: string, session: AttachedSession): void {
    this.#sessions.set(agentSessionId, session);
    const early = this.#early.get(agentSessionId) ?? [];
    this.#early.delete(agentSessionId);
    for (const update of early) this.#pass(session, update);
  }

  /** The MCP servers to declare for a session when it is opened or brought back here. */
  async mcpServers(session: SessionHandle): Promise<readonly JsonObject[]> {
    return session.wantsTools === false ? [] : ((await this.#services.mcpServers?.(session)) ?? []);
  }

  /** Takes a session off this process; what it had opened here is let go. */
  detach(agentSessionId: string): void {
    const session = this.#sessions.get(agentSessionId);
    for (const [child, parent] of this.#parents) if (parent === session) this.#parents.delete(child);
    if (this.#sessions.delete(agentSessionId)) this.#services.sessionClosed?.(agentSessionId);
  }

  /** Takes a session off this process and tells the agent where it wants to know (ACP: `session/close`). */
  close(agentSessionId: string): void {
    this.detach(agentSessionId);
    if (!this.isAlive || !capabilitiesOf(this).close) return;
    this.connection.request('session/close', { sessionId: agentSessionId }).catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#services.dispose();
    this.signIn.cancel();
    await this.connection.stop();
    this.signIn.dispose();
  }

  dispose(): void {
    this.#services.dispose();
    this.signIn.dispose();
    this.connection.dispose();
  }

  #receive(sessionId: string, received: JsonObject): void {
    const { quirk } = this.connection;
    const update = quirk?.update ? quirk.update(received) : received;
    if (!update) return;
    const session = this.#sessions.get(sessionId);
    const parent = this.#parents.get(sessionId);
    if (session) {
      this.#pass(session, update);
      return;
    }
    if (parent) {
      this.#pass(parent, update, sessionId);
      return;
    }
    const early = this.#early.get(sessionId) ?? [];
    const [oldest] = this.#early.keys();
    if (oldest !== undefined && this.#early.size >= MAX_EARLY_SESSIONS && !this.#early.has(sessionId))
      this.#early.delete(oldest);
    early.push(update);
    if (early.length > MAX_EARLY_UPDATES) early.shift();
    this.#early.set(sessionId, early);
  }

  /** Hands an update to its session. What came for a child session before its parent told of it follows now. */
  #pass(session: AttachedSession, update: JsonObject, childId?: string): void {
    session.receive(update, childId);
    const child = update['sessionUpdate'] === 'subagent_update' ? update['sessionId'] : undefined;
    if (typeof child !== 'string' || this.#sessions.has(child) || this.#parents.has(child)) return;
    this.#parents.set(child, session);
    const early = this.#early.get(child) ?? [];
    this.#early.delete(child);
    for (const one of early) this.#pass(session, one, child);
  }
}

/** The agents of this window: one process for each, shared by its sessions. */
export class AgentPool implements Disposable {
  readonly #options: AgentsOptions;
  readonly #links = new Map<string, SharedAgent>();
  /** Processes on their way out; waited for when the window closes. */
  readonly #stopping = new Set<Promise<void>>();
  readonly #stateChanged = new Emitter<SharedAgent>();
  #isClosed = false;
  #isReady: boolean;

  /** The process of an agent starts, is ready, or has ended. */
  readonly onDidChangeState: Event<SharedAgent> = this.#stateChanged.event;

  constructor(options: AgentsOptions) {
    this.#options = options;
    this.#isReady = options.load === undefined;
  }

  /** {@link link} may be called. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Settles when {@link link} may be called. Rejects when the code that connects to agents cannot be read; the next call tries again. */
  async ready(): Promise<void> {
    if (this.#isReady) return;
    await this.#options.load?.();
    this.#isReady = true;
  }

  get isTrusted(): boolean {
    return this.#options.trusted?.() !== false;
  }

  definition(name: string): AgentDefinition | undefined {
    return this.#options.definitions().find((definition) => definition.name === name);
  }

  /** How a session refers to an agent: by its key, with the name to show. */
  reference(name: string): AgentRef;
  reference(name: string | undefined): AgentRef | undefined;
  reference(name: string | undefined): AgentRef | undefined {
    return name === undefined ? undefined : { name, title: this.definition(name)?.title ?? name };
  }

  /**
   * The link to a running agent, once {@link ready}; makes one when there is none. The process is started by `connection.start()`.
   * @throws ParleyError `agentNotFound` when no agent of that name is configured, CanceledError after {@link shutdown}
   */
  link(name: string): SharedAgent {
    const current = this.#links.get(name);
    if (current && (current.isAlive || WAITING.has(current.connection.state.status))) return current;
    if (this.#isClosed) throw new CanceledError(t('The window is closing'));
    const definition = this.definition(name);
    if (!definition) {
      const choose = t('Choose another agent, or add it to the setting parley.agents.');
      throw new ParleyError('agentNotFound', t('There is no agent named “{0}”.', name), {
        nextStep: !this.isTrusted ? `${HIDDEN} ${choose}` : choose,
      });
    }
    current?.dispose();
    const link = new SharedAgent(definition, this.#options);
    link.connection.onDidChangeState(() => this.#stateChanged.fire(link));
    this.#links.set(name, link);
    return link;
  }

  /** The link to an agent that was started in this window, whether it still runs or not. */
  current(name: string): SharedAgent | undefined {
    return this.#links.get(name);
  }

  /** All of them. */
  links(): readonly SharedAgent[] {
    return Array.from(this.#links.values());
  }

  /** Ends the agent's process, if there is one, and waits for it; the next {@link link} starts a new one. */
  async stop(name: string): Promise<void> {
    const link = this.#links.get(name);
    if (!link) return;
    this.#links.delete(name);
    await this.#track(link.stop());
  }

  /** Ends all processes and waits for them. From now on none is started: it would outlive the window (I5). */
  async shutdown(): Promise<void> {
    this.#isClosed = true;
    for (const link of this.#links.values()) void this.#track(link.stop());
    this.#links.clear();
    await Promise.allSettled(this.#stopping);
  }

  dispose(): void {
    for (const link of this.#links.values()) link.dispose();
    this.#links.clear();
    this.#stateChanged.dispose();
  }

  async #track(stopping: Promise<void>): Promise<void> {
    this.#stopping.add(stopping);
    try {
      await stopping;
    } finally {
      this.#stopping.delete(stopping);
    }
  }
}

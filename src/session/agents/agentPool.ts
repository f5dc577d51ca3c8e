import type { AgentConnection } from '../../agent/connection/agentConnection';
import type { AgentDefinition } from '../../agent/config/agentDefinition';
import type { ClientFeature } from '../../agent/connection/clientFeature';
import type { AgentState } from '../../agent/connection/agentLaunch';
import { CanceledError, ParleyError } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Event } from '../../base/event';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import type { AgentRef } from '../../shared/state/sessionState';
import type { UsageLimit } from '../../shared/state/usageState';
import { mergeLimits } from '../../shared/state/usageState';
import { capabilitiesOf } from './sessionCapabilities';
import type { AttachedSession, SessionLookup, SessionHandle } from '../sessionHandle';
import type { RunInTerminal } from './signInFlow';
import { SignInFlow } from './signInFlow';

/** Serves one agent process for its lifetime. */
export interface AgentServices extends Disposable {
  /** A session was detached: its resources are released and its commands end. */
  sessionClosed?(agentSessionId: string): void;
  /**
   * The MCP servers to declare for a session, as ACP's `McpServer`. They answer before this settles, since agents connect while
   * `session/new` is pending. A session gets the same URLs and tokens each time.
   */
  mcpServers?(session: SessionHandle): Promise<readonly JsonObject[]>;
}

/** The contribution of another part of Parley to an agent's connection. */
export interface ConnectionContribution {
  readonly features: readonly ClientFeature[];
  readonly services: Pick<AgentServices, 'mcpServers'> & Disposable;
}

/** Implemented by the composition root, so that this room does not need vscode. */
interface AgentsOptions {
  definitions(): readonly AgentDefinition[];
  /** False in an untrusted workspace, whose agents are not among {@link definitions}. True if undefined. */
  readonly trusted?: () => boolean;
  /** Creates the connection with all client features; `lookup` finds the session of a request. */
  readonly connect: (
    definition: AgentDefinition,
    lookup: SessionLookup,
    onUpdate: (sessionId: string, update: JsonObject) => void,
  ) => { readonly connection: AgentConnection; readonly services: AgentServices };
  /** Loads the code that {@link connect} needs, before the first agent starts. */
  readonly load?: () => Promise<void>;
  /** Whether an agent starts without asking the user anything. True if undefined. */
  readonly startsUnasked?: (definition: AgentDefinition) => Promise<boolean>;
  /** Runs a sign-in command in a visible terminal. */
  readonly runInTerminal?: RunInTerminal;
}

const HIDDEN = t(
  'If this workspace defines the agent, trust the workspace first (“Workspaces: Manage Workspace Trust”).',
);
/** Updates buffered per unknown session id; older ones are dropped. */
const MAX_EARLY_UPDATES = 1_000;
/** Unknown session ids with buffered updates. */
const MAX_EARLY_SESSIONS = 64;

/** Not running, but `start()` of the same connection can start it. */
const WAITING: ReadonlySet<string> = new Set<AgentState['status']>(['stopped', 'reconnecting']);

/** One running agent process and the sessions on it. */
export class SharedAgent implements SessionLookup {
  readonly definition: AgentDefinition;
  readonly connection: AgentConnection;
  readonly signIn: SignInFlow;
  /** The session that shows the process state; the last one of several. */
  lastSession: AttachedSession | undefined;
  readonly #services: AgentServices;
  readonly #sessions = new Map<string, AttachedSession>();
  readonly #early = new Map<string, JsonObject[]>();
  #limits: readonly UsageLimit[] = [];
  /** The top-level session of each child session (`subagent_update`). */
  readonly #parents = new Map<string, AttachedSession>();

  constructor(
    definition: AgentDefinition,
    { connect, runInTerminal }: Pick<AgentsOptions, 'connect' | 'runInTerminal'>,
  ) {
    this.definition = definition;
    const { connection, services } = connect(definition, this, (sessionId, update) => this.#receive(sessionId, update));
    this.connection = connection;
    this.#services = services;
    // A command here would sign in on this machine, not where a remote agent runs.
    this.signIn = new SignInFlow(definition, connection, definition.remote ? undefined : runInTerminal);
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

  /** The running session, else the last one that used this process. */
  activeSession(): AttachedSession | undefined {
    const running = this.sessions.find(({ state }) => state.turn.status === 'running');
    return running ?? this.lastSession ?? this.sessions[0];
  }

  /** Attaches a session and applies the updates that arrived before `session/new` was answered. */
  attach(agentSessionId: string, session: AttachedSession): void {
    this.#sessions.set(agentSessionId, session);
    if (this.#limits.length > 0) session.dispatch({ type: 'limitsChanged', limits: this.#limits });
    const early = this.#early.get(agentSessionId) ?? [];
    this.#early.delete(agentSessionId);
    for (const update of early) this.#pass(session, update);
  }

  reportLimits(limits: readonly UsageLimit[]): void {
    this.#limits = mergeLimits(this.#limits, limits);
    for (const session of this.sessions) session.dispatch({ type: 'limitsChanged', limits });
  }

  async mcpServers(session: SessionHandle): Promise<readonly JsonObject[]> {
    return session.wantsTools === false ? [] : ((await this.#services.mcpServers?.(session)) ?? []);
  }

  /** Detaches a session and releases its resources. */
  detach(agentSessionId: string): void {
    const session = this.#sessions.get(agentSessionId);
    for (const [child, parent] of this.#parents) if (parent === session) this.#parents.delete(child);
    if (this.#sessions.delete(agentSessionId)) this.#services.sessionClosed?.(agentSessionId);
  }

  /** Detaches a session and sends `session/close` if the agent supports it. */
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
    if (session) return this.#pass(session, update);
    if (parent) return this.#pass(parent, update, sessionId);
    const early = this.#early.get(sessionId) ?? [];
    const [oldest] = this.#early.keys();
    if (oldest !== undefined && this.#early.size >= MAX_EARLY_SESSIONS && !this.#early.has(sessionId))
      this.#early.delete(oldest);
    early.push(update);
    if (early.length > MAX_EARLY_UPDATES) early.shift();
    this.#early.set(sessionId, early);
  }

  /** Passes an update to its session, then the buffered updates of child sessions that it announced. */
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

/** The agents of this window: one process per agent, shared by its sessions. */
export class AgentPool implements Disposable {
  readonly #options: AgentsOptions;
  readonly #links = new Map<string, SharedAgent>();
  /** Ending processes, awaited when the window closes. */
  readonly #stopping = new Set<Promise<void>>();
  readonly #stateChanged = new Emitter<SharedAgent>();
  #isClosed = false;
  #isReady: boolean;

  readonly onDidChangeState: Event<SharedAgent> = this.#stateChanged.event;

  constructor(options: AgentsOptions) {
    this.#options = options;
    this.#isReady = options.load === undefined;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Settles when {@link acquire} may be called. Rejects when loading fails; the next call tries again. */
  async ready(): Promise<void> {
    if (this.#isReady) return;
    await this.#options.load?.();
    this.#isReady = true;
  }

  get isTrusted(): boolean {
    return this.#options.trusted?.() !== false;
  }

  /** Of the configured agents. */
  names(): readonly string[] {
    return this.#options.definitions().map(({ name }) => name);
  }

  definition(name: string): AgentDefinition | undefined {
    return this.#options.definitions().find((definition) => definition.name === name);
  }

  /** False for an agent that is not configured, or that needs a confirmation or a secret first. */
  async startsUnasked(name: string): Promise<boolean> {
    const definition = this.definition(name);
    return definition !== undefined && (await this.#options.startsUnasked?.(definition)) !== false;
  }

  refOf(name: string): AgentRef;
  refOf(name: string | undefined): AgentRef | undefined;
  refOf(name: string | undefined): AgentRef | undefined {
    return name === undefined ? undefined : { name, title: this.definition(name)?.title ?? name };
  }

  /**
   * The link of an agent, created if needed once {@link ready}; `connection.start()` starts the process.
   * @throws ParleyError `agentNotFound` when no such agent is configured
   * @throws CanceledError after {@link shutdown}
   */
  acquire(name: string): SharedAgent {
    const current = this.#links.get(name);
    if (current && (current.isAlive || WAITING.has(current.connection.state.status))) return current;
    if (this.#isClosed) throw new CanceledError(t('The window is closing'));
    const definition = this.definition(name);
    if (!definition) {
      const choose = t('Select another agent, or add this agent to the setting parley.agents.');
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

  /** The link of an agent that was started in this window, running or not. */
  get(name: string): SharedAgent | undefined {
    return this.#links.get(name);
  }

  all(): readonly SharedAgent[] {
    return Array.from(this.#links.values());
  }

  /** Ends the agent's process, if any, and waits; the next {@link acquire} starts a new one. */
  async stop(name: string): Promise<void> {
    const link = this.#links.get(name);
    if (!link) return;
    this.#links.delete(name);
    await this.#track(link.stop());
  }

  /** Ends all processes and waits. Afterwards none can start: it would outlive the window (I5). */
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
    await stopping.finally(() => this.#stopping.delete(stopping));
  }
}

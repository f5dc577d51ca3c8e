import type { ClientFeature } from '../../agent/clientFeature';
import type { AgentDefinition } from '../../agent/config/agentDefinition';
import type { AgentConnection } from '../../agent/connection/agentConnection';
import type { JsonObject } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import type { UsageLimit } from '../../shared/state/usageState';
import { mergeLimits } from '../../shared/state/usageState';
import type { ReplayFilter } from '../repeatedUpdates';
import type { AttachedSession, SessionLookup, SessionHandle } from '../sessionHandle';
import { capabilitiesOf } from './sessionCapabilities';
import type { RunInTerminal } from './signInFlow';
import { SignInFlow } from './signInFlow';

/** Serves one agent process for its lifetime. */
export interface AgentServices extends Disposable {
  /** A session was detached: its resources are released and its commands end. */
  onDidCloseSession?(agentSessionId: string): void;
  /**
   * The MCP servers to declare for a session, as ACP's `McpServer`. They answer before this settles, since agents connect while
   * `session/new` is pending. A session gets the same URLs and tokens each time.
   */
  mcpServers?(session: SessionHandle): Promise<readonly JsonObject[]>;
}

/** The contribution of another part of Parley to an agent's connection. */
export interface ConnectionContribution {
  readonly features: readonly ClientFeature[];
  readonly services: Omit<AgentServices, 'onDidCloseSession'>;
}

/** Creates the connection with all client features; `lookup` finds the session of a request. */
export type Connect = (
  definition: AgentDefinition,
  lookup: SessionLookup,
  onUpdate: (sessionId: string, update: JsonObject) => void,
) => { readonly connection: AgentConnection; readonly services: AgentServices };

/** Updates buffered per unknown session id; older ones are dropped. */
const MAX_EARLY_UPDATES = 1_000;
/** Unknown session ids with buffered updates. */
const MAX_EARLY_SESSIONS = 64;

/** A session on an agent's process. */
interface Attachment {
  readonly session: AttachedSession;
  readonly replay: ReplayFilter | undefined;
}

/** One running agent process and the sessions on it. */
export class SharedAgent implements SessionLookup {
  readonly definition: AgentDefinition;
  readonly connection: AgentConnection;
  readonly signIn: SignInFlow;
  /** The session that shows the process state; the last one of several. */
  lastSession: AttachedSession | undefined;
  readonly #services: AgentServices;
  readonly #sessions = new Map<string, Attachment>();
  readonly #early = new Map<string, JsonObject[]>();
  #limits: readonly UsageLimit[] = [];
  /** The top-level session of each child session (`subagent_update`). */
  readonly #parents = new Map<string, Attachment>();

  /** @param runInTerminal runs a sign-in command in a visible terminal */
  constructor(definition: AgentDefinition, connect: Connect, runInTerminal: RunInTerminal | undefined) {
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
    return Array.from(this.#sessions.values(), ({ session }) => session);
  }

  find(agentSessionId: string): AttachedSession | undefined {
    return (this.#sessions.get(agentSessionId) ?? this.#parents.get(agentSessionId))?.session;
  }

  /** Whether another session has this id: an agent that gives it again would mix two conversations and their approvals. */
  isTaken(agentSessionId: string, by?: SessionHandle): boolean {
    return (this.#sessions.get(agentSessionId)?.session ?? by) !== by;
  }

  /** The running session, else the last one that used this process. */
  activeSession(): AttachedSession | undefined {
    const running = this.sessions.find(({ state }) => state.turn.status === 'running');
    return running ?? this.lastSession ?? this.sessions[0];
  }

  /**
   * Attaches a session and applies the updates that arrived before `session/new` was answered.
   * @param replay filters the updates while the agent replays the history of the session
   */
  attach(agentSessionId: string, session: AttachedSession, replay?: ReplayFilter): void {
    const attachment = { session, replay };
    this.#sessions.set(agentSessionId, attachment);
    if (this.#limits.length > 0) session.dispatch({ type: 'limitsChanged', limits: this.#limits });
    const early = this.#early.get(agentSessionId) ?? [];
    this.#early.delete(agentSessionId);
    for (const update of early) this.#applyUpdate(attachment, update);
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
    const session = this.#sessions.get(agentSessionId)?.session;
    for (const [child, parent] of this.#parents) if (parent.session === session) this.#parents.delete(child);
    if (this.#sessions.delete(agentSessionId)) this.#services.onDidCloseSession?.(agentSessionId);
  }

  /** Detaches a session and sends `session/close` if the agent supports it. */
  close(agentSessionId: string): void {
    this.detach(agentSessionId);
    if (!this.isAlive || !capabilitiesOf(this).close) return;
    this.connection.request('session/close', { sessionId: agentSessionId }).catch(() => undefined);
  }

  /** Asks the agent to end the session's turn. */
  cancel(agentSessionId: string): void {
    this.connection.notify('session/cancel', { sessionId: agentSessionId });
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
    const own = this.#sessions.get(sessionId);
    const parent = this.#parents.get(sessionId);
    if (own) return this.#applyUpdate(own, update);
    if (parent) return this.#applyUpdate(parent, update, sessionId);
    const early = this.#early.get(sessionId) ?? [];
    const [oldest] = this.#early.keys();
    if (oldest !== undefined && this.#early.size >= MAX_EARLY_SESSIONS && !this.#early.has(sessionId))
      this.#early.delete(oldest);
    early.push(update);
    if (early.length > MAX_EARLY_UPDATES) early.shift();
    this.#early.set(sessionId, early);
  }

  /** Passes an update to its session, then the buffered updates of child sessions that it announced. */
  #applyUpdate(to: Attachment, update: JsonObject, childId?: string): void {
    const part = to.replay ? to.replay.newPart(update, childId !== undefined) : update;
    if (part) to.session.model.applyUpdate(part, childId);
    const child = update['sessionUpdate'] === 'subagent_update' ? update['sessionId'] : undefined;
    if (typeof child !== 'string' || this.#sessions.has(child) || this.#parents.has(child)) return;
    this.#parents.set(child, to);
    const early = this.#early.get(child) ?? [];
    this.#early.delete(child);
    for (const one of early) this.#applyUpdate(to, one, child);
  }
}

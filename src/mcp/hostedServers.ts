import type { AgentDefinition } from '../agent/config/agentDefinition';
import type { AgentConnection } from '../agent/connection/agentConnection';
import { errorMessage } from '../base/errors';
import type { Event } from '../base/event';
import { Emitter } from '../base/event';
import type { JsonObject } from '../base/json';
import type { Logger } from '../base/logger';
import type { AgentServices, ConnectionContribution } from '../session/agents/sharedAgent';
import type { SessionHandle } from '../session/sessionHandle';
import type { CallGate } from './calls/callGate';
import type { McpTraffic } from './contract/recordedMcpConnection';
import type { RegisteredServer } from './contract/toolServerRegistry';
import { untilReady } from './contract/toolServerRegistry';
import type { AgentTransports, TransportKind } from './contract/transportKind';
import { agentTransports, chooseTransport } from './contract/transportKind';
import type { LazyUserServers } from './contract/userServers';
import type { ServerIdentity, ServerSdk } from './host/hostedServer';
import { createServerIdentity, HostedServer, loadServerSdk } from './host/hostedServer';
import { SessionServer } from './host/sessionServer';
import type { LocalTransports } from './transport/localTransports';
import { McpOverAcp } from './transport/mcpOverAcp';

/** The tool servers declared to a session's agent when the session opened. */
interface DeclaredServers {
  /** How the agent connects to the servers; `none` if no transport reaches the agent. */
  readonly transportKind: TransportKind | 'none';
  readonly names: ReadonlySet<string>;
  /** Names of those that the agent reaches directly. */
  readonly direct: ReadonlySet<string>;
}

/** The servers of every open session of this window, and their transports. */
export class HostedServers {
  /** By session, then by name. */
  readonly #served = new Map<string, Map<string, HostedServer>>();
  /** Kept for the window's lifetime: a reopened session must get the same list, since agents compare it. */
  readonly #identities = new Map<string, ServerIdentity>();
  readonly #byServerId = new Map<string, HostedServer>();
  /** How often each session was closed. If that changes while servers are declared for a session, they are not served. */
  readonly #closings = new Map<string, number>();
  /** By session: ACP cannot declare more while a session is open. */
  readonly #declared = new Map<string, DeclaredServers>();
  readonly #onDidDeclare = new Emitter<void>();
  readonly #onDidClose = new Emitter<string>();
  #isDisposed = false;

  /** The servers of a session were declared. */
  readonly onDidDeclare: Event<void> = this.#onDidDeclare.event;
  /** Fires the id of a session whose servers were closed. */
  readonly onDidClose: Event<string> = this.#onDidClose.event;

  /** @param userServers outside this window; some are passed to agents unchanged */
  constructor(
    private readonly gate: CallGate,
    private readonly transports: LocalTransports,
    private readonly log: Logger,
    private readonly version: string,
    private readonly userServers?: LazyUserServers,
    private readonly traffic?: McpTraffic,
  ) {}

  /** Declares the servers to one agent and serves its MCP-over-ACP requests. */
  createContribution(definition: AgentDefinition, connection: () => AgentConnection): ConnectionContribution {
    /** Only servers declared to this process: a server id that belongs to another agent is not found. */
    const declaredIds = new Set<string>();
    const feature = new McpOverAcp({
      find: (serverId) => (declaredIds.has(serverId) ? this.find(serverId) : undefined),
      notify: (method, params) => connection().notify(method, params),
    });
    const mcpServers: AgentServices['mcpServers'] = async (session) => {
      const { state, quirk } = connection();
      if (state.status !== 'ready') return [];
      const transports = agentTransports(definition, state.info.capabilities, quirk?.ownMcpFiles);
      const transportKind = chooseTransport(transports) ?? 'none';
      if (transportKind === 'none') {
        this.log.info(
          'mcp',
          `Offered only public servers to ${definition.title}, which runs on another machine and does not support MCP over ACP`,
        );
      }
      const declared = await this.declareServers(session, transportKind, quirk?.rejectsMcpIdField !== true, transports);
      for (const { serverId } of declared) if (typeof serverId === 'string') declaredIds.add(serverId);
      return declared;
    };
    return { features: [feature], services: { mcpServers, dispose: () => feature.dispose() } };
  }

  /** By the id declared over ACP. */
  find(serverId: string): HostedServer | undefined {
    return this.#byServerId.get(serverId);
  }

  get(sessionId: string, name: string): HostedServer | undefined {
    return this.#served.get(sessionId)?.get(name);
  }

  /**
   * Serves what the gate allows in the session and returns the declarations. A server that cannot be opened is logged and skipped: it must
   * not keep the session from opening.
   * @param transportKind `none`: only servers that the agent reaches directly
   * @param transports what the agent can reach directly; nothing if undefined
   */
  async declareServers(
    session: SessionHandle,
    transportKind: TransportKind | 'none',
    hasIdTwin: boolean,
    transports?: AgentTransports,
  ): Promise<readonly JsonObject[]> {
    const closings = this.#closings.get(session.id);
    const userServers = await this.userServers?.load();
    if (transports) await userServers?.prepare(session, transports);
    await untilReady(this.gate.availableServers(session));
    const available = this.gate.availableServers(session);
    const direct = new Set<string>();
    if (available.length === 0) return this.#note(session.id, transportKind, [], direct);
    const before = this.#declared.get(session.id);
    if (before) this.#declared.set(session.id, { ...before, direct });
    const sdk = await loadServerSdk();
    if (this.#isDisposed || closings !== this.#closings.get(session.id)) return [];
    const declared = await Promise.all(
      available.map(async (registered) => {
        try {
          const declaration = transports && userServers?.declaration(session, registered);
          if (declaration) {
            direct.add(registered.name);
            return declaration;
          }
          if (transportKind === 'none') return undefined;
          return await this.#declareServer(this.#serve(sdk, session, registered), transportKind, hasIdTwin);
        } catch (error) {
          this.log.error('mcp', `Failed to offer the tool server “${registered.name}”: ${errorMessage(error)}`);
          return undefined;
        }
      }),
    );
    const sent = declared.filter((declaration) => declaration !== undefined);
    return this.#note(session.id, transportKind, sent, direct);
  }

  #note(
    sessionId: string,
    transportKind: DeclaredServers['transportKind'],
    declared: readonly JsonObject[],
    direct: ReadonlySet<string>,
  ): readonly JsonObject[] {
    this.#declared.set(sessionId, { transportKind, names: new Set(declared.map(({ name }) => String(name))), direct });
    this.#onDidDeclare.fire();
    return declared;
  }

  /** Undefined before the session's agent has received its servers. */
  declared(sessionId: string): DeclaredServers | undefined {
    return this.#declared.get(sessionId);
  }

  /** Whether an available server was not declared to the session's agent. */
  isLate(session: SessionHandle, registered: RegisteredServer): boolean {
    const sent = this.#declared.get(session.id);
    if (!sent || sent.transportKind === 'none') return false;
    return !sent.names.has(registered.name) && this.gate.isServerAvailable(session, registered);
  }

  /** Whether the session's agent lacks a server that is available, or has one that no longer is. */
  isOutdated(session: SessionHandle): boolean {
    return (
      this.findOutdated(session).length > 0 ||
      this.gate.availableServers(session).some((registered) => this.isLate(session, registered))
    );
  }

  /**
   * Names of the servers that the session's agent still reaches directly, although rules, switches or their definitions no longer allow it:
   * Parley is not in between and cannot refuse calls.
   */
  findOutdated(session: SessionHandle): readonly string[] {
    const direct = [...(this.#declared.get(session.id)?.direct ?? [])];
    if (direct.length === 0) return direct;
    const allowed = this.gate
      .availableServers(session)
      .filter((registered) => this.userServers?.value?.declaration(session, registered));
    return direct.filter((name) => !allowed.some((registered) => registered.name === name));
  }

  /** Closes the session's servers: they refuse new calls and abort running ones. */
  async close(sessionId: string): Promise<void> {
    this.#closings.set(sessionId, (this.#closings.get(sessionId) ?? 0) + 1);
    const served = [...(this.#served.get(sessionId)?.values() ?? [])];
    this.#served.delete(sessionId);
    this.#declared.delete(sessionId);
    this.gate.closeSession(sessionId);
    this.userServers?.value?.closeSession(sessionId);
    this.#onDidClose.fire(sessionId);
    await Promise.all(served.map((server) => this.#end(server)));
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await Promise.all([...this.#served.keys()].map((sessionId) => this.close(sessionId)));
    this.transports.dispose();
    this.#onDidDeclare.dispose();
    this.#onDidClose.dispose();
  }

  #serve(sdk: ServerSdk, session: SessionHandle, registered: RegisteredServer): HostedServer {
    const existing = this.get(session.id, registered.name);
    if (existing && existing.registered === registered) return existing;
    if (existing) void this.#end(existing);
    const identity = this.#identity(session.id, registered.name);
    const served = new HostedServer(
      sdk,
      new SessionServer(registered, session, this.gate, this.log, this.traffic),
      identity,
      this.version,
    );
    const servers = this.#served.get(session.id) ?? new Map<string, HostedServer>();
    servers.set(registered.name, served);
    this.#served.set(session.id, servers);
    this.#byServerId.set(identity.serverId, served);
    return served;
  }

  #identity(sessionId: string, name: string): ServerIdentity {
    const key = JSON.stringify([sessionId, name]);
    const identity = this.#identities.get(key) ?? createServerIdentity(name);
    this.#identities.set(key, identity);
    return identity;
  }

  async #declareServer(served: HostedServer, transportKind: TransportKind, hasIdTwin: boolean): Promise<JsonObject> {
    const { name } = served;
    const { serverId } = served.identity;
    if (transportKind === 'acp') return { type: 'acp', name, serverId, ...(hasIdTwin && { id: serverId }) };
    return this.transports.declare(served, transportKind);
  }

  async #end(served: HostedServer): Promise<void> {
    if (this.#byServerId.get(served.identity.serverId) === served) this.#byServerId.delete(served.identity.serverId);
    this.transports.remove(served);
    await served.close();
  }
}

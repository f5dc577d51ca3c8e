import { errorMessage } from '../base/errors';
import type { JsonObject } from '../base/json';
import { Lazy } from '../base/lazy';
import type { Logger } from '../base/logger';
import type { SessionHandle } from '../session/sessionHandle';
import type { RegisteredServer, ToolServers } from './contract/toolServerRegistry';
import type { AgentTransports, TransportKind } from './contract/transportKind';
import type { ServerIdentity, ServerSdk } from './host/hostedServer';
import { createServerIdentity, HostedServer, loadServerSdk } from './host/hostedServer';
import type { CallGate } from './host/sdkServerOptions';
import type { UserServers } from './userServers/userServers';

interface HostedServersOptions {
  readonly servers: ToolServers;
  readonly gate: CallGate;
  readonly log: Logger;
  readonly version: string;
  /** Absolute path of the bundled relay. */
  readonly relay: string;
  /** User servers outside this window; some are passed to agents unchanged. */
  readonly userServers?: Pick<UserServers, 'prepare' | 'declaration' | 'closeSession'>;
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
  /** By session: the servers that the agent was told to reach directly when the session opened. */
  readonly #direct = new Map<string, ReadonlySet<string>>();
  #isDisposed = false;
  readonly #bridge = new Lazy(async () => {
    const { McpOverHttp } = await import('./transport/mcpOverHttp');
    return new McpOverHttp(this.options.log, await import('./contract/mcpServerSdk'));
  });
  readonly #relays = new Lazy(async () => {
    const { RelaySocket } = await import('./transport/mcpOverStdio');
    return new RelaySocket(this.options.log, this.options.relay);
  });

  constructor(private readonly options: HostedServersOptions) {}

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
    const { servers, gate, log, userServers } = this.options;
    const closings = this.#closings.get(session.id);
    if (transports) await userServers?.prepare(session, transports);
    const available = servers.list().filter((registered) => gate.isServerAvailable(session, registered));
    this.#direct.delete(session.id);
    if (available.length === 0) return [];
    const direct = new Set<string>();
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
          log.error('mcp', `Failed to offer the tool server “${registered.name}”: ${errorMessage(error)}`);
          return undefined;
        }
      }),
    );
    this.#direct.set(session.id, direct);
    return declared.filter((declaration) => declaration !== undefined);
  }

  /**
   * Names of the servers that the session's agent still reaches directly, although rules, switches or their definitions no longer allow it:
   * Parley is not in between and cannot refuse calls.
   */
  findOutdated(session: SessionHandle): readonly string[] {
    const { servers, gate, userServers } = this.options;
    return [...(this.#direct.get(session.id) ?? [])].filter((name) => {
      const registered = servers.get(name);
      return (
        !registered || !gate.isServerAvailable(session, registered) || !userServers?.declaration(session, registered)
      );
    });
  }

  /** Closes the session's servers: they refuse new calls and abort running ones. */
  async close(sessionId: string): Promise<void> {
    this.#closings.set(sessionId, (this.#closings.get(sessionId) ?? 0) + 1);
    const served = [...(this.#served.get(sessionId)?.values() ?? [])];
    this.#served.delete(sessionId);
    this.#direct.delete(sessionId);
    this.options.userServers?.closeSession(sessionId);
    await Promise.all(served.map((server) => this.#end(server)));
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await Promise.all([...this.#served.keys()].map((sessionId) => this.close(sessionId)));
    this.#bridge.dispose();
    this.#relays.dispose();
  }

  #serve(sdk: ServerSdk, session: SessionHandle, registered: RegisteredServer): HostedServer {
    const { gate, log, version } = this.options;
    const existing = this.get(session.id, registered.name);
    if (existing && existing.registered === registered) return existing;
    if (existing) void this.#end(existing);
    const identity = this.#identity(session.id, registered.name);
    const served = new HostedServer({ ...sdk, registered, session, gate, version, identity, log });
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
    if (transportKind === 'http') {
      const { url, token } = await (await this.#bridge.load()).add(served);
      return { type: 'http', name, url, headers: [{ name: 'Authorization', value: `Bearer ${token}` }] };
    }
    const { command, args, env } = await (await this.#relays.load()).add(served);
    return { name, command, args, env: Object.entries(env).map(([key, value]) => ({ name: key, value })) };
  }

  async #end(served: HostedServer): Promise<void> {
    if (this.#byServerId.get(served.identity.serverId) === served) this.#byServerId.delete(served.identity.serverId);
    this.#bridge.value?.remove(served);
    this.#relays.value?.remove(served);
    await served.close();
  }
}

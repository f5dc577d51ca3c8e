import { homedir } from 'node:os';
import { assertNever } from '../../base/assert';
import { settlesWithin } from '../../base/async';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, toDisposable } from '../../base/lifecycle';
import type { SettingProblem } from '../../base/settings';
import { isInside } from '../../node/fs/realPaths';
import { foldersFrom } from '../../session/sessionFolder';
import type { SessionHandle } from '../../session/sessionHandle';
import { serverUnavailable, toolId } from '../availability/toolFilter';
import type { ToolFilterSettings } from '../availability/toolFilterSettings';
import type { RegisteredServer, ToolServers } from '../contract/toolServerRegistry';
import type { AgentTransports } from '../contract/transportKind';
import type { UserServers } from '../contract/userServers';
import type { ServerDefinition, ServerLaunch, ServerOrigin } from './config/serverDefinition';
import { definitionKey, isFiltered } from './config/serverDefinition';
import type { ServerSourceReader } from './config/serverSources';
import type { GatewaySettings } from './gatewaySettings';
import type { Route } from './serverRoute';
import { routeOf } from './serverRoute';
import type { UserServerOwner } from './userServer';
import { UserServer } from './userServer';
import type { UserServerFactory } from './userServerFactory';

/** Milliseconds that opening a session waits for servers; servers that take longer are added later. */
const PREPARE_TIMEOUT_MS = 5_000;

interface Added extends Disposable {
  readonly server: UserServer;
}

export class WindowUserServers implements UserServers, UserServerOwner, Disposable {
  readonly #store = new DisposableStore();
  readonly #onDidChange = this.#store.add(new Emitter<void>());

  readonly onDidChange: Event<void> = this.#onDidChange.event;
  readonly onDidReadSources: Event<void>;

  /** Keys are origin and name; the order is that of the definitions. */
  #added = new Map<string, Added>();
  /** By agent name. */
  readonly #transports = new Map<string, AgentTransports>();
  /** Open sessions by id: later servers are prepared for them. */
  readonly #sessions = new Map<string, SessionHandle>();

  /** The workspace folder of the session that needed a server first. Sessions share its process. */
  readonly #firstFolders = new WeakMap<UserServer, string>();

  /** Open Tools panels. */
  readonly #viewers = new Set<{ readonly session: SessionHandle }>();

  constructor(
    private readonly servers: ToolServers,
    private readonly sources: ServerSourceReader,
    private readonly rules: ToolFilterSettings,
    private readonly gateway: GatewaySettings,
    private readonly factory: UserServerFactory,
  ) {
    this.onDidReadSources = sources.onDidChange;
    this.#store.add(this.onDidReadSources(() => this.#updateServers()));
    this.#store.add(rules.onDidChange(() => this.#prepareSessions()));
    this.#updateServers();
  }

  async prepare(session: SessionHandle, transports: AgentTransports): Promise<void> {
    const agent = session.state.agent?.name ?? '';
    this.#transports.set(agent, transports);
    this.#sessions.set(session.id, session);
    const all = this.sources.ready.then(() => {
      return Promise.all(
        this.#serversFor(session).map(({ server, isGateway }) => this.#prepare(server, isGateway, session)),
      );
    });
    await settlesWithin(all, PREPARE_TIMEOUT_MS, this.factory.window.clock);
    this.#listNew();
  }

  async #prepare(server: UserServer, isGateway: boolean, session: SessionHandle): Promise<void> {
    const [folder] = foldersFrom(session.cwd, this.factory.window.folders());
    if (folder !== undefined && !this.#firstFolders.has(server)) this.#firstFolders.set(server, folder);
    await server.prepare(isGateway);
    if (isGateway || server.definition.mayBeSse !== true || server.start?.type !== 'http') return;
    // The agent must be told which transport it is; only a connection shows that.
    await server.list(false);
    if (this.routeOf(server, session)?.type === 'gateway') await server.prepare(true);
  }

  folderOf(server: UserServer): string {
    const folders = this.factory.window.folders();
    const first = this.#firstFolders.get(server);
    const isOpen = first !== undefined && folders.includes(first);
    return server.definition.origin.folder ?? (isOpen ? first : (folders[0] ?? homedir()));
  }

  closeSession(sessionId: string): void {
    this.#sessions.delete(sessionId);
  }

  declaration(session: SessionHandle, { name, server }: RegisteredServer): JsonObject | undefined {
    if (!(server instanceof UserServer) || this.routeOf(server, session)?.type !== 'asItIs') return undefined;
    return server.start && toAcpServer(name, server.start);
  }

  view(session: SessionHandle): Disposable {
    const viewer = { session };
    this.#viewers.add(viewer);
    void this.#listViewed(viewer);
    return toDisposable(() => {
      this.#viewers.delete(viewer);
      if (this.#viewers.size === 0) for (const server of this.all) void server.lister.cancel();
    });
  }

  async list(session: SessionHandle): Promise<void> {
    await this.sources.ready;
    await Promise.all(this.#enabledServers(session).map((server) => server.list(false)));
  }

  async setUp(name: string): Promise<void> {
    const server = this.servers.get(name)?.server;
    if (!(server instanceof UserServer)) return;
    await server.prepare(false, true);
    this.#prepareSessions();
  }

  stateOf(name: string): string | undefined {
    const server = this.servers.get(name)?.server;
    return server instanceof UserServer ? server.state : undefined;
  }

  get all(): readonly UserServer[] {
    return [...this.#added.values()].map(({ server }) => server);
  }

  unknown(): readonly string[] {
    const found = this.servers.list().filter(({ server }) => server instanceof UserServer && server.tools.length === 0);
    return found.map(({ name }) => name);
  }

  async trustedTools(): Promise<readonly string[]> {
    await this.sources.ready;
    return this.servers.list().flatMap(({ name, server }) => {
      const trusted = server instanceof UserServer ? server.definition.tools?.trusted : undefined;
      return trusted?.map((tool) => toolId(name, tool)) ?? [];
    });
  }

  problems(): readonly SettingProblem[] {
    return this.sources.problems();
  }

  async refresh(): Promise<void> {
    const servers = new Map(
      [...this.#sessions.values()].flatMap((session) => this.#serversFor(session)).map((one) => [one.server, one]),
    );
    const viewed = [...this.#viewers].flatMap(({ session }) => this.#enabledServers(session));
    await Promise.all([
      ...[...servers.values()].map(async ({ server, isGateway }) => {
        if (server.isStuck) await server.prepare(isGateway, true);
        else await server.refresh();
      }),
      ...[...new Set(viewed)].map((server) => server.list(true)),
    ]);
  }

  async shutdown(): Promise<void> {
    await Promise.all(this.all.map((server) => server.shutdown()));
  }

  dispose(): void {
    this.#store.dispose();
    for (const { server } of this.#added.values()) server.dispose();
    this.#added.clear();
  }

  #enabledServers(session: SessionHandle): readonly UserServer[] {
    const rules = this.rules.rulesOf(session);
    return this.servers
      .list()
      .flatMap(({ name, server }) => (server instanceof UserServer && !serverUnavailable(name, rules) ? [server] : []));
  }

  async #listViewed(viewer: { readonly session: SessionHandle }): Promise<void> {
    await this.sources.ready;
    if (this.#viewers.has(viewer)) for (const server of this.#enabledServers(viewer.session)) void server.list(false);
  }

  /** Lists what came while a panel is open. A failed server is not tried again. */
  #listNew(): void {
    for (const { session } of this.#viewers)
      for (const server of this.#enabledServers(session)) if (server.lister.isNew) void server.list(false);
  }

  #serversFor(session: SessionHandle): readonly { readonly server: UserServer; readonly isGateway: boolean }[] {
    const rules = this.rules.rulesOf(session);
    return this.servers.list().flatMap(({ name, server }) => {
      if (!(server instanceof UserServer) || serverUnavailable(name, rules)) return [];
      const route = this.routeOf(server, session);
      return route && route.type !== 'none' ? [{ server, isGateway: route.type === 'gateway' }] : [];
    });
  }

  /** Prepares servers for open chats after a change. Postponed prompts are not repeated. */
  #prepareSessions(): void {
    for (const session of this.#sessions.values()) {
      for (const { server, isGateway } of this.#serversFor(session))
        if (!server.isStuck) void this.#prepare(server, isGateway, session);
    }
    this.#listNew();
  }

  routeOf(server: UserServer, session: SessionHandle): Route | undefined {
    const transports = this.#transports.get(session.state.agent?.name ?? '');
    const name = this.servers.list().find((registered) => registered.server === server)?.name;
    if (!transports || name === undefined) return undefined;
    const { origin, start } = server.definition;
    if (isReadByAgent(origin, session.cwd, transports))
      return { type: 'none', why: t('the agent itself reads this server from {0}', origin.file ?? '') };
    return routeOf({
      name,
      // A connection may have shown that the server uses SSE.
      start: server.start ?? start,
      isFiltered: isFiltered(server.definition),
      mode: this.gateway.mode,
      rules: this.rules.rulesOf(session),
      permissions: this.gateway.toolPatterns,
      transports,
    });
  }

  /** Keeps servers whose definition is unchanged. Order matters: of several servers with one name, the first keeps the name. */
  #updateServers(): void {
    const definitions = this.sources.definitions();
    const keys = definitions.map(serverKey);
    const old = this.#added;
    const isSame = [...old.keys()].every((key, index) => keys[index] === key);
    for (const [key, added] of old) {
      if (!isSame) added.dispose();
      if (!keys.includes(key)) added.server.dispose();
    }
    this.#added = new Map();
    for (const definition of definitions) {
      const previous = old.get(serverKey(definition));
      this.#added.set(serverKey(definition), this.#add(definition, previous, isSame));
    }
    this.#onDidChange.fire();
    this.#prepareSessions();
  }

  #add(definition: ServerDefinition, previous: Added | undefined, isSame: boolean): Added {
    const server = previous?.server ?? this.#createServer(definition);
    if (previous && definitionKey(server.definition) !== definitionKey(definition)) void server.redefine(definition);
    if (previous && isSame) return previous;
    const registration = this.servers.add(server, 'person');
    return { server, dispose: () => registration.dispose() };
  }

  #createServer(definition: ServerDefinition): UserServer {
    const server = this.factory.create(definition, this);
    server.onDidChange(() => this.#onDidChange.fire());
    return server;
  }
}

function serverKey({ name, origin }: ServerDefinition): string {
  return JSON.stringify([origin.id, name]);
}

/** Whether the agent has the server already: it would get its tools twice. */
function isReadByAgent({ file, folder }: ServerOrigin, cwd: string, { ownMcpFiles }: AgentTransports): boolean {
  return file !== undefined && ownMcpFiles?.includes(file) === true && (folder === undefined || isInside(folder, cwd));
}

/** ACP's `McpServer` (https://agentclientprotocol.com/protocol/session-setup). */
function toAcpServer(name: string, start: ServerLaunch): JsonObject | undefined {
  const listed = (values: Readonly<Record<string, string>>): JsonObject[] =>
    Object.entries(values).map(([key, value]) => ({ name: key, value }));
  switch (start.type) {
    case 'stdio':
      return { name, command: start.command, args: start.args, env: listed(start.env) };
    case 'http':
    case 'sse':
      return { type: start.type, name, url: start.url, headers: listed(start.headers) };
    case 'ws':
      return undefined;
    default:
      return assertNever(start);
  }
}

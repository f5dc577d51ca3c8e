import { randomBytes, randomUUID } from 'node:crypto';
import { settlesWithin } from '../../base/async';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import { asArray, asObject } from '../../base/json';
import { RpcError, rpcCodes } from '../../base/jsonRpc';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { McpOutcome } from '../../session/toolServer';
import type { RegisteredServer } from '../contract/toolServerRegistry';
import type * as SdkServer from './createSdkServer';
import { InMemoryTransport } from './inMemoryTransport';
import type { McpRequest } from './inMemoryTransport';
import type { Mcp, SessionServer } from './sessionServer';

/** Per server of a session. */
export const MAX_CONNECTIONS = 16;
/** Per server of a session. */
export const MAX_ACTIVE = 64;
/** Milliseconds that running calls get to end after they were aborted. */
const GRACE_MS = 2_000;

/** Bytes, for every transport. */
export const MAX_REQUEST = 4 * 1024 * 1024;

/** JSON-RPC's code for errors of a server. */
const SERVER_ERROR = -32000;

/** A request that a server refuses, with MCP's code; a transport with its own codes translates the reason. */
export class ServedError extends RpcError {
  readonly reason: 'limit' | 'unavailable';

  constructor(reason: ServedError['reason'], message: string) {
    super(SERVER_ERROR, message);
    this.reason = reason;
  }
}

export function tooLong(): ServedError {
  return new ServedError('limit', `A request may have ${MAX_REQUEST} bytes`);
}

/** Stable per session and name, so that repeated declarations are equal. */
export interface ServerIdentity {
  /** Over ACP. */
  readonly serverId: string;
  /** Path of the local HTTP server, without the slash. */
  readonly route: string;
  /** For HTTP and the relay; never in a URL. */
  readonly token: string;
}

export function createServerIdentity(name: string): ServerIdentity {
  return {
    serverId: `${name}:${randomUUID()}`,
    route: randomBytes(12).toString('hex'),
    token: randomBytes(32).toString('base64url'),
  };
}

export interface McpConnection {
  readonly id: string;
  readonly channel: InMemoryTransport;
}

export interface ServerSdk {
  readonly library: Mcp;
  readonly serve: (typeof SdkServer)['serveChannel'];
}

/** The SDK and the code that needs it are large, so they are loaded with the first server. */
export async function loadServerSdk(): Promise<ServerSdk> {
  const [library, { serveChannel }] = await Promise.all([
    import('../contract/mcpServerSdk'),
    import('./createSdkServer'),
  ]);
  return { library, serve: serveChannel };
}

/** One server of one session: the target of every transport. */
export class HostedServer {
  readonly name: string;
  readonly sessionId: string;
  readonly registered: RegisteredServer;
  readonly #connections = new Map<string, McpConnection & Disposable>();
  readonly #active = new Map<Promise<McpOutcome>, InMemoryTransport>();
  readonly #onDidClose = new Emitter<void>();
  #isDisposed = false;
  #stateless: (McpConnection & Disposable) | undefined;

  /** Transports of the server close with it. */
  readonly onDidClose: Event<void> = this.#onDidClose.event;

  constructor(
    private readonly sdk: ServerSdk,
    private readonly served: SessionServer,
    readonly identity: ServerIdentity,
    private readonly version: string,
  ) {
    this.name = served.registered.name;
    this.sessionId = served.session.id;
    this.registered = served.registered;
  }

  get active(): number {
    return this.#active.size;
  }

  get connections(): number {
    return this.#connections.size;
  }

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  /** The channel for requests without a connection (MCP 2026-07-28). */
  get stateless(): InMemoryTransport {
    this.#stateless ??= this.#open(randomUUID());
    return this.#stateless.channel;
  }

  /** @throws ServedError over the limit, and after the end */
  connect(): McpConnection {
    if (this.isDisposed) throw unavailable(this.name);
    if (this.#connections.size >= MAX_CONNECTIONS) {
      const message = `“${this.name}” has ${MAX_CONNECTIONS} connections, which is the limit. Close one.`;
      throw new ServedError('limit', message);
    }
    const connection = this.#open(randomUUID());
    this.#connections.set(connection.id, connection);
    return connection;
  }

  /**
   * Like {@link connect}, for clients that reconnect without closing: over the limit it closes the connection that was idle the longest,
   * whose client would have to initialize again (MCP 2025-06-18: session management).
   */
  connectReplacingIdle(): McpConnection {
    if (this.#connections.size >= MAX_CONNECTIONS) {
      const quiet = [...this.#connections.values()].find(({ channel }) => !channel.isInUse);
      if (quiet) this.disconnect(quiet.id);
    }
    return this.connect();
  }

  /** Looks up a connection and makes it the last used one. */
  connection(id: string): McpConnection | undefined {
    const open = this.#connections.get(id);
    if (open && this.#connections.delete(id)) this.#connections.set(id, open);
    return open;
  }

  /** The last used connection, for clients that do not send its id. */
  get lastConnection(): McpConnection | undefined {
    return [...this.#connections.values()].at(-1);
  }

  /** Returns false when there is no such connection. */
  disconnect(id: string): boolean {
    this.#connections.get(id)?.dispose();
    return this.#connections.delete(id);
  }

  /**
   * @throws ServedError over the limit of running requests, and after the end
   * @throws CanceledError when it was canceled or the server ended meanwhile
   */
  async handleRequest(channel: InMemoryTransport, request: McpRequest): Promise<McpOutcome> {
    if (this.isDisposed) throw unavailable(this.name);
    if (this.#active.size >= MAX_ACTIVE) {
      const message = `“${this.name}” answers ${MAX_ACTIVE} requests already, which is the limit. Wait for one to end.`;
      throw new ServedError('limit', message);
    }
    const answer = channel.request(request);
    this.#active.set(answer, channel);
    const watched = request.method === 'subscriptions/listen' ? this.#watch(request) : undefined;
    try {
      return await answer;
    } finally {
      watched?.dispose();
      this.#active.delete(answer);
    }
  }

  /** Refuses new calls, aborts running ones, waits up to two seconds, then closes. */
  async close(): Promise<void> {
    if (this.isDisposed) return;
    this.#isDisposed = true;
    const running = [...this.#active.keys()];
    for (const channel of new Set(this.#active.values())) channel.cancelAll();
    await settlesWithin(Promise.allSettled(running), GRACE_MS);
    for (const connection of this.#connections.values()) connection.dispose();
    this.#connections.clear();
    this.#stateless?.dispose();
    this.#onDidClose.fire();
    this.#onDidClose.dispose();
  }

  /** In MCP 2026-07-28 a change stream names its resources and lasts as long as its request. */
  #watch({ params }: McpRequest): Disposable {
    const store = new DisposableStore();
    const { server } = this.registered;
    if (!server.watch) return store;
    const uris = asArray(asObject(params?.['notifications'])?.['resourceSubscriptions']);
    for (const uri of uris) if (typeof uri === 'string') store.add(server.watch(uri));
    return store;
  }

  #open(id: string): McpConnection & Disposable {
    const channel = new InMemoryTransport();
    const store = this.sdk.serve(this.sdk.library, this.served, this.version, channel);
    return { id, channel, dispose: () => store.dispose() };
  }
}

function unavailable(name: string): ServedError {
  return new ServedError('unavailable', `The MCP server “${name}” is gone`);
}

export function unknownId(field: string, id: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, `There is no MCP ${field} ${JSON.stringify(id)} on this connection`);
}

import type { ClientFeature, NotificationHandler, RequestContext, RequestHandler } from '../../agent/clientFeature';
import { isCancellation, errorMessage } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asObject, asString, isObject, requireObject, requireString } from '../../base/json';
import { RpcError, rpcCodes } from '../../base/jsonRpc';
import type { Disposable } from '../../base/lifecycle';
import type { McpOutcome } from '../../session/toolServer';
import type { McpConnection, HostedServer } from '../host/hostedServer';
import { MAX_REQUEST, ServedError, tooLong, unknownId } from '../host/hostedServer';
import { META, STATELESS } from '../host/inMemoryTransport';

/** Error codes for requests without a connection. */
const bindingCodes = { limit: -33000, unavailable: -33001, backend: -33002 } as const;

/** The servers declared to one agent's process. */
interface AcpServerLookup {
  find(serverId: string): HostedServer | undefined;
  notify(method: string, params: JsonObject): void;
}

interface Message {
  readonly serverId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly connectionId?: string | undefined;
  readonly method: string;
  readonly params: JsonObject | undefined;
}

/**
 * MCP over ACP in both generations, distinguished by the params: `serverId` and `requestId` carry one request of MCP 2026-07-28,
 * `connectionId` one message of a connection opened by `mcp/connect`.
 */
export class McpOverAcp implements ClientFeature, Disposable {
  /** Nothing to advertise: the client declares servers instead. */
  readonly capabilities = {};
  readonly handlers: ClientFeature['handlers'];
  readonly notifications: readonly NotificationHandler[];
  readonly #connections = new Map<string, { readonly served: HostedServer; readonly connection: McpConnection }>();
  readonly #running = new Set<string>();
  #sequence = 0;

  constructor(private readonly servers: AcpServerLookup) {
    this.handlers = [
      {
        method: 'mcp/connect',
        parse: parseConnect,
        handle: async (serverId) => this.#connect(serverId),
      } satisfies RequestHandler<string>,
      {
        method: 'mcp/message',
        parse: parseMessage,
        handle: (message, context) => this.#message(message, context),
      } satisfies RequestHandler<ReturnType<typeof parseMessage>>,
      {
        method: 'mcp/disconnect',
        parse: parseDisconnect,
        handle: async (id) => this.#disconnect(id),
      } satisfies RequestHandler<string>,
    ];
    this.notifications = [
      { method: 'mcp/message', handle: (params) => this.#handleNotification(params) },
      { method: 'mcp/disconnect', handle: (params) => this.#close(asString(asObject(params)?.['connectionId']) ?? '') },
    ];
  }

  /** Closes the connections of the ended process. */
  dispose(): void {
    for (const [id, { served }] of this.#connections) served.disconnect(id);
    this.#connections.clear();
  }

  #connect(serverId: string): JsonObject {
    const served = this.servers.find(serverId);
    if (!served) throw unknownId('serverId', serverId);
    const connection = served.connect();
    const { id: connectionId, channel } = connection;
    channel.onNotification = (method, params) =>
      this.servers.notify('mcp/message', { connectionId, method, ...(params && { params }) });
    this.#connections.set(connectionId, { served, connection });
    return { connectionId };
  }

  #disconnect(connectionId: string): JsonObject {
    if (!this.#close(connectionId)) throw unknownId('connectionId', connectionId);
    return {};
  }

  #close(connectionId: string): boolean {
    this.#connections.get(connectionId)?.served.disconnect(connectionId);
    return this.#connections.delete(connectionId);
  }

  #message(message: Message, context: RequestContext): Promise<unknown> {
    const { serverId, requestId, connectionId } = message;
    if (serverId !== undefined && requestId !== undefined) {
      return this.#carry({ ...message, serverId, requestId }, context);
    }
    if (connectionId !== undefined) return this.#converse({ ...message, connectionId }, context);
    throw new RpcError(rpcCodes.invalidParams, 'mcp/message needs "serverId" and "requestId", or "connectionId"');
  }

  /** A request on a connection is answered directly: the inner result or error is the outer one. */
  async #converse(message: Message & { connectionId: string }, { signal }: RequestContext): Promise<unknown> {
    const { connectionId, method, params } = message;
    const open = this.#connections.get(connectionId);
    if (!open) throw unknownId('connectionId', connectionId);
    requireSize(params);
    const notify = (method: string, about: JsonObject | undefined): void =>
      this.servers.notify('mcp/message', { connectionId, method, ...(about && { params: about }) });
    this.#sequence += 1;
    const id = `${connectionId}:${this.#sequence}`;
    const outcome = await open.served.handleRequest(open.connection.channel, { id, method, params, signal, notify });
    if ('result' in outcome) return outcome.result;
    throw new RpcError(outcome.error.code, outcome.error.message, outcome.error.data);
  }

  /** A request without a connection is answered in an envelope; only transport failures are outer errors. */
  async #carry(
    message: Message & { serverId: string; requestId: string },
    { signal }: RequestContext,
  ): Promise<McpOutcome> {
    const { serverId, requestId, method, params } = message;
    const served = this.servers.find(serverId);
    if (!served) throw new RpcError(bindingCodes.unavailable, 'This MCP server is not offered', { serverId });
    const key = JSON.stringify([serverId, requestId]);
    if (this.#running.has(key))
      throw new RpcError(rpcCodes.invalidParams, 'This requestId is running already', { serverId, requestId });
    const invalidEnvelope = envelopeError(params);
    if (invalidEnvelope) return invalidEnvelope;
    const notify = (method: string, about: JsonObject | undefined): void =>
      this.servers.notify('mcp/message', { serverId, requestId, method, ...(about && { params: about }) });
    this.#running.add(key);
    try {
      requireSize(params);
      return await served.handleRequest(served.stateless, { id: requestId, method, params, signal, notify });
    } catch (error) {
      throw toBindingError(error);
    } finally {
      this.#running.delete(key);
    }
  }

  #handleNotification(received: unknown): void {
    const params = asObject(received);
    if (isTooLong(params)) return;
    const method = asString(params?.['method']);
    const open = this.#connections.get(asString(params?.['connectionId']) ?? '');
    if (open && method !== undefined) open.connection.channel.notify(method, asObject(params?.['params']));
  }
}

function toBindingError(error: unknown): RpcError {
  if (isCancellation(error)) return new RpcError(rpcCodes.requestCancelled, 'The request was canceled');
  if (error instanceof ServedError) return new RpcError(bindingCodes[error.reason], error.message);
  return error instanceof RpcError
    ? error
    : new RpcError(bindingCodes.backend, `The MCP server failed: ${errorMessage(error)}`);
}

/** @throws ServedError over the size limit of the other transports */
function requireSize(params: JsonObject | undefined): void {
  if (isTooLong(params)) throw tooLong();
}

function isTooLong(params: JsonObject | undefined): boolean {
  return Buffer.byteLength(JSON.stringify(params ?? {})) > MAX_REQUEST;
}

/** The inner error for an invalid `_meta`, which every request of MCP 2026-07-28 needs. */
function envelopeError(params: JsonObject | undefined): McpOutcome | undefined {
  const meta = isObject(params?.['_meta']) ? params['_meta'] : {};
  const version = meta[META.version];
  if (typeof version !== 'string') return invalidParams(`missing ${META.version} in params._meta`);
  if (version !== STATELESS) {
    const data = { supported: [STATELESS], requested: version };
    return { error: { code: -32022, message: 'Unsupported protocol version', data } };
  }
  return isObject(meta[META.capabilities]) ? undefined : invalidParams(`missing ${META.capabilities} in params._meta`);
}

function invalidParams(message: string): McpOutcome {
  return { error: { code: rpcCodes.invalidParams, message: `Invalid params: ${message}` } };
}

/** `serverId` is the current field, `acpId` and `acpUrl` are those of drafts. */
function parseConnect(received: unknown): string {
  const params = requireObject(received);
  const id =
    asString(params['serverId']) ?? asString(params['acpId']) ?? asString(params['acpUrl'])?.replace(/^acp:/, '');
  if (id === undefined) throw new RpcError(rpcCodes.invalidParams, '"serverId" must be a string');
  return id;
}

function parseDisconnect(received: unknown): string {
  return requireString(requireObject(received), 'connectionId');
}

function parseMessage(received: unknown): Message {
  const params = requireObject(received);
  const inner = params['params'];
  if (inner !== undefined && inner !== null && !isObject(inner)) {
    throw new RpcError(rpcCodes.invalidParams, '"params" must be an object');
  }
  return {
    serverId: asString(params['serverId']),
    requestId: asString(params['requestId']),
    connectionId: asString(params['connectionId']),
    method: requireString(params, 'method'),
    params: inner ?? undefined,
  };
}

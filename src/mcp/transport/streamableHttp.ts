import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorMessage, isCancellation } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asObject, omitUndefined } from '../../base/json';
import { RpcError } from '../../base/jsonRpc';
import type { Logger } from '../../base/logger';
import { readRpcMessage } from '../../base/rpcMessage';
import { CLOSING, readBody, sendError, sendJson } from '../../node/http/localHttpServer';
import type { McpOutcome } from '../../session/toolServer';
import type { HostedServer, McpConnection } from '../host/hostedServer';
import { MAX_REQUEST, tooLong } from '../host/hostedServer';
import type { InMemoryTransport } from '../host/inMemoryTransport';
import type { Mcp } from '../host/sessionServer';

/** Header and body disagree (MCP 2026-07-28). */
const HEADER_MISMATCH = -32020;

/** A request whose token, host and origin are valid. */
interface HttpExchange {
  readonly served: HostedServer;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Milliseconds of `performance.now()`. */
  readonly arrivedAt: number;
  readonly log: Logger;
  readonly library: Mcp;
}

/** A connection, or the stateless channel (2026-07-28). */
interface Target {
  readonly channel: InMemoryTransport;
  readonly connection?: McpConnection;
}

/** Serves one message of a client, of either era of Streamable HTTP. Never rejects. */
export async function servePost(exchange: HttpExchange): Promise<void> {
  const { response, log, served } = exchange;
  // The error response needs the request's id.
  let id: unknown = null;
  try {
    const body = await readMessage(exchange);
    if (!body) return;
    id = body['id'] ?? null;
    const target = targetOf(exchange, body);
    if (target) await deliver(exchange, body, target);
  } catch (error) {
    if (!isCancellation(error)) log.warn('mcp', `Failed to answer a request to ${served.name}: ${errorMessage(error)}`);
    const code = error instanceof RpcError ? error.code : -32603;
    sendJson(response, 200, { jsonrpc: '2.0', id, error: { code, message: errorMessage(error) } });
  }
}

/** The stream for server-initiated messages; idle but open, since clients wait for it. */
export function serveGet({ served, request, response }: HttpExchange): void {
  if (!accepts(request, 'text/event-stream')) {
    sendError(response, 406, 'Accept must name text/event-stream');
    return;
  }
  const connection = conversationOf(served, request);
  if (connection === 'unknown') {
    sendError(response, 404, 'There is no such MCP session');
    return;
  }
  startStream(response, connection && { 'Mcp-Session-Id': connection.id });
  const subscription = served.onDidClose(() => response.end());
  response.on('close', () => subscription.dispose());
  if (!connection) return;
  const { channel } = connection;
  const forwardNotification = (method: string, params: JsonObject | undefined): void =>
    sendEvent(response, { method, ...(params && { params }) });
  channel.onNotification = forwardNotification;
  response.on('close', () => {
    if (channel.onNotification === forwardNotification) channel.onNotification = undefined;
  });
}

/** The JSON-RPC message in the body; undefined when it was refused. */
async function readMessage({ request, response }: HttpExchange): Promise<JsonObject | undefined> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    sendError(response, 415, 'Content-Type must be application/json');
    return undefined;
  }
  const text = await readBody(request, MAX_REQUEST);
  if (text === undefined) {
    sendError(response, 413, tooLong().message, { headers: CLOSING });
    return undefined;
  }
  const message = readRpcMessage(text);
  if (!(message instanceof RpcError)) return message;
  sendError(response, 400, message.message, { code: message.code });
  return undefined;
}

/** The message's target; undefined when it was refused. The SDK distinguishes the eras and compares headers and body. */
function targetOf(exchange: HttpExchange, body: JsonObject): Target | undefined {
  const { served, request, response, library } = exchange;
  const header = (name: string): string | undefined => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const headers = {
    protocolVersionHeader: header('mcp-protocol-version'),
    mcpMethodHeader: header('mcp-method'),
    mcpNameHeader: header('mcp-name'),
  };
  const found = library.classifyInboundRequest({ httpMethod: 'POST', body, ...omitUndefined(headers) });
  if (found.kind === 'reject') {
    const { code, message, data, httpStatus } = found;
    const id = body['id'] ?? null;
    sendJson(response, httpStatus, { jsonrpc: '2.0', id, error: { code, message, ...omitUndefined({ data }) } });
    return undefined;
  }
  if (found.kind === 'modern') {
    const mismatch = headerMismatch(body, header);
    if (mismatch === undefined) return { channel: served.stateless };
    const error = { code: HEADER_MISMATCH, message: mismatch };
    sendJson(response, 400, { jsonrpc: '2.0', id: body['id'] ?? null, error });
    return undefined;
  }
  if (body['method'] === 'initialize') return toTarget(served.connectReplacingIdle());
  const connection = conversationOf(served, request);
  if (connection !== 'unknown' && connection) return toTarget(connection);
  sendError(response, connection === 'unknown' ? 404 : 400, 'There is no such MCP session: send "initialize" first');
  return undefined;
}

/** The params field that `Mcp-Name` repeats (MCP 2026-07-28, Streamable HTTP). */
const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** Finds a header that contradicts the body, which would mislead proxies that read headers only. */
function headerMismatch(body: JsonObject, header: (name: string) => string | undefined): string | undefined {
  const { method } = body;
  if (typeof method !== 'string' || body['id'] === undefined) return undefined;
  if (header('mcp-method') !== method) return `The header Mcp-Method must be ${JSON.stringify(method)}, as in the body`;
  const field = NAMED[method];
  const name = field === undefined ? undefined : asObject(body['params'])?.[field];
  const headerName = decodeHeader(header('mcp-name'));
  if (field === undefined || headerName === name) return undefined;
  return `The header Mcp-Name must be the "${field}" of the body`;
}

/** Decodes a header value; non-ASCII text is marked Base64. */
function decodeHeader(value: string | undefined): string | undefined {
  const base64 = /^=\?base64\?(.*)\?=$/i.exec(value ?? '')?.[1];
  return base64 === undefined ? value?.trim() : Buffer.from(base64, 'base64').toString('utf8');
}

function toTarget(connection: McpConnection): Target {
  return { channel: connection.channel, connection };
}

/** The connection of a request; the last one where the client sends no id. */
function conversationOf(served: HostedServer, request: IncomingMessage): McpConnection | 'unknown' | undefined {
  const id = request.headers['mcp-session-id'];
  if (typeof id !== 'string') return served.lastConnection;
  return served.connection(id) ?? 'unknown';
}

async function deliver(exchange: HttpExchange, body: JsonObject, target: Target): Promise<void> {
  const { response } = exchange;
  const { id, method } = body;
  const headers = target.connection && { 'Mcp-Session-Id': target.connection.id };
  if (typeof method === 'string' && (typeof id === 'string' || typeof id === 'number')) {
    await run(exchange, { id, method, params: asObject(body['params']) }, target, headers);
    return;
  }
  // A message without a method is a response, but built-in servers send no requests.
  if (typeof method === 'string') target.channel.notify(method, asObject(body['params']));
  response.writeHead(202, headers).end();
}

interface Call {
  readonly id: string | number;
  readonly method: string;
  readonly params: JsonObject | undefined;
}

/** Answers as JSON, or as a stream if the server notifies before its answer. */
async function run(
  { served, request, response, arrivedAt }: HttpExchange,
  { id, method, params }: Call,
  { channel }: Target,
  headers: Readonly<Record<string, string>> | undefined,
): Promise<void> {
  const isStream = accepts(request, 'text/event-stream');
  const onCancelable = (cancel: () => void): void =>
    void response.on('close', () => {
      if (!response.writableFinished) cancel();
    });
  const notify = (method: string, about: JsonObject | undefined): void => {
    if (!isStream) return;
    if (!response.headersSent) startStream(response, headers);
    sendEvent(response, { method, ...(about && { params: about }) });
  };
  const outcome = await served
    .handleRequest(channel, { id, method, params, arrivedAt, onCancelable, notify })
    .catch(toOutcome);
  if (!outcome) {
    // A notification canceled the request: no response follows.
    if (!response.headersSent && !response.destroyed) response.writeHead(202, headers);
    response.end();
  } else if (response.headersSent) {
    sendEvent(response, { id, ...outcome });
    response.end();
  } else {
    sendJson(response, 200, { jsonrpc: '2.0', id, ...outcome }, headers);
  }
}

/** Undefined for a canceled request. */
function toOutcome(error: unknown): McpOutcome | undefined {
  if (error instanceof RpcError) return { error: { code: error.code, message: error.message } };
  if (isCancellation(error)) return undefined;
  throw error;
}

function accepts({ headers }: IncomingMessage, type: string): boolean {
  const accept = headers.accept ?? '*/*';
  return accept.includes(type) || accept.includes('*/*');
}

function startStream(response: ServerResponse, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', ...headers });
  response.flushHeaders();
}

function sendEvent(response: ServerResponse, message: JsonObject): void {
  if (!response.destroyed)
    response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
}

import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { JsonObject } from '../../base/json';
import { rpcCodes } from '../../base/jsonRpc';
import { UnverifiedConnections } from './unverifiedConnections';

/** Common parts of a window's local HTTP servers: access checks and bodies (docs/security.md, row 10). */

/**
 * Milliseconds before an idle connection is closed: Node's default of five seconds races with clients that reuse
 * connections.
 */
const KEEP_ALIVE_MS = 120_000;

/** Maximum milliseconds for receiving a request; its answer may take longer. */
export interface ArrivalTimes {
  readonly headers: number;
  /** Headers and body together. */
  readonly request: number;
  /** Interval of the checks. */
  readonly check: number;
}

const ARRIVAL: ArrivalTimes = { headers: 10_000, request: 30_000, check: 2_000 };

/** A local HTTP server, and the callback that marks its connections as verified. */
export interface LoopbackServer {
  readonly server: Server;
  hasToken(request: IncomingMessage, token: string): boolean;
}

/** A server that only answers requests: no tunnels, no upgrades. */
export function createLocalServer({ headers, request, check }: ArrivalTimes = ARRIVAL): LoopbackServer {
  const unverified = new UnverifiedConnections();
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node derives this value from the other; a request timeout of 0 would disable both.
    headersTimeout: headers,
    requestTimeout: request,
    connectionsCheckingInterval: check,
    maxHeaderSize: 16 * 1024,
  });
  server.on('connection', (socket) => unverified.add(socket));
  // Accepting a connection can fail (EMFILE); the client notices.
  server.on('error', () => undefined);
  for (const event of ['connect', 'upgrade', 'clientError']) {
    server.on(event, (_cause: unknown, socket: { destroy(): void }) => socket.destroy());
  }
  return {
    server,
    hasToken: (given, token) => {
      const isGood = tokenMatches(given, token);
      if (isGood) unverified.verify(given.socket);
      return isGood;
    },
  };
}

/** Detects requests of browsers and of DNS rebinding, which our clients never send. Undefined for a normal request. */
export function suspiciousRequestReason({ headers, socket }: IncomingMessage): string | undefined {
  if (headers.origin !== undefined) return 'Pages are not served';
  return headers.host === `127.0.0.1:${socket.localPort}` ? undefined : 'Wrong host';
}

/** Compares in constant time. */
function tokenMatches({ headers }: IncomingMessage, token: string): boolean {
  const given = Buffer.from(headers.authorization ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * The body as text; undefined when it exceeds `limit` bytes, without reading its rest. Rejects when the client
 * disconnects. Uses events: an iterator would double the cost of reading.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<string | undefined> {
  if (Number(request.headers['content-length']) > limit) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limit) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      resolve(undefined);
    });
    request.on('end', () => resolve(chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString('utf8')));
    request.on('error', reject);
    request.on('close', () => {
      if (!request.complete) reject(new Error('The client went away'));
    });
  });
}

/** A refusal as a JSON-RPC error, which clients display. */
export function sendError(
  response: ServerResponse,
  status: number,
  message: string,
  { headers = {}, code = rpcCodes.invalidRequest }: ErrorDetails = {},
): void {
  const more = status === 401 ? { 'WWW-Authenticate': 'Bearer', ...headers } : headers;
  sendJson(response, status, { jsonrpc: '2.0', id: null, error: { code, message } }, more);
}

interface ErrorDetails {
  readonly headers?: Readonly<Record<string, string>>;
  /** The JSON-RPC code; -32600 when absent. */
  readonly code?: number;
}

/** Sent with a refusal: the connection is closed after it. */
export const CLOSING = { Connection: 'close' } as const;

/** Answers with JSON, unless the client has disconnected or the answer has started. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.destroyed || response.headersSent) return;
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length, ...headers }).end(text);
}

import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { JsonObject } from '../base/json';

/** What the local HTTP servers of a window have in common: who is let in, and how bodies come and go (security.md, row 10). */

/** Milliseconds an idle connection is kept: Node's five seconds race clients that reuse connections (mcp.md, section 2.3). */
const KEEP_ALIVE = 120_000;

/** A server that only answers requests: no tunnels, no other protocols. @param requestTimeout milliseconds a request may take to arrive; 0: any */
export function createLoopbackServer(requestTimeout: number): Server {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE, requestTimeout, maxHeaderSize: 16 * 1024 });
  for (const event of ['connect', 'upgrade', 'clientError']) {
    server.on(event, (_cause: unknown, socket: { destroy(): void }) => socket.destroy());
  }
  return server;
}

/** What no client of ours sends: whoever does is a browser, or was led here by a name (DNS rebinding). Undefined when it may be looked at. */
export function strangeness({ headers, socket }: IncomingMessage): string | undefined {
  if (headers.origin !== undefined) return 'Pages are not served';
  return headers.host === `127.0.0.1:${socket.localPort}` ? undefined : 'Wrong host';
}

/** Compares in a time that says nothing of the token. */
export function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const given = Buffer.from(headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/**
 * The body as text; undefined when it has more than `limit` bytes, then it is not read to its end. Rejects when the client goes away.
 * By events: an iterator costs as much as all the rest of reading.
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

/** The value of a text; undefined when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A refusal as JSON-RPC, which clients show. */
export function sendError(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const more = status === 401 ? { 'WWW-Authenticate': 'Bearer', ...headers } : headers;
  sendJson(response, status, { jsonrpc: '2.0', id: null, error: { code: -32600, message } }, more);
}

/** Answers with JSON, unless nobody waits for it or the answer has begun. */
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

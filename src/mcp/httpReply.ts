import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../base/json';

/** A refusal as JSON-RPC, which clients show; `id` is that of the request where it could be read. */
export function sendError(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendJson(response, status, { jsonrpc: '2.0', id: null, error: { code: -32600, message } }, headers);
}

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

/** Begins a stream of messages. */
export function beginStream(response: ServerResponse, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', ...headers });
  response.flushHeaders();
}

export function sendEvent(response: ServerResponse, message: JsonObject): void {
  if (!response.destroyed)
    response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
}

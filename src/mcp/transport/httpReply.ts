import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../../base/json';

/** Begins a stream of messages. */
export function beginStream(response: ServerResponse, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', ...headers });
  response.flushHeaders();
}

export function sendEvent(response: ServerResponse, message: JsonObject): void {
  if (!response.destroyed)
    response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
}

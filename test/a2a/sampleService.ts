import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { McpServer as NewServer, createMcpHandler } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { Emitter } from '../../src/base/event';

/** How a service speaks MCP: `2025` uses sessions, `2026` is stateless, `sse` has the transport of 2024. */
export type Era = '2025' | '2026' | 'sse';

/** A real MCP service on 127.0.0.1, built with the official SDKs. */
export interface SampleService {
  readonly origin: string;
  /** Headers of all requests, newest last. */
  readonly headers: IncomingHttpHeaders[];
  /** Methods of the received messages, in order. */
  readonly methods: string[];
  /** Parameters of the received `tools/call`. */
  readonly calls: unknown[];
  /** Fires with the abort signal of each call of `wait`. */
  readonly waiting: Emitter<AbortSignal>;
  close(): void;
}

const ADD = { description: 'Adds two numbers', inputSchema: { a: z.number(), b: z.number() } };
const NOTE = 'sample://note';

function text(value: string): { content: { type: 'text'; text: string }[] } {
  return { content: [{ type: 'text', text: value }] };
}

function note(): { contents: { uri: string; mimeType: string; text: string }[] } {
  return { contents: [{ uri: NOTE, mimeType: 'text/plain', text: 'a note' }] };
}

export async function startSampleService(era: Era = '2025'): Promise<SampleService> {
  const headers: IncomingHttpHeaders[] = [];
  const methods: string[] = [];
  const calls: unknown[] = [];
  const waiting = new Emitter<AbortSignal>();
  const answer = { 2025: olderService, 2026: newerService, sse: sseService }[era](waiting);
  const server = createServer((request, response) => {
    headers.push(request.headers);
    void readBody(request).then((body) => {
      if (typeof body?.['method'] === 'string') methods.push(body['method']);
      if (body?.['method'] === 'tools/call') calls.push(body['params']);
      return request.url?.startsWith('/mcp') ? answer(request, response, body) : response.writeHead(404).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { origin, headers, methods, calls, waiting, close };
}

type Body = Record<string, unknown> | undefined;
type Answer = (request: IncomingMessage, response: ServerResponse, body: Body) => unknown;

function olderService(waiting: Emitter<AbortSignal>): Answer {
  const open = new Map<string, StreamableHTTPServerTransport>();
  return async (request, response, body) => {
    const known = open.get(String(request.headers['mcp-session-id']));
    if (known) return known.handleRequest(request, response, body);
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void open.set(id, transport),
    });
    await olderServer(waiting).connect(transport);
    return transport.handleRequest(request, response, body);
  };
}

/** A GET opens the stream; a POST belongs to the stream of its query. */
function sseService(waiting: Emitter<AbortSignal>): Answer {
  const open = new Map<string, SSEServerTransport>();
  return async (request, response, body) => {
    if (request.method !== 'GET') {
      const known = open.get(new URL(request.url ?? '', 'http://localhost').searchParams.get('sessionId') ?? '');
      return known ? known.handlePostMessage(request, response, body) : response.writeHead(405).end();
    }
    const transport = new SSEServerTransport('/mcp/messages', response);
    open.set(transport.sessionId, transport);
    return olderServer(waiting).connect(transport);
  };
}

function olderServer(waiting: Emitter<AbortSignal>): McpServer {
  const server = new McpServer({ name: 'sample', version: '1.0.0' });
  server.registerTool('add', ADD, ({ a, b }) => text(String(a + b)));
  server.registerTool('step', { description: 'Tells how far it is' }, async ({ _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken ?? '';
    const params = { progressToken, progress: 0.5, total: 1, message: 'half of it' };
    await sendNotification({ method: 'notifications/progress', params });
    return text('done');
  });
  server.registerTool('wait', { description: 'Waits until it is canceled' }, ({ signal }) => {
    waiting.fire(signal);
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(text('canceled'))));
  });
  server.registerResource('note', NOTE, { mimeType: 'text/plain' }, note);
  return server;
}

function newerService(): Answer {
  const handler = createMcpHandler(
    () => {
      const server = new NewServer({ name: 'sample', version: '1.0.0' });
      server.registerTool('add', { ...ADD, inputSchema: z.object(ADD.inputSchema) }, ({ a, b }) => text(String(a + b)));
      server.registerResource('note', NOTE, { mimeType: 'text/plain' }, note);
      return server;
    },
    { legacy: 'reject' },
  );
  return async (request, response, body) => {
    const given = new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method ?? 'GET',
      headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await handler.fetch(given);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  };
}

async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return chunks.length === 0 ? undefined : (JSON.parse(Buffer.concat(chunks).toString()) as Body);
}

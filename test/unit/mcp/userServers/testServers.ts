import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { createMcpHandler, McpServer as ModernServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { Emitter } from '../../../../src/base/event';
import type { StdioStart } from '../../../../src/mcp/userServers/config/serverDefinition';

/** Real servers of the official SDK, and hostile ones, for tests of user servers. */

/** A server of the SDK over stdio, run in the repository root, so that it finds the SDK. */
const STDIO = `
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
const server = new McpServer({ name: 'real', title: 'Real Server', version: '1.0.0' }, { instructions: 'Use me.' });
const text = (value) => ({ content: [{ type: 'text', text: value }] });
server.registerTool('echo', { description: 'Says it again', inputSchema: { what: z.string() }, outputSchema: { said: z.string() }, annotations: { readOnlyHint: true } },
  async ({ what }) => ({ ...text(what), structuredContent: { said: what } }));
server.registerTool('meta', { description: 'Tells its _meta', inputSchema: {} }, async (_args, extra) => text(JSON.stringify(extra._meta ?? {})));
server.registerTool('env', { description: 'Tells a variable', inputSchema: {} }, async () => text(process.env.NOTE ?? ''));
server.registerTool('roots', { description: 'Tells its roots', inputSchema: {} }, async () => text(JSON.stringify((await server.server.listRoots()).roots)));
server.registerTool('page', { description: 'Wants a page opened', inputSchema: { url: z.string() } }, async ({ url }) => {
  const answer = await server.server.elicitInput({ mode: 'url', message: 'Open it', url, elicitationId: 'e1' });
  return text(answer.action);
});
server.registerTool('first', { description: 'Wants a page opened first', inputSchema: {} }, async () => {
  throw new UrlElicitationRequiredError([{ mode: 'url', message: 'Sign in', url: 'https://example.com/in', elicitationId: 'e2' }]);
});
server.registerTool('die', { description: 'Ends', inputSchema: {} }, async () => { process.stderr.write('last words\\n'); setTimeout(() => process.exit(3), 20); return new Promise(() => {}); });
server.registerTool('more', { description: 'Adds a tool', inputSchema: {} }, async () => { server.registerTool('added', { inputSchema: {} }, async () => text('hi')); return text('ok'); });
server.registerResource('note', 'note://one', { title: 'Note' }, async (uri) => ({ contents: [{ uri: uri.href, text: 'a note' }] }));
server.registerPrompt('greet', { argsSchema: { who: z.string() } }, ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: 'Hello ' + who } }] }));
console.log('this line is no message');
await server.connect(new StdioServerTransport());
`;

export function realServer(env: Readonly<Record<string, string>> = {}): StdioStart {
  return node(STDIO, env);
}

/** Any program as a server. */
export function node(script: string, env: Readonly<Record<string, string>> = {}): StdioStart {
  return { type: 'stdio', command: process.execPath, args: ['--input-type=module', '-e', script], env };
}

/** A server over HTTP of 2025, one instance per session; records request headers. */
export async function httpServer(): Promise<{
  readonly url: string;
  readonly seen: string[];
  readonly close: () => void;
}> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization ?? '');
    const mcp = new McpServer({ name: 'web', version: '1.0.0' });
    mcp.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, async ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
    }));
    const transport = new StreamableHTTPServerTransport({});
    response.on('close', () => void transport.close());
    void mcp.connect(transport as Transport).then(() => transport.handleRequest(request, response));
  });
  return { url: await listen(server), seen, close: () => end(server) };
}

/** A server over HTTP with SSE (2024-11-05): one stream, and a path for messages to it. */
export async function sseServer(): Promise<{
  readonly url: string;
  readonly seen: string[];
  /** Ends the event streams of all sessions, as a restarting server does. */
  readonly endStreams: () => void;
  readonly close: () => void;
}> {
  const seen: string[] = [];
  const open = new Map<string, SSEServerTransport>();
  const server = createServer((request, response) => {
    seen.push(`${request.method ?? ''} ${request.headers.authorization ?? ''}`);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (pathname === '/messages') {
      const transport = open.get(searchParams.get('sessionId') ?? '');
      if (transport) void transport.handlePostMessage(request, response);
      else response.writeHead(404).end();
      return;
    }
    if (request.method !== 'GET') {
      seen.push('refused');
      response.writeHead(405).end();
      return;
    }
    const mcp = new McpServer({ name: 'events', version: '1.0.0' });
    mcp.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, async ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
    }));
    mcp.registerTool('list', {}, async () => ({ content: [{ type: 'text', text: 'listed' }] }));
    const transport = new SSEServerTransport('/messages', response);
    open.set(transport.sessionId, transport);
    response.on('close', () => open.delete(transport.sessionId));
    void mcp.connect(transport);
  });
  const endStreams = (): void => [...open.values()].forEach((transport) => void transport.close());
  return { url: await listen(server), seen, endStreams, close: () => end(server) };
}

/** A server over HTTP that supports only 2026-07-28. */
export async function modernServer(): Promise<{ readonly url: string; readonly close: () => void }> {
  const handler = createMcpHandler(
    () => {
      const mcp = new ModernServer({ name: 'new', version: '1.0.0' });
      mcp.registerTool('now', { inputSchema: z.object({ a: z.string() }) }, async ({ a }) => ({
        content: [{ type: 'text', text: `new ${a}` }],
      }));
      return mcp;
    },
    { legacy: 'reject' },
  );
  const server = createServer((request, response) => {
    void (async () => {
      const body = request.method === 'POST' ? await text(request) : undefined;
      const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]);
      const init = { method: request.method ?? 'GET', headers, ...(body !== undefined && { body }) };
      const answer = await handler.fetch(new Request(`http://${request.headers.host}${request.url}`, init));
      send(answer, response);
    })();
  });
  return { url: await listen(server), close: () => end(server) };
}

/** @returns URL of the endpoint. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

export function end(server: Server): void {
  server.closeAllConnections();
  server.close();
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A server over HTTP whose responses the test defines, without an SDK. */
export class HandServer {
  /** By method: the result, or a throw for an error. A missing method gives -32601. */
  readonly answers: Record<string, (params: Record<string, unknown>) => unknown> = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'hand', version: this.version },
    }),
    'tools/list': () => ({ tools: this.tools }),
    'tools/call': ({ name }) => ({ content: [{ type: 'text', text: `called ${String(name)}` }] }),
  };
  tools: object[] = [{ name: 'add', description: 'Adds', inputSchema: { type: 'object' } }];
  version = '1.0.0';
  /** Received methods in order. */
  readonly seen: string[] = [];
  readonly #came = new Emitter<void>();
  #asked: ((answer: Message) => void) | undefined;
  #streams: ServerResponse[] = [];
  #onOpened: () => void = () => undefined;
  /** Resolves when the client has opened an event stream. */
  readonly opened = new Promise<void>((resolve) => (this.#onOpened = resolve));
  /** Overrides the result of tool calls. */
  refusal: { readonly code: number; readonly message: string; readonly data?: object } | undefined;
  /** Authorization headers of the requests. */
  readonly tokens: (string | undefined)[] = [];
  readonly #server = createServer((request, response) => this.serve(request, response));

  /** @returns Its URL. */
  open(): Promise<string> {
    return listen(this.#server);
  }

  /** Number of received messages with a method. */
  count(method: string): number {
    return this.seen.filter((one) => one === method).length;
  }

  /** Resolves when a method was received that many times. */
  async came(method: string, times = 1): Promise<void> {
    if (this.count(method) >= times) return;
    await new Promise<void>((resolve) => {
      const subscription = this.#came.event(() => {
        if (this.count(method) < times) return;
        subscription.dispose();
        resolve();
      });
    });
  }

  tell(method: string, params: object = {}): void {
    for (const stream of this.#streams) stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`);
  }

  /**
   * Sends a request to the client.
   * @returns The complete response.
   */
  ask(method: string, params: object): Promise<Message> {
    const message = { jsonrpc: '2.0', id: 99, method, params };
    for (const stream of this.#streams) stream.write(`data: ${JSON.stringify(message)}\n\n`);
    return new Promise((resolve) => (this.#asked = resolve));
  }

  close(): void {
    end(this.#server);
  }

  /** Responds to a request that arrived on another connection. */
  serve(request: IncomingMessage, response: ServerResponse): void {
    this.tokens.push(request.headers.authorization);
    void this.#answer(request, response);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      this.#streams.push(response);
      this.#onOpened();
      return;
    }
    if (request.method !== 'POST') {
      response.writeHead(200).end();
      return;
    }
    const message = JSON.parse(await text(request)) as Message;
    if (message.method === undefined) {
      this.#asked?.(message);
      response.writeHead(202).end();
      return;
    }
    const { id, method, params = {} } = message;
    this.seen.push(method);
    this.#came.fire();
    if (id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const refusal = method === 'tools/call' ? this.refusal : undefined;
    const answer = refusal ? undefined : this.answers[method];
    const said = answer
      ? await answerOf(async () => answer(params))
      : { error: refusal ?? { code: -32_601, message: 'no such method' } };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
  }
}

async function answerOf(answer: () => Promise<unknown>): Promise<object> {
  try {
    return { result: await answer() };
  } catch (error) {
    const { code = -32_603, message = '', data } = error as { code?: number; message?: string; data?: unknown };
    return { error: { code, message, data } };
  }
}

/** Sends a response of the Fetch API. */
export function send({ status, headers, body }: Response, response: ServerResponse): void {
  response.writeHead(status, Object.fromEntries(headers));
  if (body) Readable.from(body).pipe(response);
  else response.end();
}

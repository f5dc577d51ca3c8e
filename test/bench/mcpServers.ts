// Servers for the tool server measurements: the same tool over Parley's transports and over those of the SDKs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fromMcpServer } from '@agentclientprotocol/sdk/experimental/mcp-server';
import { client, McpOverAcpProvider, methods, ndJsonStream } from '@agentclientprotocol/sdk/unstable';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { AgentConnection } from '../../src/agent/connection/agentConnection';
import type { JsonObject } from '../../src/base/json';
import { nullLogger } from '../../src/base/logger';
import { z } from '../../src/mcp/contract/mcpServerSdk';
import { ToolServers } from '../../src/mcp/contract/toolServerRegistry';
import type { Tool } from '../../src/mcp/contract/toolServerTypes';
import { tool } from '../../src/mcp/contract/toolServerTypes';
import type { TransportKind } from '../../src/mcp/contract/transportKind';
import { HostedServers } from '../../src/mcp/hostedServers';
import { LocalTransports } from '../../src/mcp/transport/localTransports';
import { McpOverAcp } from '../../src/mcp/transport/mcpOverAcp';
import { fakeAgent } from '../fakeAgent/definition';
import { fakeSession, OpenGate } from '../unit/mcp/sample';
import type { Era } from './mcpCallers';
import { CALL, Lines, STATELESS_CALL, timesOf } from './mcpCallers';

/** Calls one tool that many times and returns the duration of each call in milliseconds. */
export interface Path {
  measure(count: number): Promise<readonly number[]>;
  close(): Promise<void>;
}

const PROBLEMS = Array.from({ length: 5 }, (_, index) => ({
  path: 'src/shapes.ts',
  line: 12 + index,
  severity: 'error',
  code: '2322',
  source: 'ts',
  message: `Type 'string' is not assignable to type 'number' (${index}).`,
}));
const RESULT = { problems: PROBLEMS, total: PROBLEMS.length, truncated: false };
const TEXT = PROBLEMS.map(({ path, line, message }) => `${path}:${line} ${message}`).join('\n');

/** Created once: creating schemas per server would dominate the measurement. */
const INPUT = z.object({ limit: z.int() });
const PROBLEM = { path: z.string(), severity: z.string(), code: z.string(), source: z.string(), message: z.string() };
const OUTPUT = z.object({
  problems: z.array(z.object({ ...PROBLEM, line: z.int() })),
  total: z.int(),
  truncated: z.boolean(),
});

function listTool(name: string): Tool {
  return tool({
    name,
    title: 'List problems',
    description: 'Errors and warnings that the editor knows of, worst first.',
    annotations: { readOnlyHint: true },
    approval: 'free',
    input: () => INPUT,
    output: () => OUTPUT,
    call: async () => ({ text: TEXT, structured: RESULT }),
  });
}

/**
 * The same tools as in the SDK's examples.
 * @param Server Class of the module that serves it: the SDK accepts only its own.
 */
function sdkServer(Server = McpServer): McpServer {
  const server = new Server({ name: 'problems', version: '1.0.0' });
  const description = 'Errors and warnings that the editor knows of, worst first.';
  for (const name of toolNames(OTHERS)) {
    server.registerTool(name, { description, inputSchema: INPUT, outputSchema: OUTPUT }, async () => ({
      content: [{ type: 'text', text: TEXT }],
      structuredContent: RESULT,
    }));
  }
  return server;
}

/** Tools besides the one that is called: `code` has seven in total. */
const OTHERS = 6;

function toolNames(others: number): string[] {
  return [CALL.name, ...Array.from({ length: others }, (_, index) => `other_${index}`)];
}

/** Runs the server in a separate process. */
export function stdioServer(): void {
  serveStdio(() => sdkServer());
}

function ownServers(more = 0): HostedServers {
  const servers = new ToolServers();
  const tools = toolNames(OTHERS + more).map(listTool);
  servers.add({ name: 'problems', title: 'Problems', description: 'Of the editor', tools }, 'builtIn');
  const relay = join(process.cwd(), 'dist', 'relay.js');
  return new HostedServers(new OpenGate(servers), new LocalTransports(nullLogger, relay), nullLogger, '1.0.0');
}

async function declare(servers: HostedServers, transportKind: TransportKind): Promise<JsonObject> {
  const [declared] = await servers.declareServers(fakeSession('bench'), transportKind, true);
  if (!declared) throw new Error('No server was declared');
  return declared;
}

/** Runs this program in another role. */
export function self(...args: string[]): { readonly command: string; readonly args: string[] } {
  return { command: process.execPath, args: [process.argv[1] ?? '', ...args] };
}

/**
 * MCP over ACP by Parley: the agent is a separate process that calls over its connection.
 * @param more Additional tools.
 */
export async function overAcp(era: Era, more = 0, role: 'agent' | 'sdkAgent' = 'agent'): Promise<Path> {
  const servers = ownServers(more);
  const feature = new McpOverAcp({ find: (id) => servers.find(id), notify: () => undefined });
  const connection = new AgentConnection({
    definition: { ...fakeAgent(), ...self(role) },
    cwd: process.cwd(),
    clientInfo: { name: 'bench', title: 'Bench', version: '1.0.0' },
    features: [feature],
    log: nullLogger,
    onUpdate: () => undefined,
  });
  await connection.start();
  const mcpServers = [await declare(servers, 'acp')];
  await connection.request('session/new', { cwd: process.cwd(), mcpServers });
  return {
    measure: async (count) => timesIn(await connection.request('session/prompt', promptFor(count, era))),
    close: async () => {
      await connection.stop();
      await servers.dispose();
    },
  };
}

/** MCP over ACP that parses a line, writes an answer of the same length and does nothing else: the cost of Node and of the caller. */
export async function overAcpOnly(): Promise<Path> {
  const { command, args } = self('sdkAgent');
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const result = { resultType: 'complete', content: [{ type: 'text', text: TEXT }], structuredContent: RESULT };
  const lines = new Lines(child.stdout, child.stdin, ({ id }) => lines.send({ id, result: { result } }));
  await lines.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const mcpServers = [{ type: 'acp', name: 'problems', serverId: 'problems', id: 'problems' }];
  await lines.request('session/new', { cwd: process.cwd(), mcpServers });
  return {
    measure: async (count) =>
      timesIn((await lines.request('session/prompt', promptFor(count, '2026-07-28')))['result']),
    close: async () => void child.kill(),
  };
}

/** MCP over ACP by the ACP SDK. */
export async function overAcpBySdk(): Promise<Path> {
  const provider = new McpOverAcpProvider();
  // The ACP SDK is an ES module and imports the ES module of the MCP SDK; this program is CommonJS.
  const { McpServer: Server } = await import('@modelcontextprotocol/server');
  const adapter = fromMcpServer(() => sdkServer(Server));
  const { command, args } = self('agent');
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>);
  const connection = client().onRequest(methods.client.mcp.message, provider.handleRequest).connect(stream);
  const { agent } = connection;
  const registered = provider.registerServer(agent, { name: 'problems', handler: adapter.handler });
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
  const session = { cwd: process.cwd(), mcpServers: [registered.declaration] };
  await agent.request(methods.agent.session.new, session);
  return {
    measure: async (count) =>
      timesIn(await agent.request(methods.agent.session.prompt, promptFor(count, '2026-07-28'))),
    close: async () => {
      child.kill();
      await adapter.close();
    },
  };
}

function promptFor(count: number, era: Era) {
  return { sessionId: 'bench', prompt: [], _meta: { count, era } };
}

function timesIn(answer: unknown): readonly number[] {
  return (answer as { _meta: { times: number[] } })._meta.times;
}

/** A stdio server as child process: how agents run their own servers. */
export function overStdio(era: Era): Promise<Path> {
  return throughChild(self('stdio'), {}, era);
}

/** Parley's relay: a child process between the agent and this process. */
export async function overRelay(): Promise<Path> {
  const servers = ownServers();
  const { command, args, env } = (await declare(servers, 'stdio')) as {
    command: string;
    args: string[];
    env: { name: string; value: string }[];
  };
  const variables = Object.fromEntries(env.map(({ name, value }) => [name, value] as const));
  const path = await throughChild({ command, args }, variables, '2026-07-28');
  const close = async (): Promise<void> => {
    await path.close();
    await servers.dispose();
  };
  return { ...path, close };
}

/** A stdio server as child process, called by the MCP SDK's client, as agents do. */
export async function overStdioBySdk(era: Era): Promise<Path> {
  const { command, args } = self('stdio');
  const mode = era === '2026-07-28' ? { pin: era } : ('legacy' as const);
  const caller = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode } });
  await caller.connect(new StdioClientTransport({ command, args }));
  return { measure: (count) => timesOf(count, () => caller.callTool(CALL)), close: () => caller.close() };
}

async function throughChild(
  { command, args }: { command: string; args: string[] },
  env: Record<string, string>,
  era: Era,
): Promise<Path> {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = new Lines(child.stdout, child.stdin);
  if (era === '2025-06-18') await shakeHands(lines);
  const params = era === '2025-06-18' ? CALL : STATELESS_CALL;
  return {
    measure: (count) => timesOf(count, () => lines.request('tools/call', params)),
    close: async () => {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}

async function shakeHands(lines: Lines): Promise<void> {
  const clientInfo = { name: 'bench', version: '1.0.0' };
  await lines.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  lines.send({ method: 'notifications/initialized' });
}

/** Streamable HTTP by Parley; the caller is a separate process. */
export async function overHttp(): Promise<Path> {
  const servers = ownServers();
  const { url, headers } = (await declare(servers, 'http')) as { url: string; headers: { value: string }[] };
  const token = headers[0]?.value.replace('Bearer ', '') ?? '';
  return { measure: (count) => callHttp(url, token, count), close: () => servers.dispose() };
}

/** Responds with the same length and does nothing else: the cost of Node itself. */
export async function overHttpOnly(): Promise<Path> {
  const answer = {
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: TEXT }], structuredContent: RESULT },
  };
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    request.resume().on('end', () => {
      const text = JSON.stringify(answer);
      response
        .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
        .end(text);
    });
  });
  const port = await listening(server);
  const close = async (): Promise<void> => void server.close(() => server.closeAllConnections());
  return { measure: (count) => callHttp(`http://127.0.0.1:${port}/`, 'none', count), close };
}

/** Streamable HTTP by the MCP SDK, behind the same token check. */
export async function overHttpBySdk(): Promise<Path> {
  const handler = createMcpHandler(() => sdkServer());
  const token = 'bench';
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    if (request.headers.authorization === `Bearer ${token}`) void passOn(request, response, handler.fetch);
    else response.writeHead(401).end();
  });
  const port = await listening(server);
  return {
    measure: (count) => callHttp(`http://127.0.0.1:${port}/mcp`, token, count),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await handler.close();
    },
  };
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Converts Node's request for the handler and writes its response: the task of the SDK's adapter for Node. */
async function passOn(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (request: Request) => Promise<Response>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const url = `http://127.0.0.1${incoming.url ?? ''}`;
  const response = await handle(new Request(url, { method: 'POST', headers, body: Buffer.concat(chunks) }));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  for await (const chunk of response.body ?? []) outgoing.write(chunk);
  outgoing.end();
}

async function callHttp(url: string, token: string, count: number): Promise<readonly number[]> {
  const { command, args } = self('http', url, token, String(count));
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`The caller ended with ${code}`);
  return JSON.parse(printed) as number[];
}

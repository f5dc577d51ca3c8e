// Callers for the tool server measurements: they send calls one after the other and record the duration of each.
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { agent as acpAgent, McpOverAcpCaller, methods, ndJsonStream } from '@agentclientprotocol/sdk/unstable';
import type { JsonObject } from '../../src/base/json';
import { asObject } from '../../src/base/json';

/** MCP revision: with sessions, or stateless. */
export type Era = '2025-06-18' | '2026-07-28';

/** Metadata of every request in MCP 2026-07-28. */
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
export const CALL = { name: 'list', arguments: { limit: 5 } };
export const STATELESS_CALL = { ...CALL, _meta: META };
/** Warm-up calls that are not measured. */
const WARM_UP = 200;

/** JSON-RPC over NDJSON, in both directions. */
export class Lines {
  readonly #output: Writable;
  readonly #waiting = new Map<unknown, (answer: JsonObject) => void>();
  #lastId = 0;

  /** @param onMessage Receives requests and notifications of the other side. */
  constructor(input: Readable, output: Writable, onMessage: (message: JsonObject) => void = () => {}) {
    this.#output = output;
    createInterface(input).on('line', (line) => {
      const message = JSON.parse(line) as JsonObject;
      if ('method' in message) onMessage(message);
      else this.#waiting.get(message['id'])?.(message);
    });
  }

  send(message: JsonObject): void {
    this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  request(method: string, params: JsonObject): Promise<JsonObject> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, (answer) => {
        this.#waiting.delete(id);
        resolve(answer);
      });
      this.send({ id, method, params });
    });
  }
}

/**
 * Returns the duration in milliseconds of each of `count` calls.
 * @param call Returns the response, which must contain a result.
 */
export async function timesOf(count: number, call: () => Promise<unknown>): Promise<number[]> {
  for (let index = 0; index < WARM_UP; index++) check(await call());
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const start = performance.now();
    const answer = await call();
    times.push(performance.now() - start);
    if (index === 0) check(answer);
  }
  return times;
}

function check(answer: unknown): void {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  if (!text.includes('"structuredContent"')) throw new Error(`The call failed: ${text}`);
}

/** An agent that answers `session/prompt {count}` with the durations of that many calls over its own connection. */
export function agent(): void {
  let serverId: unknown;
  let calls = 0;
  const stateless = (): Promise<JsonObject> =>
    lines.request('mcp/message', {
      serverId,
      requestId: `call-${++calls}`,
      method: 'tools/call',
      params: STATELESS_CALL,
    });
  const methods: Readonly<Record<string, (params: JsonObject) => unknown>> = {
    initialize: () => ({ protocolVersion: 1, agentCapabilities: { mcpCapabilities: { acp: true } } }),
    'session/new': ({ mcpServers }) => {
      serverId = (mcpServers as JsonObject[])[0]?.['serverId'];
      return { sessionId: 'bench' };
    },
    'session/prompt': async ({ _meta }) => {
      const { count, era } = _meta as { count: number; era: Era };
      const call = era === '2026-07-28' ? stateless : await connected(lines, serverId);
      return { stopReason: 'end_turn', _meta: { times: await timesOf(count, call) } };
    },
  };
  const lines = new Lines(process.stdin, process.stdout, ({ id, method, params }) => {
    const result = Promise.resolve(methods[String(method)]?.((params ?? {}) as JsonObject));
    void result.then(
      (value) => lines.send({ id, result: value }),
      (error: unknown) => lines.send({ id, error: { code: -32603, message: String(error) } }),
    );
  });
}

/** The same agent with the ACP SDK. */
export function sdkAgent(): void {
  const caller = new McpOverAcpCaller({ clientInfo: { name: 'bench', version: '1.0.0' } });
  let serverId = '';
  acpAgent()
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: 1,
      agentCapabilities: { mcpCapabilities: { acp: true } },
    }))
    .onRequest(methods.agent.session.new, ({ params }) => {
      serverId = String(asObject(params.mcpServers[0])?.['serverId']);
      return { sessionId: 'bench' };
    })
    .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
      const call = (): Promise<unknown> => caller.request(client, serverId, 'tools/call', CALL);
      return { stopReason: 'end_turn', _meta: { times: await timesOf(Number(params._meta?.['count']), call) } };
    })
    .onNotification(methods.agent.mcp.message, caller.handleNotification)
    .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
}

/** An MCP session over `mcp/connect`, for the lifetime of the process. */
async function connected(lines: Lines, serverId: unknown): Promise<() => Promise<JsonObject>> {
  const { result } = await lines.request('mcp/connect', { serverId });
  const { connectionId } = result as { connectionId: string };
  const send = (method: string, params: JsonObject): Promise<JsonObject> =>
    lines.request('mcp/message', { connectionId, method, params });
  const clientInfo = { name: 'bench', version: '1.0.0' };
  await send('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  const told = { connectionId, method: 'notifications/initialized', params: {} };
  lines.send({ method: 'mcp/message', params: told });
  return () => send('tools/call', CALL);
}

/** Makes calls over HTTP with keep-alive and prints the durations. */
export async function httpCaller(url: string, token: string, count: number): Promise<void> {
  const pool = new Agent({ keepAlive: true, maxSockets: 1 });
  let id = 0;
  const times = await timesOf(count, () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params: STATELESS_CALL });
    return post(url, pool, token, body);
  });
  pool.destroy();
  console.log(JSON.stringify(times));
}

function post(url: string, agentOf: Agent, token: string, body: string): Promise<string> {
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': CALL.name,
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent: agentOf, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(text));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

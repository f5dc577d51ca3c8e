import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Answer, Json, Wire } from './wire';

/** An MCP session with one server of the ACP session. */
export interface McpClient {
  request(method: string, params: Json): Promise<Answer>;
  notify(method: string, params: Json): Promise<void>;
  close(): Promise<void>;
  /** Set if the agent started a process for it. */
  readonly pid?: number | undefined;
}

/** MCP over ACP: with separate requests, or with `mcp/connect` and `mcp/disconnect`. */
export type AcpForm = 'stateless' | 'connected';

/** Revision before 2026-07-28, in which every session starts with a handshake. */
const PROTOCOL_VERSION = '2025-06-18';
const CLIENT_INFO = { name: 'fake-agent', version: '1.0.0' };
/** Metadata of each request in MCP 2026-07-28, which has no handshake. */
const STATELESS_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
};

/** Connects to a server as declared in `mcpServers`: by `type`, or as a command if there is none. */
export async function connectMcp(declared: Json, wire: Wire, form: AcpForm): Promise<McpClient> {
  const { type } = declared;
  if (type === 'acp' && form === 'stateless') return overAcp(declared, wire);
  const client = await open(declared, wire);
  const handshake = { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo: CLIENT_INFO };
  const { error } = await client.request('initialize', handshake);
  if (error) throw new Error(`initialize: ${error.code} ${error.message}`);
  await client.notify('notifications/initialized', {});
  return client;
}

function open(declared: Json, wire: Wire): Promise<McpClient> | McpClient {
  const { type } = declared;
  if (type === 'acp') return overConnection(declared, wire);
  if (type === 'http') return new HttpClient(declared);
  if (type === undefined) return overStdio(declared);
  throw new Error(`The fake agent cannot reach a server of type ${JSON.stringify(type)}`);
}

/** `mcp/message {serverId, requestId}`: the response wraps the inner response. */
function overAcp({ serverId }: Json, wire: Wire): McpClient {
  let count = 0;
  return {
    request: async (method, params) => {
      const requestId = `fake-${++count}`;
      const inner = { ...params, _meta: STATELESS_META };
      const answer = await wire.request('mcp/message', { serverId, requestId, method, params: inner });
      return answer.error ? answer : (answer.result as Answer);
    },
    notify: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

/** `mcp/connect`, then `mcp/message {connectionId}`, whose response is the inner response. */
async function overConnection({ serverId }: Json, wire: Wire): Promise<McpClient> {
  const { result, error } = await wire.request('mcp/connect', { serverId });
  if (error) throw new Error(`mcp/connect: ${error.code} ${error.message}`);
  const { connectionId } = result as { connectionId: string };
  return {
    request: (method, params) => wire.request('mcp/message', { connectionId, method, params }),
    notify: (method, params) => wire.notify('mcp/message', { connectionId, method, params }),
    close: async () => {
      await wire.request('mcp/disconnect', { connectionId });
    },
  };
}

/** Streamable HTTP as in MCP revisions of 2025. */
class HttpClient implements McpClient {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  #id = 0;

  constructor({ url, headers }: Json) {
    this.#url = String(url);
    const declared = (headers as { name: string; value: string }[]).map(({ name, value }) => [name, value] as const);
    this.#headers = Object.fromEntries(declared);
  }

  async request(method: string, params: Json): Promise<Answer> {
    const id = ++this.#id;
    const response = await this.#post({ id, method, params });
    const text = await response.text();
    if (!response.ok) return { error: { code: response.status, message: text } };
    this.#headers['Mcp-Session-Id'] ??= response.headers.get('mcp-session-id') ?? '';
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const messages = isStream ? text.split('\n').flatMap((line) => /^data: (.*)$/.exec(line)?.[1] ?? []) : [text];
    const answers = messages.map((one) => JSON.parse(one) as Answer & { id?: unknown });
    return answers.find((answer) => answer.id === id) ?? { error: { code: -32603, message: 'no answer came' } };
  }

  async notify(method: string, params: Json): Promise<void> {
    await this.#post({ method, params });
  }

  async close(): Promise<void> {
    await fetch(this.#url, { method: 'DELETE', headers: this.#headers });
  }

  #post(message: Json): Promise<Response> {
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': PROTOCOL_VERSION,
      ...this.#headers,
    };
    return fetch(this.#url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  }
}

type Piped = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };

/** Starts the declared command; ACP requires this of every agent. */
function overStdio({ command, args, env }: Json): McpClient {
  const variables = (env as { name: string; value: string }[]).map(({ name, value }) => [name, value] as const);
  const child = spawn(String(command), args as string[], {
    env: { ...process.env, ...Object.fromEntries(variables) },
    stdio: ['pipe', 'pipe', 'inherit'],
  }) as Piped;
  child.stdin.on('error', () => {});
  const waiting = new Map<unknown, (answer: Answer) => void>();
  createInterface(child.stdout).on('line', (line) => {
    const message = JSON.parse(line) as Answer & { id?: unknown };
    waiting.get(message.id)?.(message);
  });
  const exited = once(child, 'exit');
  child.on('exit', (code) => {
    for (const settle of waiting.values()) settle({ error: { code: -32603, message: `the server ended: ${code}` } });
  });
  const write = (message: Json): boolean => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    pid: child.pid,
    request: (method, params) =>
      new Promise((resolve) => {
        const id = waiting.size + 1;
        waiting.set(id, resolve);
        write({ id, method, params });
      }),
    notify: async (method, params) => void write({ method, params }),
    close: async () => {
      child.stdin.end();
      await exited;
    },
  };
}

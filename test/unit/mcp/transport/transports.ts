import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { JsonObject } from '../../../../src/base/json';
import { McpOverAcp } from '../../../../src/mcp/transport/mcpOverAcp';
import type { Bench } from '../sample';

/** A transport from a client to the sample server. `open` returns a new transport of the SDK's client. */
export interface WayUnderTest {
  readonly name: string;
  /** Clients that support it: over ACP without connections only the newer revision exists. */
  readonly eras: readonly ('2025' | '2026')[];
  open(bench: Bench, era: '2025' | '2026'): Promise<Transport>;
}

/** The declaration of a server for an agent, with the fields of its transport. */
export interface Declared {
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly command: string;
  readonly args: string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/** Declares the sample server; it must be the only one. */
export async function declare({ hostedServers, session }: Bench, kind: 'http' | 'stdio'): Promise<Declared> {
  const [declared] = await hostedServers.declareServers(session, kind, true);
  return declared as JsonObject & Declared;
}

async function openHttp(bench: Bench, era: '2025' | '2026'): Promise<Transport> {
  const { url, headers } = await declare(bench, 'http');
  const requestInit = { headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) };
  const address = new URL(url);
  return era === '2025'
    ? new OldHttp(address, { requestInit })
    : new StreamableHTTPClientTransport(address, { requestInit });
}

async function openStdio(bench: Bench, era: '2025' | '2026'): Promise<Transport> {
  const { command, args, env } = await declare(bench, 'stdio');
  const launch = { command, args, env: Object.fromEntries(env.map(({ name, value }) => [name, value])) };
  return era === '2025' ? new OldStdio(launch) : new StdioClientTransport(launch);
}

/** The client's end of MCP over ACP, with the feature's handlers instead of the wire. */
class AcpClientTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #feature: McpOverAcp;
  readonly #serverId: string;
  readonly #connected: boolean;
  readonly #running = new Map<string | number, AbortController>();
  #connectionId: string | undefined;

  constructor(bench: Bench, serverId: string, connected: boolean) {
    this.#serverId = serverId;
    this.#connected = connected;
    this.#feature = new McpOverAcp({
      find: (id) => bench.hostedServers.find(id),
      notify: (_method, params) => this.#receive(params),
    });
  }

  async start(): Promise<void> {
    if (!this.#connected) return;
    const answer = (await this.#call('mcp/connect', { serverId: this.#serverId })) as JsonObject;
    this.#connectionId = String(answer['connectionId']);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message)) return;
    const { method, params } = message;
    if ('id' in message) {
      void this.#request(message.id, method, params);
    } else if (method === 'notifications/cancelled') {
      // The inner id is not on the wire: the outer request is canceled (`$/cancel_request`).
      this.#running.get((params as { requestId: string | number }).requestId)?.abort();
    } else {
      const told = { connectionId: this.#connectionId, method, params };
      for (const one of this.#feature.notifications) if (one.method === 'mcp/message') one.handle(told);
    }
  }

  async close(): Promise<void> {
    if (this.#connectionId !== undefined) await this.#call('mcp/disconnect', { connectionId: this.#connectionId });
    this.onclose?.();
  }

  async #request(id: string | number, method: string, params: JsonObject | undefined): Promise<void> {
    const abort = new AbortController();
    this.#running.set(id, abort);
    try {
      const answer = this.#connected
        ? {
            result: await this.#call('mcp/message', { connectionId: this.#connectionId, method, params }, abort.signal),
          }
        : await this.#call(
            'mcp/message',
            { serverId: this.#serverId, requestId: String(id), method, params },
            abort.signal,
          );
      this.#deliver({ id, ...(answer as JsonObject) });
    } catch (error) {
      if (abort.signal.aborted) return;
      const { code, message, data } = error as { code: number; message: string; data?: unknown };
      this.#deliver({ id, error: { code: code ?? -32603, message, data } });
    }
  }

  #receive(params: JsonObject): void {
    const inner = params['params'];
    this.#deliver({ method: params['method'], ...(inner !== undefined && { params: inner }) });
  }

  #deliver(message: JsonObject): void {
    this.onmessage?.({ jsonrpc: '2.0', ...message } as JSONRPCMessage);
  }

  #call(method: string, params: object, signal = new AbortController().signal): Promise<unknown> {
    const handler = this.#feature.handlers.find((one) => one.method === method)!;
    return Promise.resolve().then(() => handler.handle(handler.parse(JSON.parse(JSON.stringify(params))), { signal }));
  }
}

async function openAcp({ hostedServers, session }: Bench, bench: Bench, connected: boolean): Promise<Transport> {
  const [declared] = await hostedServers.declareServers(session, 'acp', true);
  return new AcpClientTransport(bench, String(declared!['serverId']), connected);
}

export const WAYS: readonly WayUnderTest[] = [
  { name: 'HTTP', eras: ['2025', '2026'], open: openHttp },
  { name: 'the relay', eras: ['2025', '2026'], open: openStdio },
  // Only 2025: revision 2026-07-28 identifies subscriptions by the inner request id, which this transport does not send.
  { name: 'ACP with connections', eras: ['2025'], open: (bench) => openAcp(bench, bench, true) },
  { name: 'ACP without connections', eras: ['2026'], open: (bench) => openAcp(bench, bench, false) },
];

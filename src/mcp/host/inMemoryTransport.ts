import type { JSONRPCMessage, RequestId, Transport, TransportSendOptions } from '@modelcontextprotocol/server';
import type { Deferred } from '../../base/async';
import { createDeferred } from '../../base/async';
import { CanceledError } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asObject, isObject } from '../../base/json';
import type { McpOutcome } from '../../session/toolServer';
import type { CallTransport } from '../calls/callGate';

/** The only revision of MCP without connections. */
export const STATELESS = '2026-07-28';
/** `_meta` keys of that revision, of requests and (`server`) of results. */
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  server: 'io.modelcontextprotocol/serverInfo',
} as const;
/** `_meta` key that links a change to its `subscriptions/listen` request (MCP 2026-07-28). */
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

export interface McpRequest {
  /** The caller's id; unique among its running requests. */
  readonly id: RequestId;
  readonly method: string;
  readonly params?: JsonObject | undefined;
  /** Arrival of the first byte in milliseconds of `performance.now()`; defaults to the time it enters the channel. */
  readonly arrivedAt?: number | undefined;
  /** Aborts when the caller cancels. */
  readonly signal?: AbortSignal | undefined;
  /** Receives a cancel function, which saves creating a signal. */
  readonly onCancelable?: ((cancel: () => void) => void) | undefined;
  /** Receives notifications of the running request: progress, subscribed changes. */
  readonly notify?: ((method: string, params: JsonObject | undefined) => void) | undefined;
}

interface Running {
  readonly request: McpRequest;
  readonly settle: (outcome: McpOutcome) => void;
  /** The caller canceled: the server stops and sends no response. */
  readonly cancel: (reason?: unknown) => void;
  readonly arrivedAt: number;
  /** Set if a caller waits until the response was sent. */
  answered?: Deferred<number>;
}

/**
 * One in-memory conversation with an MCP server instance. It gives every request its own id, so equal ids of callers never collide, and it
 * stays open between requests: a new server for each costs 6 to 9 times more.
 */
export class InMemoryTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** Receives notifications outside requests: `list_changed`, `resources/updated` of older revisions. */
  onNotification: ((method: string, params: JsonObject | undefined) => void) | undefined;
  readonly #running = new Map<number, Running>();
  #lastId = 0;
  #isClosed = false;

  /** Whether requests run or a notification listener is set. */
  get isInUse(): boolean {
    return this.#running.size > 0 || this.onNotification !== undefined;
  }

  async start(): Promise<void> {}

  /** @throws CanceledError when its signal aborted or the channel was closed */
  request(request: McpRequest): Promise<McpOutcome> {
    const { method, params, signal } = request;
    if (this.#isClosed || signal?.aborted) return Promise.reject(new CanceledError());
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const cancel = (reason?: unknown): void => {
        const running = this.#running.get(id);
        if (!this.#running.delete(id)) return;
        running?.answered?.resolve(performance.now());
        this.deliver({
          method: 'notifications/cancelled',
          params: { requestId: id, reason: typeof reason === 'string' ? reason : 'canceled by the caller' },
        });
        signal?.removeEventListener('abort', onAbort);
        reject(new CanceledError());
      };
      const onAbort = (): void => cancel();
      const settle = (outcome: McpOutcome): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve(outcome);
      };
      this.#running.set(id, { request, settle, cancel, arrivedAt: request.arrivedAt ?? performance.now() });
      signal?.addEventListener('abort', onAbort, { once: true });
      request.onCancelable?.(onAbort);
      this.deliver({ id, method, ...(params && { params }) });
    });
  }

  /**
   * The transport data of a running request.
   * @param id the id within the channel, as the server instance knows it
   */
  transport(id: RequestId): CallTransport | undefined {
    const running = this.#running.get(Number(id));
    if (!running) return undefined;
    running.answered ??= createDeferred();
    return { arrivedAt: running.arrivedAt, answeredAt: running.answered.promise };
  }

  /** Forwards a notification of the caller. A cancellation names the caller's own id. */
  notify(method: string, params: JsonObject | undefined): void {
    if (method !== 'notifications/cancelled') {
      this.deliver({ method, ...(params && { params }) });
      return;
    }
    for (const { request, cancel } of this.#running.values()) {
      if (request.id === params?.['requestId']) cancel(params['reason']);
    }
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!('method' in message)) this.#handleAnswer(message);
    else if ('id' in message) this.answerRequest(message.id, message.method, asObject(message.params) ?? {});
    else this.#receiveNotification(message.method, asObject(message.params), options?.relatedRequestId);
  }

  cancelAll(): void {
    for (const { cancel } of this.#running.values()) cancel();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const running = [...this.#running.values()];
    this.#running.clear();
    for (const { settle, answered } of running) {
      settle({ error: { code: -32603, message: 'The server was closed' } });
      answered?.resolve(performance.now());
    }
    this.onclose?.();
  }

  /** Sends a message to the server. */
  protected deliver(message: JsonObject): void {
    this.onmessage?.({ jsonrpc: '2.0', ...message } as JSONRPCMessage);
  }

  #handleAnswer(message: JSONRPCMessage): void {
    if (!('id' in message) || typeof message.id !== 'number') return;
    const running = this.#running.get(message.id);
    if (!this.#running.delete(message.id)) return;
    if ('result' in message) running?.settle({ result: message.result });
    else if ('error' in message) running?.settle({ error: message.error });
    running?.answered?.resolve(performance.now());
  }

  /** Built-in servers send no requests (sampling, elicitation): Parley asks the user itself. */
  protected answerRequest(id: RequestId, _method: string, _params: JsonObject): void {
    const error = { code: -32601, message: 'The client of this server is not asked anything' };
    queueMicrotask(() => this.deliver({ id, error }));
  }

  #receiveNotification(method: string, params: JsonObject | undefined, related: RequestId | undefined): void {
    const meta = params?.['_meta'];
    const subscription = isObject(meta) ? meta[SUBSCRIPTION_ID] : undefined;
    const running = this.#running.get(Number(related ?? subscription));
    if (!running) {
      if (related === undefined && subscription === undefined) this.onNotification?.(method, params);
      return;
    }
    const { id, notify } = running.request;
    const own =
      isObject(meta) && subscription !== undefined ? { ...params, _meta: { ...meta, [SUBSCRIPTION_ID]: id } } : params;
    notify?.(method, own);
  }
}

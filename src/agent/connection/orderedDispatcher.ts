import type { JsonObject } from '../../base/json';
import { asNumber, asObject, asString, isObject } from '../../base/json';
import type { Logger } from '../../base/logger';
import { errorMessage } from '../../base/errors';
import { rpcCodes } from '../../base/jsonRpc';

/** Of a JSON-RPC message. Agents use integers from 0 or UUIDs; `null` stands for "could not be read". */
export type RpcId = string | number | null;

/** Somebody of ours who waits for the answer to a request. */
export interface ResponseWaiter {
  readonly settled: boolean;
  /** Calls back once the answer has taken effect, at once when it already has. */
  afterSettled(callback: () => void): void;
}

export interface TapOptions {
  readonly log: Logger;
  /** Methods of requests that have a handler; all others are answered -32601. */
  readonly methods: ReadonlySet<string>;
  /** `session/update` with the raw update, unknown kinds included. */
  onUpdate(sessionId: string, update: JsonObject): void;
  /** Any other notification; false when nobody listens to it. */
  onNotification?(method: string, params: unknown): boolean;
  /** Hands a request or response to the SDK. */
  forward(message: JsonObject): void;
  /** Writes a message to the agent. */
  send(message: JsonObject): void;
}

/**
 * The one queue between an agent and the SDK (invariant I3): everything takes effect in the order it had on the wire. The SDK
 * alone does not do this: it resolves responses at once while notifications walk a chain of promises. So updates are applied
 * here, and after a request or response was forwarded the queue stands still until our handler was entered or our waiter told.
 * The SDK never sees a message that it would swallow, so the queue cannot stand still for ever.
 */
export class OrderedDispatcher {
  readonly #options: TapOptions;
  #queue: JsonObject[] = [];
  #next = 0;
  #pumping = false;
  #closed = false;
  /** Set while the queue stands still; its identity says for which message. */
  #gate: { readonly request?: RpcId } | undefined;
  #idle: (() => void)[] = [];
  readonly #waiters = new Map<RpcId, ResponseWaiter>();
  /** Requests of the agent that we have not answered. */
  readonly #incoming = new Map<RpcId, AbortController>();

  constructor(options: TapOptions) {
    this.#options = options;
  }

  /** Takes a message of the agent. */
  receive(message: JsonObject): void {
    if (this.#closed) return;
    this.#queue.push(message);
    this.#pump();
  }

  /** A request of ours goes out under this id. */
  expect(id: RpcId, waiter: ResponseWaiter): void {
    this.#waiters.set(id, waiter);
  }

  /** The handler of the agent's request has run up to its first `await`. */
  entered(id: RpcId): void {
    const gate = this.#gate;
    if (gate && 'request' in gate && gate.request === id) this.#open(gate);
  }

  /** We have answered the agent's request. */
  answered(id: RpcId): void {
    this.#incoming.delete(id);
    this.entered(id);
  }

  /** Aborts when the agent cancels this request of its own, or the connection closes. */
  signal(id: RpcId): AbortSignal {
    return this.#incoming.get(id)?.signal ?? AbortSignal.abort();
  }

  /** Settles when everything received so far has taken effect. */
  idle(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }

  /** Nothing takes effect any more; open requests of the agent are aborted. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#queue = [];
    this.#next = 0;
    this.#gate = undefined;
    for (const controller of this.#incoming.values()) controller.abort();
    this.#incoming.clear();
    this.#waiters.clear();
    this.#tellIdle();
  }

  #isIdle(): boolean {
    return !this.#gate && !this.#pumping && this.#next >= this.#queue.length;
  }

  #tellIdle(): void {
    if (!this.#isIdle()) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    while (!this.#gate && this.#next < this.#queue.length) {
      const message = this.#queue[this.#next++];
      if (message) this.#apply(message);
    }
    if (this.#next >= this.#queue.length) {
      this.#queue = [];
      this.#next = 0;
    }
    this.#pumping = false;
    this.#tellIdle();
  }

  #open(gate: object): void {
    if (this.#gate !== gate) return;
    this.#gate = undefined;
    this.#pump();
  }

  #apply(message: JsonObject): void {
    const method = message['method'];
    const hasId = 'id' in message;
    if (method === undefined) this.#applyResponse(message);
    else if (typeof method !== 'string') this.#refuse(message, hasId);
    else if (hasId) this.#applyRequest(method, message);
    else this.#applyNotification(method, message);
  }

  #applyNotification(method: string, message: JsonObject): void {
    if (method === 'session/update') this.#applyUpdate(asObject(message['params']));
    else if (method === '$/cancel_request') this.#cancel(asObject(message['params']));
    else if (!this.#notify(method, message['params'])) {
      this.#options.log.info('wire', `Notification "${method}" is not known and was left out`, message['params']);
    }
  }

  #notify(method: string, params: unknown): boolean {
    try {
      return this.#options.onNotification?.(method, params) ?? false;
    } catch (error) {
      this.#options.log.error('wire', `Could not take in the notification "${method}": ${errorMessage(error)}`);
      return true;
    }
  }

  #applyUpdate(params: JsonObject | undefined): void {
    const sessionId = asString(params?.['sessionId']);
    const update = asObject(params?.['update']);
    if (sessionId === undefined || update === undefined) {
      this.#options.log.warn('wire', 'A session/update without sessionId or update was left out', params);
      return;
    }
    try {
      this.#options.onUpdate(sessionId, update);
    } catch (error) {
      const kind = String(update['sessionUpdate']);
      this.#options.log.error('wire', `Could not apply the update "${kind}": ${errorMessage(error)}`, error);
    }
  }

  #cancel(params: JsonObject | undefined): void {
    const id = params?.['requestId'];
    if (isId(id)) this.#incoming.get(id)?.abort();
  }

  #applyRequest(method: string, message: JsonObject): void {
    const id = message['id'];
    if (!isId(id)) {
      this.#refuse(message, false);
      // JSON-RPC 2.0, section 5: null where the id cannot be told.
      this.#answerError(null, rpcCodes.invalidRequest, '"id" must be a string or a whole number up to 2^53 - 1');
      return;
    }
    if (!this.#options.methods.has(method)) {
      this.#options.log.info('wire', `The agent asked for "${method}", which Parley does not offer`);
      this.#answerError(id, rpcCodes.methodNotFound, `Method not found: ${method}`, { method });
      return;
    }
    if (this.#incoming.has(id)) {
      // Two requests under one id could not be told apart by an answer, nor by `$/cancel_request`.
      this.#options.log.warn(
        'wire',
        `The agent used the id ${JSON.stringify(id)} of a request that still runs`,
        method,
      );
      const text = `The id ${JSON.stringify(id)} belongs to a request that is not answered yet`;
      this.#answerError(id, rpcCodes.invalidRequest, text);
      return;
    }
    this.#incoming.set(id, new AbortController());
    this.#gate = { request: id };
    this.#options.forward(message);
  }

  #applyResponse(message: JsonObject): void {
    const id = message['id'];
    const waiter = isId(id) ? this.#waiters.get(id) : undefined;
    if (!isId(id) || !waiter) {
      this.#options.log.warn(
        'wire',
        `A response that nobody waits for was left out (id ${JSON.stringify(id)})`,
        message,
      );
      return;
    }
    this.#waiters.delete(id);
    if (waiter.settled) {
      this.#options.log.trace('wire', `The answer to request ${JSON.stringify(id)} came after it was given up`);
      this.#options.forward(readResponse(id, message));
      return;
    }
    const gate = {};
    this.#gate = gate;
    this.#options.forward(readResponse(id, message));
    // One turn of the event loop, so that those who merely `await` the answer also see it before the next message.
    waiter.afterSettled(() => setImmediate(() => this.#open(gate)));
  }

  #refuse(message: JsonObject, canAnswer: boolean): void {
    this.#options.log.warn('wire', 'A message that is no JSON-RPC request was left out', message);
    const id = message['id'];
    if (canAnswer && isId(id)) this.#answerError(id, rpcCodes.invalidRequest, '"method" must be a string');
  }

  #answerError(id: RpcId, code: number, text: string, data?: unknown): void {
    this.#options.send({ jsonrpc: '2.0', id, error: { code, message: text, ...(data === undefined ? {} : { data }) } });
  }
}

/** A whole number that cannot be kept exactly is none: it would be answered as another one. */
function isId(value: unknown): value is RpcId {
  if (value === null || typeof value === 'string') return true;
  return asNumber(value) !== undefined && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

/** A response as the SDK wants it: agents send `error:null` beside a result, or an error without code or message. */
function readResponse(id: RpcId, message: JsonObject): JsonObject {
  const error = message['error'];
  if (error === undefined || error === null) return { jsonrpc: '2.0', id, result: message['result'] ?? null };
  const fields = isObject(error) ? error : { message: error };
  const code = asNumber(fields['code']);
  return {
    jsonrpc: '2.0',
    id,
    error: {
      code: code !== undefined && Number.isInteger(code) ? code : rpcCodes.internalError,
      message: asString(fields['message']) ?? `The agent answered with an error: ${JSON.stringify(error)}`,
      data: fields['data'],
    },
  };
}

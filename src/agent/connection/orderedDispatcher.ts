import { errorMessage } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asNumber, asObject, asString, isObject } from '../../base/json';
import { rpcCodes } from '../../base/jsonRpc';
import type { Logger } from '../../base/logger';
import { truncate } from '../../base/text';
import type { RequestHandler } from '../clientFeature';
import type { PendingRequest } from './pendingRequest';
import { ToleratedForms } from './toleratedForms';

/** A JSON-RPC id. Agents use integers from 0 or UUIDs; `null` means "could not be read". */
export type RpcId = string | number | null;

/** Milliseconds in one turn of the event loop, after which the next message waits for the next turn. */
const MAX_TURN_MS = 30;

/** UTF-16 units of an unknown method that are repeated. */
const MAX_METHOD = 1_000;

/** Where the queue hands its messages to. */
interface MessageTarget {
  /** `session/update` with the raw update, unknown kinds included. */
  onUpdate(sessionId: string, update: JsonObject): void;
  /** Handles any other notification; returns false when it has no handler. */
  onNotification?(method: string, params: unknown): boolean;
  /** Hands a response to the SDK. */
  forward(message: JsonObject): void;
  /**
   * Handles a request of the agent: code before the first `await` runs at once. Resolves with its result or error.
   * @param signal aborts when the agent cancels the request, or the connection closes
   */
  handle(handler: RequestHandler, params: unknown, signal: AbortSignal): Promise<JsonObject>;
  /** Sends an answer to the agent. */
  send(message: JsonObject): void;
}

/**
 * The one queue for the messages of an agent (invariant I3): they take effect in wire order. The SDK alone does not guarantee this: it
 * resolves responses at once, while notifications and requests run through a chain of promises. The queue therefore applies updates and
 * enters the handlers of requests itself, and the SDK gets only responses. After each of them the queue pauses until our caller has the
 * answer. The SDK never gets a response that it would drop silently, so the queue cannot pause forever.
 */
export class OrderedDispatcher {
  #queue: JsonObject[] = [];
  #next = 0;
  #isPumping = false;
  #isClosed = false;
  #turnStartedAt: number | undefined;
  /** Set while the queue is paused; its identity names the message that paused it. */
  #gate: object | undefined;
  #idle: (() => void)[] = [];
  readonly #waiters = new Map<RpcId, PendingRequest>();
  /** Requests of the agent that have no answer yet. */
  readonly #incoming = new Map<RpcId, AbortController>();
  readonly #forms: ToleratedForms;

  /** @param handlers by method; other requests are answered with -32601 */
  constructor(
    private readonly log: Logger,
    private readonly handlers: ReadonlyMap<string, RequestHandler>,
    private readonly target: MessageTarget,
  ) {
    this.#forms = new ToleratedForms((text) => log.info('wire', text));
  }

  receive(message: JsonObject): void {
    if (this.#isClosed) return;
    this.#queue.push(message);
    this.#pump();
  }

  /** Registers the waiter of a request that is being sent. */
  registerResponse(id: RpcId, waiter: PendingRequest): void {
    this.#waiters.set(id, waiter);
  }

  /** Settles when everything received so far has taken effect. */
  whenIdle(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }

  /** Stops processing; open requests of the agent are aborted. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queue = [];
    this.#next = 0;
    this.#gate = undefined;
    for (const controller of this.#incoming.values()) controller.abort();
    this.#incoming.clear();
    this.#waiters.clear();
    this.#resolveIdle();
  }

  #isIdle(): boolean {
    return !this.#gate && !this.#isPumping && this.#next >= this.#queue.length;
  }

  #resolveIdle(): void {
    if (!this.#isIdle()) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    while (!this.#gate && this.#next < this.#queue.length) {
      const message = this.#queue[this.#next++];
      if (message) this.#apply(message);
      if (this.#hasUsedTurn()) this.#waitForNextTurn();
    }
    if (this.#next >= this.#queue.length) {
      this.#queue = [];
      this.#next = 0;
    }
    this.#isPumping = false;
    this.#resolveIdle();
  }

  /** Whether this turn of the event loop has taken too long; other code of the window would wait. */
  #hasUsedTurn(): boolean {
    if (this.#turnStartedAt === undefined) {
      this.#turnStartedAt = performance.now();
      setImmediate(() => (this.#turnStartedAt = undefined));
    }
    return performance.now() - this.#turnStartedAt > MAX_TURN_MS;
  }

  #waitForNextTurn(): void {
    if (this.#gate) return;
    const gate = {};
    this.#gate = gate;
    setImmediate(() => this.#open(gate));
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
      this.log.info('wire', `Ignored the unknown notification "${method}"`, message['params']);
    }
  }

  #notify(method: string, params: unknown): boolean {
    try {
      return this.target.onNotification?.(method, params) ?? false;
    } catch (error) {
      this.log.error('wire', `Failed to handle the notification "${method}": ${errorMessage(error)}`);
      return true;
    }
  }

  #applyUpdate(params: JsonObject | undefined): void {
    const sessionId = asString(params?.['sessionId']);
    const updates = this.#forms.updates(params?.['update']);
    if (sessionId === undefined || updates.length === 0) {
      this.log.warn('wire', 'Ignored a session/update without sessionId or update', params);
      return;
    }
    for (const update of updates) {
      try {
        this.target.onUpdate(sessionId, update);
      } catch (error) {
        const kind = String(update['sessionUpdate']);
        this.log.error('wire', `Failed to apply the update "${kind}": ${errorMessage(error)}`, error);
      }
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
      // JSON-RPC 2.0, section 5: the id is null where it cannot be determined.
      this.#answerError(null, rpcCodes.invalidRequest, '"id" must be a string or a whole number up to 2^53 - 1');
      return;
    }
    const handler = this.handlers.get(method);
    if (!handler) {
      this.log.info('wire', `Refused the unsupported request "${method}"`);
      const name = truncate(method, MAX_METHOD);
      this.#answerError(id, rpcCodes.methodNotFound, `Method not found: ${name}`, { method: name });
      return;
    }
    if (this.#incoming.has(id)) {
      // Neither an answer nor `$/cancel_request` could distinguish two requests with the same id.
      this.log.warn('wire', `Refused a request with the id ${JSON.stringify(id)} of an unanswered request`, method);
      const text = `The id ${JSON.stringify(id)} belongs to a request that is not answered yet`;
      this.#answerError(id, rpcCodes.invalidRequest, text);
      return;
    }
    const controller = new AbortController();
    this.#incoming.set(id, controller);
    const { params } = message;
    const read = method === 'session/request_permission' ? this.#forms.permission(params) : params;
    void this.#answer(id, this.target.handle(handler, read, controller.signal));
  }

  async #answer(id: RpcId, outcome: Promise<JsonObject>): Promise<void> {
    const answer = { jsonrpc: '2.0', id, ...(await outcome) };
    // After the end, nobody waits.
    if (this.#incoming.delete(id)) this.target.send(answer);
  }

  #applyResponse(message: JsonObject): void {
    const id = message['id'];
    const waiter = isId(id) ? this.#waiters.get(id) : undefined;
    if (!isId(id) || !waiter) {
      this.log.warn('wire', `Skipped a response without a pending request (id ${JSON.stringify(id)})`, message);
      return;
    }
    this.#waiters.delete(id);
    if (waiter.isSettled) {
      this.log.trace('wire', `Ignored a late response to request ${JSON.stringify(id)}`);
      this.target.forward(readResponse(id, message));
      return;
    }
    const gate = {};
    this.#gate = gate;
    const { result } = message;
    const isResult = isObject(result);
    this.target.forward(readResponse(id, isResult ? { ...message, result: this.#forms.result(result) } : message));
    // Wait one turn of the event loop, so that callers that `await` the answer also see it before the next message.
    waiter.afterSettled(() => setImmediate(() => this.#open(gate)));
  }

  #refuse(message: JsonObject, canAnswer: boolean): void {
    this.log.warn('wire', 'Ignored an invalid JSON-RPC message', message);
    const id = message['id'];
    if (canAnswer && isId(id)) this.#answerError(id, rpcCodes.invalidRequest, '"method" must be a string');
  }

  #answerError(id: RpcId, code: number, text: string, data?: unknown): void {
    this.target.send({ jsonrpc: '2.0', id, error: { code, message: text, ...(data === undefined ? {} : { data }) } });
  }
}

/** Rejects integers that a double cannot represent: the answer would have another id. */
function isId(value: unknown): value is RpcId {
  if (value === null || typeof value === 'string') return true;
  return asNumber(value) !== undefined && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

/** A response as the SDK expects it: agents send `error:null` beside a result, or an error without code or message. */
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

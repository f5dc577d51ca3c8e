import type { AnyMessage, ClientConnection, Stream } from '@agentclientprotocol/sdk/unstable';
import { CanceledError, ParleyError, isCancellation, errorMessage } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asNumber, isObject } from '../../base/json';
import { MAX_ERROR_CHARS, RpcError, SignInError, rpcCodes } from '../../base/jsonRpc';
import type { Logger } from '../../base/logger';
import type { Redactor } from '../../base/redactor';
import { firstLine, truncate } from '../../base/text';
import type { NotificationHandler, RequestHandler } from '../clientFeature';
import { isSignInText } from '../quirks/signInPhrases';
import type * as AcpClientSdk from './acpClientSdk';
import type { AgentLaunchEvents, ConnectionOptions, RequestOptions } from './agentLaunch';
import { notificationHandlers } from './agentLaunch';
import { errorCodes, errorWithReason } from './errorReason';
import { requestHandlers } from './initialize';
import type { RpcId } from './orderedDispatcher';
import { OrderedDispatcher } from './orderedDispatcher';
import { PendingRequest } from './pendingRequest';
import type { OversizedMessage } from './recoverMessageIds';
import { substituteMessage } from './recoverMessageIds';

type Sdk = typeof AcpClientSdk;

/** The SDK is large, so it is loaded with the first connection, not at activation. */
export function loadSdk(): Promise<Sdk> {
  return import('./acpClientSdk');
}

/** JSON-RPC with one agent: our requests by the SDK, and its messages by our {@link OrderedDispatcher}. */
export class RpcConnection {
  readonly #log: Logger;
  readonly #notifications: readonly NotificationHandler[];
  readonly #connection: ClientConnection;
  readonly #pending = new Set<PendingRequest>();
  /** Requests inside the SDK, found by their params when the SDK sends them with an id. */
  readonly #leaving = new WeakMap<object, PendingRequest>();
  #forward: (message: JsonObject) => void = () => {};

  /** Takes the messages of the agent. */
  readonly dispatcher: OrderedDispatcher;

  /**
   * @param redactor removes secrets from the errors of the agent
   * @param write writes a line to the agent; resolves with the error when writing failed
   */
  constructor(
    sdk: Sdk,
    options: ConnectionOptions,
    events: AgentLaunchEvents,
    private readonly redactor: Redactor,
    private readonly write: (message: JsonObject, line: string) => Promise<Error | undefined>,
  ) {
    const { features, log, onUpdate } = options;
    this.#log = log;
    this.#notifications = notificationHandlers(features, events);
    const handlers = requestHandlers(features, log);
    this.dispatcher = new OrderedDispatcher(log, handlers, {
      onUpdate,
      onNotification: (method, params) => this.#handleNotification(method, params),
      forward: (message) => this.#forward(message),
      handle: (handler, params, signal) => this.#handle(handler, params, signal),
      send: (message) => void this.#send(message),
    });
    this.#connection = sdk.client({ name: 'parley' }).connect(this.#stream());
  }

  /** Rejects a message of the agent that could not be read; the side that waits for it gets `why`. */
  refuse(cut: OversizedMessage, why: string): void {
    const instead = substituteMessage(cut, why);
    if (instead) this.dispatcher.receive(instead);
    else if (cut.id !== undefined) {
      void this.#send({ jsonrpc: '2.0', id: cut.id, error: { code: rpcCodes.invalidRequest, message: why } });
    }
  }

  request(method: string, params: object, options: RequestOptions = {}): Promise<unknown> {
    const copy = { ...params };
    const pending = new PendingRequest((outcome) => options.onSettled?.(outcome), this.#log);
    this.#pending.add(pending);
    pending.afterSettled(() => this.#pending.delete(pending));
    if (options.signal?.aborted) {
      pending.settle({ error: new CanceledError() });
      return pending.promise;
    }
    this.#leaving.set(copy, pending);
    const cancellation = options.signal ? { cancellationSignal: options.signal, stopWaitingOnCancel: true } : {};
    const answer = this.#connection.agent.request(method, copy, cancellation);
    answer.then(
      (result) => pending.settle({ result }),
      (error: unknown) =>
        pending.settle({ error: options.signal?.aborted ? new CanceledError() : this.#toError(method, error) }),
    );
    return pending.promise;
  }

  notify(method: string, params: object): void {
    this.#connection.agent.notify(method, { ...params }).catch((error: unknown) => {
      this.#log.warn('wire', `Failed to send "${method}": ${errorMessage(error)}`);
    });
  }

  /** Closes the connection: pending requests reject with `error`. */
  close(error: Error): void {
    this.dispatcher.close();
    // Settling deletes from the set, which is allowed while iterating.
    for (const pending of this.#pending) pending.settle({ error });
    this.#connection.close();
  }

  #handleNotification(method: string, params: unknown): boolean {
    const listeners = this.#notifications.filter((listener) => listener.method === method);
    for (const listener of listeners) listener.handle(params);
    return listeners.length > 0;
  }

  /** The message of an agent's error has its reason, which the page shows. */
  #toError(method: string, error: unknown): Error {
    if (ParleyError.is(error)) return error;
    const code = isObject(error) || error instanceof Error ? asNumber(Reflect.get(error, 'code')) : undefined;
    if (code === undefined) return error instanceof Error ? error : new Error(errorMessage(error));
    const { redactor } = this;
    const data: unknown = Reflect.get(error as object, 'data');
    const reason = redactor.redact(errorWithReason(errorMessage(error), data, (value) => redactor.value(value)));
    this.#log.info('wire', `"${method}" failed (${code}): ${reason}`);
    const AgentError = [reason, ...errorCodes({ code, data })].some(isSignInText) ? SignInError : RpcError;
    return new AgentError(code, truncate(reason, MAX_ERROR_CHARS), data);
  }

  #stream(): Stream {
    const readable = new ReadableStream<AnyMessage>({
      start: (controller) => {
        this.#forward = (message) => controller.enqueue(message as unknown as AnyMessage);
      },
    });
    const writable = new WritableStream<AnyMessage>({
      write: (message) => this.#sendFromSdk(message),
    });
    return { readable, writable };
  }

  async #sendFromSdk(message: JsonObject): Promise<void> {
    const id = message['id'] as RpcId;
    const params = message['params'];
    const pending = isObject(params) ? this.#leaving.get(params) : undefined;
    // The traffic retains the params, and they would retain the request with its session.
    if (isObject(params)) this.#leaving.delete(params);
    if (pending) this.dispatcher.registerResponse(id, pending);
    const failure = await this.#send(message);
    if (failure && pending) pending.settle({ error: failure });
  }

  /** Never rejects: a rejection would make the SDK close the connection. */
  async #send(message: JsonObject): Promise<Error | undefined> {
    const line = toLine(message);
    const failure = line instanceof Error ? line : await this.write(message, line);
    if (failure) this.#log.warn('wire', `Failed to send a message to the agent: ${failure.message}`);
    return failure;
  }

  /** Enters the handler at once. Never rejects. */
  async #handle(handler: RequestHandler, params: unknown, signal: AbortSignal): Promise<JsonObject> {
    try {
      return { result: (await handler.handle(handler.parse(params), { signal })) ?? null };
    } catch (error) {
      const { code, message, data } = toRpcError(error, signal);
      if (code === rpcCodes.internalError) this.#log.error('wire', `Failed to handle "${handler.method}"`, error);
      return { error: { code, message, ...(data !== undefined && { data }) } };
    }
  }
}

/**
 * The message as one line. An answer that cannot be serialized becomes an error, so that the agent does not wait for
 * ever.
 */
function toLine(message: JsonObject): string | Error {
  try {
    return JSON.stringify(message);
  } catch (error) {
    if ('method' in message) return new Error(errorMessage(error));
    const text = `The answer could not be written as JSON: ${errorMessage(error)}`;
    return JSON.stringify({
      jsonrpc: '2.0',
      id: message['id'],
      error: { code: rpcCodes.internalError, message: text },
    });
  }
}

function toRpcError(error: unknown, signal: AbortSignal): RpcError {
  if (error instanceof RpcError) return error;
  if (isCancellation(error) || signal.aborted) return new RpcError(rpcCodes.requestCancelled, 'Request cancelled');
  return new RpcError(rpcCodes.internalError, firstLine(errorMessage(error)) || 'Internal error');
}

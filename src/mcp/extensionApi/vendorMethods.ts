import type { ClientFeature, NotificationHandler, RequestHandler } from '../../agent/clientFeature';
import type { AgentDefinition } from '../../agent/config/agentDefinition';
import type { AgentConnection } from '../../agent/connection/agentConnection';
import { errorMessage } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { JsonObject } from '../../base/json';
import { asNumber, asObject, isObject } from '../../base/json';
import { RpcError, rpcCodes } from '../../base/jsonRpc';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore, toDisposable } from '../../base/lifecycle';
import type { Logger } from '../../base/logger';
import { describeValue } from '../../base/schema';
import type { ApiAgent, ApiAgentContext, ApiMessageTarget } from './parleyApi';

/**
 * An extension method (https://agentclientprotocol.com/protocol/extensibility): the vendor, which is the key in `_meta`, and the method.
 */
const METHOD = /^_([A-Za-z0-9][A-Za-z0-9.-]*)\/(\S+)$/;

interface ExtensionMethod {
  readonly vendor: string;
  readonly name: string;
  /** `_vendor/name` */
  readonly method: string;
}

interface Registered<Handler> extends ExtensionMethod {
  readonly handler: Handler;
  readonly capability: unknown;
}

/** Keys of `_meta` that Parley itself sends with a message. */
const OWN_META: ReadonlySet<string> = new Set(['traceparent', 'tracestate', 'baggage', 'steering']);

type PromptMeta = (context: ApiMessageTarget) => unknown;
type Answer = (params: unknown, context: ApiAgentContext) => unknown;
type Listener = (params: unknown, context: Omit<ApiAgentContext, 'signal'>) => void;

/** Extension methods between other extensions and agents. */
export class VendorMethods implements Disposable {
  readonly #onDidChange = new Emitter<void>();
  readonly #requests = new Map<string, Registered<Answer>>();
  readonly #listeners = new Set<Registered<Listener>>();
  readonly #promptMeta = new Map<string, PromptMeta>();
  readonly #agents = new Map<string, { readonly title: string; readonly connection: () => AgentConnection }>();

  readonly onDidChange = this.#onDidChange.event;

  constructor(private readonly log: Logger) {}

  /** @throws TypeError for a method that cannot be registered */
  onRequest(method: string, handler: Answer, capability: unknown = true): Disposable {
    const registered = { ...methodOf(method), handler: functionOf(handler), capability };
    if (this.#requests.has(method)) throw new TypeError(`Parley: "${method}" is answered by another extension already`);
    this.#requests.set(method, registered);
    return toDisposable(() => this.#requests.delete(method));
  }

  /** @throws TypeError for a method that cannot be listened to */
  onNotification(method: string, listener: Listener, capability: unknown = true): Disposable {
    const registered = { ...methodOf(method), handler: functionOf(listener), capability };
    this.#listeners.add(registered);
    return toDisposable(() => this.#listeners.delete(registered));
  }

  /** @throws TypeError for a key that is used already or is Parley's own */
  addPromptMeta(key: string, provide: PromptMeta): Disposable {
    if (typeof key !== 'string' || key === '' || OWN_META.has(key) || this.#promptMeta.has(key)) {
      const shown = describeValue(key);
      throw new TypeError(`Parley: addPromptMeta: "key" must be a name of your own in "_meta"; got ${shown}`);
    }
    this.#promptMeta.set(key, functionOf(provide));
    return toDisposable(() => this.#promptMeta.delete(key));
  }

  agents(): readonly ApiAgent[] {
    return [...this.#agents].flatMap(([name, { title, connection }]) => {
      const { state } = connection();
      if (state.status !== 'ready') return [];
      return [{ name, title, meta: asObject(state.info.capabilities['_meta']) ?? {} }];
    });
  }

  async request(agent: string, method: string, params: object = {}, signal?: AbortSignal): Promise<unknown> {
    methodOf(method);
    return this.#connection(agent).request(method, paramsOf(params), signal ? { signal } : {});
  }

  notify(agent: string, method: string, params: object = {}): void {
    methodOf(method);
    this.#connection(agent).notify(method, paramsOf(params));
  }

  /**
   * The contribution to one agent's connection, fixed at the agent's start.
   * @param connection available once the connection exists.
   */
  createContribution(
    definition: AgentDefinition,
    connection: () => AgentConnection,
  ): { feature: ClientFeature } & Disposable {
    const { name, title } = definition;
    const agent = { title, connection };
    const store = new DisposableStore();
    this.#agents.set(name, agent);
    store.defer(() => {
      if (this.#agents.get(name) === agent) this.#agents.delete(name);
      this.#onDidChange.fire();
    });
    // The connection is created after its contributions.
    queueMicrotask(() => {
      if (!store.isDisposed) store.add(connection().onDidChangeState(() => this.#onDidChange.fire()));
    });
    return { feature: this.#feature(name), dispose: () => store.dispose() };
  }

  dispose(): void {
    this.#onDidChange.dispose();
    this.#requests.clear();
    this.#listeners.clear();
    this.#promptMeta.clear();
  }

  #feature(agent: string): ClientFeature {
    const all = (): Registered<unknown>[] => [...this.#requests.values(), ...this.#listeners];
    const handlers = (): RequestHandler[] =>
      [...this.#requests.values()].map((one) => this.#toRequestHandler(one, agent));
    const notifications = (): NotificationHandler[] => this.#toNotificationHandlers(agent);
    return {
      get capabilities() {
        return metaOf(all());
      },
      get handlers() {
        return handlers();
      },
      get notifications() {
        return notifications();
      },
      promptMeta: (sessionId) => this.#metaOfPrompt({ agent, sessionId }),
    };
  }

  /** What cannot be sent is left out: the message goes out all the same. */
  #metaOfPrompt(context: ApiMessageTarget): JsonObject {
    const meta = new Map<string, unknown>();
    for (const [key, provide] of this.#promptMeta) {
      try {
        const value = JSON.stringify(provide(context));
        if (value !== undefined) meta.set(key, JSON.parse(value));
      } catch (error) {
        this.log.error('mcp', `An extension gave no "_meta.${key}" for a message: ${errorMessage(error)}`, error);
      }
    }
    return Object.fromEntries(meta);
  }

  #toRequestHandler({ method, handler }: Registered<Answer>, agent: string): RequestHandler {
    return {
      method,
      parse: (params) => params,
      handle: async (params, { signal }) => {
        // The handler may have been disposed since the agent was started.
        if (this.#requests.get(method)?.handler !== handler) {
          throw new RpcError(rpcCodes.methodNotFound, `"${method}" is not offered any more`);
        }
        try {
          return (await handler(params, { agent, signal })) ?? {};
        } catch (error) {
          throw toRpcError(error);
        }
      },
    };
  }

  #toNotificationHandlers(agent: string): NotificationHandler[] {
    return [...this.#listeners].map((registered) => ({
      method: registered.method,
      handle: (params) => {
        if (!this.#listeners.has(registered)) return;
        try {
          registered.handler(params, { agent });
        } catch (error) {
          this.log.error(
            'mcp',
            `The handler of an extension for "${registered.method}" failed: ${errorMessage(error)}`,
            error,
          );
        }
      },
    }));
  }

  #connection(agent: string): AgentConnection {
    const connection = this.#agents.get(agent)?.connection();
    if (connection?.state.status === 'ready') return connection;
    const running = this.agents().map(({ name }) => `“${name}”`);
    const others = running.length === 0 ? 'No agent runs' : `Running: ${running.join(', ')}`;
    throw new Error(`Parley: the agent ${JSON.stringify(agent)} does not run. ${others}.`);
  }
}

/** `clientCapabilities._meta`: registered methods by vendor. */
function metaOf(all: readonly Registered<unknown>[]): ClientFeature['capabilities'] {
  if (all.length === 0) return {};
  const meta: Record<string, Record<string, unknown>> = {};
  for (const { vendor, name, capability } of all) meta[vendor] = { ...meta[vendor], [name]: capability };
  return { _meta: meta };
}

function methodOf(method: unknown): ExtensionMethod {
  const [, vendor, name] = typeof method === 'string' ? (METHOD.exec(method) ?? []) : [];
  if (typeof method === 'string' && vendor !== undefined && name !== undefined) return { method, vendor, name };
  throw new TypeError(
    `Parley: a method of an extension is called "_vendor/name", such as "_example.org/refresh"; got ${describeValue(method)}`,
  );
}

function functionOf<T>(value: T): T {
  if (typeof value === 'function') return value;
  throw new TypeError('Parley: the handler must be a function');
}

function paramsOf(params: unknown): JsonObject {
  if (isObject(params)) return params;
  throw new TypeError('Parley: the params of a request or notification must be an object');
}

function toRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  const thrown = error instanceof Error || isObject(error) ? (error as { code?: unknown; data?: unknown }) : {};
  return new RpcError(asNumber(thrown.code) ?? rpcCodes.internalError, errorMessage(error), thrown.data);
}

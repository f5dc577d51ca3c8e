import type {
  Implementation,
  JSONRPCMessage,
  RequestId,
  StandardSchemaWithJSON,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/server';
import { errorMessage } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asObject, asString, isObject } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import { toDisposable } from '../../base/lifecycle';
import { META, STATELESS } from './inMemoryTransport';
import type { InMemoryTransport } from './inMemoryTransport';

/** A request of a caller, as the SDK's context has it. */
export interface CallRequest {
  readonly id: RequestId;
  readonly signal: AbortSignal;
  /** Without the keys of the protocol. */
  readonly _meta?: JsonObject | undefined;
  notify(notification: { readonly method: string; readonly params: JsonObject }): Promise<void>;
}

interface DirectTool {
  readonly input: StandardSchemaWithJSON;
  readonly output: StandardSchemaWithJSON | undefined;
  /** @param input validated */
  call(input: unknown, request: CallRequest): Promise<JsonObject>;
}

interface DirectCall {
  readonly tool: DirectTool;
  readonly input: unknown;
  readonly meta: JsonObject;
}

/**
 * Between a channel and its SDK server: answers valid calls of Parley's own tools in MCP 2026-07-28 and passes on everything else. The SDK
 * parses each message seven times and copies it, which is half the time of a call.
 */
export class DirectCalls implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #tools = new Map<string, DirectTool>();
  readonly #running = new Map<RequestId, AbortController>();
  #serverInfo: Implementation | undefined;

  constructor(private readonly channel: InMemoryTransport) {
    // Set in one go: the interface of the SDK has these properties only.
    Object.assign(channel, {
      onclose: () => {
        for (const controller of this.#running.values()) controller.abort();
        this.onclose?.();
      },
      onmessage: (message, extra) => {
        if (!this.#receive(message)) this.onmessage?.(message, extra);
      },
    } satisfies Partial<Transport>);
  }

  /** @param serverInfo sent with every result; without it the SDK answers all calls, such as those of an older revision */
  open(serverInfo: Implementation): void {
    this.#serverInfo = serverInfo;
  }

  add(name: string, tool: DirectTool): Disposable {
    this.#tools.set(name, tool);
    return toDisposable(() => this.#tools.delete(name));
  }

  start(): Promise<void> {
    return this.channel.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    return this.channel.send(message, options);
  }

  close(): Promise<void> {
    return this.channel.close();
  }

  /** Returns false for a message that is the SDK's. */
  #receive(message: JSONRPCMessage): boolean {
    if (!('method' in message)) return false;
    if (!('id' in message)) return this.#cancel(message.method, message.params);
    const call = message.method === 'tools/call' ? this.#read(message.params ?? {}) : undefined;
    if (call) void this.#answer(message.id, call);
    return call !== undefined;
  }

  #cancel(method: string, params: JsonObject | undefined): boolean {
    if (method !== 'notifications/cancelled') return false;
    const controller = this.#running.get(params?.['requestId'] as RequestId);
    controller?.abort();
    return controller !== undefined;
  }

  /** Undefined for what the SDK refuses, or answers otherwise. */
  #read({ name, arguments: args = {}, _meta, ...others }: JsonObject): DirectCall | undefined {
    const tool = this.#serverInfo && this.#tools.get(asString(name) ?? '');
    if (!tool || !isObject(_meta) || Object.keys(others).length > 0) return undefined;
    const { [META.version]: version, [META.client]: client = {}, [META.capabilities]: capabilities, ...meta } = _meta;
    const { name: clientName = '', version: clientVersion = '' } = asObject(client) ?? { name: null };
    const isValid = version === STATELESS && isObject(capabilities) && !(META.logLevel in meta) && isObject(args);
    if (!isValid || typeof clientName !== 'string' || typeof clientVersion !== 'string') return undefined;
    const input = tool.input['~standard'].validate(args);
    return input instanceof Promise || input.issues ? undefined : { tool, input: input.value, meta };
  }

  async #answer(id: RequestId, { tool, input, meta }: DirectCall): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    this.#running.set(id, controller);
    const notify: CallRequest['notify'] = ({ method, params }) =>
      this.send({ jsonrpc: '2.0', method, params }, { relatedRequestId: id });
    const _meta = Object.keys(meta).length > 0 ? meta : undefined;
    const result = await callTool(tool, input, { id, signal, _meta, notify });
    this.#running.delete(id);
    const stamped = { [META.server]: this.#serverInfo, ...asObject(result['_meta']) };
    if (!signal.aborted)
      await this.send({ jsonrpc: '2.0', id, result: { ...result, resultType: 'complete', _meta: stamped } });
  }
}

/** Never rejects: what is thrown, or does not match the schema, is the answer, as with the SDK. */
async function callTool(tool: DirectTool, input: unknown, request: CallRequest): Promise<JsonObject> {
  const { output } = tool;
  try {
    const result = await tool.call(input, request);
    const isError = result['isError'] === true;
    const { issues } = output && !isError ? await output['~standard'].validate(result['structuredContent']) : {};
    if (!issues) return result;
    throw new Error(`Output validation error: ${issues.map(({ message }) => message).join(', ')}`);
  } catch (error) {
    return { content: [{ type: 'text', text: errorMessage(error) }], isError: true };
  }
}

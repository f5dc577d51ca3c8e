import { pathToFileURL } from 'node:url';
import type { RequestId } from '@modelcontextprotocol/server';
import { errorMessage } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asObject, asString, omitUndefined } from '../../base/json';
import { RpcError, rpcCodes } from '../../base/jsonRpc';
import type { SessionHandle } from '../../session/sessionHandle';
import type { McpOutcome } from '../../session/toolServer';
import type { Tool, ToolPrompt, ToolResource, ToolResourceTemplate } from '../contract/toolServerTypes';
import { InMemoryTransport } from '../host/inMemoryTransport';
import { subscribeEach } from '../userServers/connection/resourceSubscriptions';
import { RunningCalls } from '../userServers/connection/runningCalls';
import type { McpRequestOptions, ServerClient, ServerInfo } from '../userServers/connection/serverListing';
import { listAll } from '../userServers/connection/serverListing';
import type { ServerLink } from '../userServers/forwardedTools';
import { forwardPrompt, forwardResource, forwardTemplate, forwardTool } from '../userServers/forwardedTools';
import type { ApiMcpServer } from './parleyApi';

/** The newest revision with `initialize`; an older SDK answers with its own. */
const PROTOCOL = '2025-11-25';
/** Milliseconds for a request that is no tool call. */
const READ_TIMEOUT_MS = 30_000;
/** Sampling is not supported. */
const CAPABILITIES = { roots: {}, elicitation: { form: {}, url: {} } };
/** What reaches agents and the user. */
const CARRIED: ReadonlySet<string> = new Set(['tools', 'resources', 'prompts', 'completions', 'logging']);

/** What a server lists, in Parley's form. */
interface ServerLists {
  readonly tools: readonly Tool[];
  readonly resources: readonly ToolResource[];
  readonly templates: readonly ToolResourceTemplate[];
  readonly prompts: readonly ToolPrompt[];
}

type Answer = (method: string, params: JsonObject, signal: AbortSignal) => Promise<unknown>;

/** A conversation in memory in which the server may ask, too. */
class AnsweringTransport extends InMemoryTransport {
  /** Requests of the server that wait for an answer, by their id. */
  readonly #asked = new Map<unknown, AbortController>();

  constructor(private readonly answer: Answer) {
    super();
  }

  override async send(...[message, options]: Parameters<InMemoryTransport['send']>): Promise<void> {
    if ('method' in message && message.method === 'notifications/cancelled')
      this.#asked.get(asObject(message.params)?.['requestId'])?.abort();
    else await super.send(message, options);
  }

  override async close(): Promise<void> {
    for (const abort of this.#asked.values()) abort.abort();
    await super.close();
  }

  protected override answerRequest(id: RequestId, method: string, params: JsonObject): void {
    const abort = new AbortController();
    this.#asked.set(id, abort);
    const toError = (error: unknown): JsonObject => {
      const code = error instanceof RpcError ? error.code : rpcCodes.internalError;
      return { id, error: { code, message: errorMessage(error) } };
    };
    this.answer(method, params, abort.signal)
      .then((result): JsonObject => ({ id, result }), toError)
      .then((response) => this.deliver(response))
      .finally(() => this.#asked.delete(id))
      .catch(() => undefined);
  }
}

/** An MCP server of another extension that serves one session, connected in memory. */
export class InProcessServer implements ServerLink {
  readonly #channel = new AnsweringTransport((...request) => this.#answer(...request));
  readonly #calls: RunningCalls;
  #info: Omit<ServerInfo, 'start'> = {
    capabilities: {},
    instructions: undefined,
    title: undefined,
    version: undefined,
  };
  #count = 0;
  #subscribe: ServerClient['subscribe'] = () => undefined;

  /**
   * @param name of the server, for the user
   * @param onNotification of the server, also during a call; progress is not among them
   */
  constructor(
    private readonly server: ApiMcpServer,
    private readonly session: SessionHandle,
    name: string,
    private readonly onNotification: (method: string, params: JsonObject) => void,
  ) {
    this.#calls = new RunningCalls(name);
    this.#channel.onNotification = (method, params) => onNotification(method, params ?? {});
  }

  get instructions(): string | undefined {
    return this.#info.instructions;
  }

  get completes(): boolean {
    return this.#info.capabilities['completions'] !== undefined;
  }

  /** Names of the capabilities that Parley does not pass on. */
  get notCarried(): readonly string[] {
    return Object.keys(this.#info.capabilities).filter((name) => !CARRIED.has(name));
  }

  /** @throws the server's error */
  async open(version: string): Promise<void> {
    await this.server.connect(this.#channel);
    const clientInfo = { name: 'parley', title: 'Parley', version };
    const params = { protocolVersion: PROTOCOL, capabilities: CAPABILITIES, clientInfo };
    const result = await this.read('initialize', params);
    const capabilities = asObject(result['capabilities']) ?? {};
    this.#info = { ...this.#info, capabilities, instructions: asString(result['instructions']) };
    this.#channel.notify('notifications/initialized', undefined);
    const canSubscribe = asObject(capabilities['resources'])?.['subscribe'] === true;
    this.#subscribe = subscribeEach((...request) => this.#request(...request), canSubscribe);
  }

  /** @throws the server's error */
  async list(): Promise<ServerLists> {
    const request: ServerClient['request'] = (...given) => this.#request(...given);
    const listing = await listAll({ ...this.#info, request }, READ_TIMEOUT_MS);
    return {
      tools: listing.tools.flatMap((tool) => this.#toTool(tool) ?? []),
      resources: listing.resources.flatMap((resource) => forwardResource(resource, this) ?? []),
      templates: listing.templates.flatMap((template) => forwardTemplate(template, this) ?? []),
      prompts: listing.prompts.flatMap((prompt) => forwardPrompt(prompt, this) ?? []),
    };
  }

  /** Replaces the set of resources with update notifications. */
  subscribe(uris: readonly string[]): void {
    this.#subscribe(uris);
  }

  call(params: JsonObject, options: McpRequestOptions): Promise<JsonObject> {
    return this.#request('tools/call', params, options);
  }

  read(method: string, params: JsonObject): Promise<JsonObject> {
    return this.#request(method, params, { timeout: READ_TIMEOUT_MS });
  }

  async close(): Promise<void> {
    this.#calls.end();
    await this.server.close();
  }

  /** The hints of an extension, which runs in this process anyway, are trusted. */
  #toTool(definition: JsonObject): Tool | undefined {
    const tool = forwardTool(definition, this, this.#calls, () => true, undefined);
    return tool && { ...tool, approval: tool.annotations.readOnlyHint === true ? 'free' : 'policy' };
  }

  async #request(
    method: string,
    params: JsonObject,
    { signal, timeout, onprogress }: McpRequestOptions,
  ): Promise<JsonObject> {
    this.#count += 1;
    const id = `${method} ${this.#count}`;
    const meta = onprogress ? { ...asObject(params['_meta']), progressToken: id } : params['_meta'];
    const ended = AbortSignal.any([AbortSignal.timeout(timeout), ...(signal ? [signal] : [])]);
    const notify = (about: string, reported: JsonObject = {}): void => {
      if (about === 'notifications/progress') onprogress?.(reported as never);
      else this.onNotification(about, reported);
    };
    const request = { id, method, params: { ...params, ...omitUndefined({ _meta: meta }) }, signal: ended, notify };
    return resultOf(await this.#channel.request(request));
  }

  async #answer(method: string, params: JsonObject, signal: AbortSignal): Promise<unknown> {
    if (method === 'elicitation/create') return this.#calls.elicit(params, signal);
    if (method === 'roots/list')
      return { roots: this.session.folders.map((folder) => ({ uri: pathToFileURL(folder).href })) };
    if (method === 'ping') return {};
    throw new RpcError(rpcCodes.methodNotFound, `Parley does not support ${method}`);
  }
}

/** @throws Error that is known as the server's answer */
function resultOf(outcome: McpOutcome): JsonObject {
  if ('result' in outcome) return asObject(outcome.result) ?? {};
  const { code, data } = outcome.error;
  throw Object.assign(new Error(errorMessage(outcome.error)), { name: 'McpError', code, data });
}

import { pathToFileURL } from 'node:url';
import type { Clock } from '../../../base/clock';
import { errorMessage } from '../../../base/errors';
import type { JsonObject } from '../../../base/json';
import { asObject, isObject } from '../../../base/json';
import { RpcError, rpcCodes } from '../../../base/jsonRpc';
import { t } from '../../../base/l10n';
import type { Disposable } from '../../../base/lifecycle';
import { truncate } from '../../../base/text';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import { zoneOf } from '../../../node/http/ipRanges';
import { fetchBy, restrictedRequest } from '../../../node/http/restrictedRequest';
import { RecordedMcpConnection } from '../../contract/recordedMcpConnection';
import type { RemoteStart, ServerLaunch } from '../config/serverDefinition';
import type * as Library from '../mcpClientSdk';
import { InboundLimits } from './inboundLimits';
import { OpenError, reasonOf, shortMessage } from './mcpClientErrors';
import { ChangeStream, subscribeEach } from './resourceSubscriptions';
import type { RunningCalls } from './runningCalls';
import type { McpRequestOptions, ServerClient, ServerInfo } from './serverListing';
import { MAX_DESCRIPTION, MAX_TITLE } from './serverListing';
import type { ConnectionListener, PreparedServer, ServerWindow } from './serverWindow';
import { StdioTransport } from './stdioTransport';
import { WebSocketTransport } from './webSocketTransport';

type Legacy = typeof Library;
type Transport = Parameters<InstanceType<Legacy['Client']>['connect']>[0];
/** MCP `ElicitResult`. */
interface Elicited {
  [field: string]: unknown;
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string | number | boolean | string[]>;
}

/** Milliseconds for opening: `npx` downloads a package the first time. */
const OPEN_TIMEOUT_MS = 60_000;

/** Roots and elicitation; sampling is not supported. */
const CAPABILITIES = { roots: {}, elicitation: { form: {}, url: {} } };

/**
 * Connects to a server. A canceled call rejects after everything it started has ended. A failed call rejects at once, so that the user
 * sees the reason, and passes the rest to `onEnding`.
 * @param calls its requests to the user belong to one of them
 * @throws OpenError
 */
export async function openClient(
  window: ServerWindow,
  server: PreparedServer,
  calls: RunningCalls,
  listener: ConnectionListener,
): Promise<ServerClient> {
  const { traffic } = window;
  const title = t('MCP server “{0}”', escapeInvisibleInline(calls.name));
  const recorded = traffic && new RecordedMcpConnection(traffic, title, 'starting');
  try {
    const client = await openEither(window, server, calls, listener, recorded);
    recorded?.setStatus('ready');
    return client;
  } catch (error) {
    recorded?.end(listener.signal.aborted ? 'stopped' : 'failed');
    throw error;
  }
}

async function openEither(...[window, server, ...more]: ConstructorParameters<typeof Attempt>): Promise<ServerClient> {
  const library = await import('../mcpClientSdk');
  const first = new Attempt(window, server, ...more);
  try {
    return await first.open((one) => one.legacy(library));
  } catch (error) {
    const next = first.isAborted ? undefined : otherProtocol(error, server.start);
    if (!next) throw first.toOpenError(error);
    const second = new Attempt(window, { ...server, start: next.start }, ...more);
    try {
      return await second.open((one) => (next.isModern ? one.modern(library) : one.legacy(library)));
    } catch (later) {
      // If it has no event stream either, its refusal of the POST explains more.
      throw later instanceof library.SseError ? first.toOpenError(error) : second.toOpenError(later);
    }
  }
}

interface OtherProtocol {
  readonly start: ServerLaunch;
  /** MCP 2026-07-28 */
  readonly isModern: boolean;
}

/** Statuses with which a server of 2024-11-05 refuses `initialize`: it wants a GET for its event stream (MCP, Transports). */
const ONLY_SSE: ReadonlySet<unknown> = new Set([400, 404, 405]);

/** The protocol that a server may support instead, by its refusal of `initialize`: a newer one, or SSE. */
function otherProtocol(error: unknown, start: ServerLaunch): OtherProtocol | undefined {
  const code = isObject(error) || error instanceof Error ? (error as { code?: unknown }).code : undefined;
  // It knows no such method, or no such version.
  const isModern = code === -32_601 || code === -32_022 || /-32022|-32601|2026-07-28/.test(errorMessage(error));
  if (isModern) return { start, isModern };
  return start.type === 'http' && ONLY_SSE.has(code) ? { start: { ...start, type: 'sse' }, isModern } : undefined;
}

/** One attempt to connect, with one transport. */
class Attempt {
  #transport: (Transport & { readonly tail?: string; readonly isUnusable?: boolean }) | undefined;
  #why: string | undefined;
  #isOpen = false;
  /** Tells the server about other folders. */
  #roots: Disposable | undefined;

  constructor(
    private readonly window: ServerWindow,
    private readonly server: PreparedServer,
    private readonly calls: RunningCalls,
    private readonly listener: ConnectionListener,
    private readonly recorded: RecordedMcpConnection | undefined,
  ) {}

  get isAborted(): boolean {
    return this.listener.signal.aborted;
  }

  /** Opens the connection; on failure ends what was started for it. */
  async open(connect: (attempt: Attempt) => Promise<ServerClient>): Promise<ServerClient> {
    const { signal } = this.listener;
    const giveUp = (): void => void this.#drop();
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      signal.throwIfAborted();
      const client = await connect(this);
      signal.throwIfAborted();
      return client;
    } catch (error) {
      const dropped = this.#drop();
      if (signal.aborted) await dropped;
      else this.listener.onEnding(dropped);
      throw error;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  async legacy(library: Legacy): Promise<ServerClient> {
    const { version } = this.window;
    const capabilities = { ...CAPABILITIES, roots: { listChanged: true } };
    const client = new library.Client({ name: 'parley', title: 'Parley', version }, { capabilities });
    client.setRequestHandler(library.ListRootsRequestSchema, () => ({ roots: toRoots(this.window.folders()) }));
    // A fallback handler, because the SDK reports schema mismatches with the parser's whole output.
    client.fallbackRequestHandler = async ({ method, params }, { signal }) => {
      if (method === 'elicitation/create') return this.#elicit(params, signal);
      throw new RpcError(rpcCodes.methodNotFound, `Parley does not answer ${method}`);
    };
    const transport = this.#transportOf(library);
    // The SDK reopens an ended event stream, but on that stream the server has no session.
    this.#listen(client, (error) => error instanceof library.SseError);
    this.recorded?.follow(transport);
    await client.connect(transport, { timeout: OPEN_TIMEOUT_MS });
    this.#isOpen = true;
    this.#roots = this.window.onDidChangeFolders(() => void client.sendRootsListChanged().catch(() => undefined));
    const request: ServerClient['request'] = async (method, params, given) =>
      (await client.request({ method, params }, library.ResultSchema, optionsOf(given))) as JsonObject;
    return {
      ...serverInfoOf(client),
      start: this.server.start,
      request,
      ping: async (timeout) => void (await client.ping({ timeout })),
      subscribe: subscribeEach(request, client.getServerCapabilities()?.resources?.subscribe === true),
      tail: () => this.#transport?.tail ?? '',
      close: () => this.#close(client),
    };
  }

  async modern(library: Legacy): Promise<ServerClient> {
    const newer = await import('../mcpClientSdk2026');
    const { version } = this.window;
    const { start } = this.server;
    const client = new newer.Client(
      { name: 'parley', title: 'Parley', version },
      { capabilities: CAPABILITIES, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    client.setRequestHandler('roots/list', () => ({ roots: toRoots(this.window.folders()) }));
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => this.#elicit(params, mcpReq.signal));
    const transport =
      start.type === 'http' ? this.#http(newer.StreamableHTTPClientTransport, start) : this.#transportOf(library);
    this.#transport = transport as never;
    this.#listen(client);
    this.recorded?.follow(transport);
    await client.connect(transport, { timeout: OPEN_TIMEOUT_MS });
    this.#isOpen = true;
    const listening = new ChangeStream((filter) => client.listen(filter));
    return {
      ...serverInfoOf(client),
      start,
      subscribe: (uris) => listening.to(uris),
      request: async (method, params, given) =>
        method === 'tools/call'
          ? { ...(await client.callTool({ name: '', ...params }, optionsOf(given))) }
          : { ...(await client.request({ method: method as 'tools/list', params }, optionsOf(given))) },
      tail: () => this.#transport?.tail ?? '',
      close: () => this.#close(client),
    };
  }

  toOpenError(error: unknown): OpenError {
    const tail = this.#transport?.tail ?? '';
    const { isFinal, sentence } = explainError(error, this.#why);
    return new OpenError(sentence, tail, isFinal || this.#transport?.isUnusable === true, error);
  }

  /** Ends what was started. Never rejects. */
  async #drop(): Promise<void> {
    const onFailed = (error: unknown): void =>
      this.window.log.trace('mcp', `Failed to close the transport of ${this.calls.name}: ${errorMessage(error)}`);
    await this.#transport?.close().catch(onFailed);
  }

  /** @param isEnd whether an error has ended the connection */
  #listen(
    client: {
      fallbackNotificationHandler?: (notification: {
        method: string;
        params?: JsonObject | undefined;
      }) => Promise<void>;
      onclose?: (() => void) | undefined;
      onerror?: ((error: Error) => void) | undefined;
    },
    isEnd: (error: Error) => boolean = () => false,
  ): void {
    client.fallbackNotificationHandler = async ({ method, params }) =>
      this.listener.onNotification(method, asObject(params) ?? {});
    const onerror = (error: Error): void => {
      this.#why = shortMessage(error);
      this.window.log.trace('mcp', `The client of ${this.calls.name} reported an error: ${this.#why}`);
      if (this.#isOpen && isEnd(error)) void this.#drop();
    };
    const onclose = (): void => {
      this.#roots?.dispose();
      if (!this.#isOpen) return;
      this.recorded?.end('failed');
      this.listener.onClosed([this.#why, this.#transport?.tail].filter(Boolean).join('\n') || undefined);
    };
    Object.assign(client, { onerror, onclose });
  }

  async #close(client: { close(): Promise<void> }): Promise<void> {
    this.#isOpen = false;
    this.recorded?.end('stopped');
    await client.close();
  }

  // Parameters are `unknown`, because the two SDKs declare different types for them.
  async #elicit(params: unknown, signal: AbortSignal): Promise<Elicited> {
    return { ...(await this.calls.elicit(asObject(params) ?? {}, signal)) } as Elicited;
  }

  #transportOf(library: Legacy): Transport {
    this.#transport = this.#createTransport(library) as Transport;
    return this.#transport;
  }

  #createTransport(library: Legacy): unknown {
    const { log, clock } = this.window;
    const { start, folder } = this.server;
    switch (start.type) {
      case 'stdio':
        return new StdioTransport(
          this.calls.name,
          start,
          folder,
          log,
          clock,
          () => this.listener.onSilent(),
          this.recorded?.traffic,
        );
      case 'ws':
        return new WebSocketTransport(start, clock, (problem) => this.#cutOff(problem));
      case 'sse':
        return this.#http<unknown>(library.SSEClientTransport, start);
      case 'http':
      default:
        return this.#http<unknown>(library.StreamableHTTPClientTransport, start);
    }
  }

  #cutOff(problem: string): void {
    this.#why = problem;
    this.window.log.warn('mcp', `${this.calls.name} was cut off: ${problem}`);
    void this.#drop();
  }

  #http<T>(
    transportClass: new (url: URL, options: { requestInit: RequestInit; fetch: ReturnType<typeof limitedFetch> }) => T,
    { url, headers }: RemoteStart,
  ): T {
    const limited = limitedFetch(this.window.clock, (problem) => this.#cutOff(problem));
    const { account } = this.server;
    return new transportClass(new URL(url), {
      requestInit: { headers },
      fetch: account ? account.withAuthorization(limited) : limited,
    });
  }
}

function serverInfoOf(client: {
  getServerCapabilities(): unknown;
  getInstructions(): string | undefined;
  getServerVersion(): { title?: string | undefined; version: string } | undefined;
}): Omit<ServerInfo, 'start'> {
  const server = client.getServerVersion();
  const capabilities = asObject(client.getServerCapabilities()) ?? {};
  const cut = (text: string | undefined, max: number): string | undefined => text && truncate(text, max);
  return {
    capabilities,
    instructions: cut(client.getInstructions(), MAX_DESCRIPTION),
    title: cut(server?.title, MAX_TITLE),
    version: cut(server?.version, MAX_TITLE),
  };
}

function optionsOf({ signal, timeout, onprogress }: McpRequestOptions): {
  timeout: number;
  maxTotalTimeout: number;
  signal?: AbortSignal;
  onprogress?: NonNullable<McpRequestOptions['onprogress']>;
} {
  return { timeout, maxTotalTimeout: timeout, ...(signal && { signal }), ...(onprogress && { onprogress }) };
}

function toRoots(folders: readonly string[]): { uri: string }[] {
  return folders.map((folder) => ({ uri: pathToFileURL(folder).href }));
}

function explainError(
  error: unknown,
  why: string | undefined,
): { readonly sentence: string; readonly isFinal: boolean } {
  const message = errorMessage(error);
  const code = (error as { code?: unknown } | undefined)?.code;
  const kind = (error as { kind?: unknown } | undefined)?.kind;
  if (kind !== 'signInRequired' && (code === 401 || /unauthorized|\b401\b/i.test(message))) {
    const advice = t('Add a supported token to "headers" as ${input:NAME}, or remove the header to sign in');
    return { sentence: t('the server rejected the configured Authorization header (401). {0}', advice), isFinal: true };
  }
  if (kind === 'agentNotFound' || kind === 'signInRequired') return { sentence: message, isFinal: true };
  return { sentence: why ?? reasonOf(error), isFinal: false };
}

/** Statuses without a body. */
const WITHOUT_BODY = new Set([101, 103, 204, 205, 304]);

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** To this machine, by the URL that the user has written: nothing is restricted. */
const localFetch = fetchBy((url, outgoing) => {
  const allowed = { refuseUrl: () => undefined, refuseAddress: () => undefined, refuseRedirect: () => '' };
  return restrictedRequest(url, { ...outgoing, redirect: 'manual', isUnlimited: true }, allowed);
});

/** `fetch` ends an answer that is silent for five minutes; a server of this machine, before which no proxy stands, is asked without it. */
async function send(url: string | URL, init?: RequestInit): Promise<Response> {
  if (zoneOf(new URL(url)) !== 'loopback') return fetch(url, init);
  const response = await localFetch(url, init);
  // The SDK follows redirects itself, or leaves them to `fetch`.
  if (init?.redirect === 'manual' || response.headers.get('location') === null) return response;
  await response.body?.cancel();
  return fetch(url, init);
}

/**
 * `fetch` with limits on incoming responses (docs/security.md, row 13).
 * @param onCutOff Called with the reason when a response was cut off.
 */
function limitedFetch(clock: Clock, onCutOff: (problem: string) => void): Fetch {
  return async (url, init) => {
    const response = await send(url, init);
    const { body, status, statusText, headers } = response;
    if (!body || status < 200 || WITHOUT_BODY.has(status)) return response;
    const isEvents = headers.get('content-type')?.includes('text/event-stream') === true;
    const guard = new InboundLimits(isEvents ? 'event' : 'body', clock);
    const checked = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const problem = guard.check(chunk);
        if (problem === undefined) {
          controller.enqueue(chunk);
          return;
        }
        onCutOff(problem);
        controller.error(new Error(problem));
      },
    });
    return new Response(body.pipeThrough(checked), { status, statusText, headers });
  };
}

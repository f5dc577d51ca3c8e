import { createDeferred } from '../../../base/async';
import type { Deferred } from '../../../base/async';
import type { Clock } from '../../../base/clock';
import { DelayedCall } from '../../../base/clock';
import { CanceledError, errorMessage } from '../../../base/errors';
import type { Event } from '../../../base/event';
import { Emitter } from '../../../base/event';
import type { JsonObject } from '../../../base/json';
import { asString } from '../../../base/json';
import { t } from '../../../base/l10n';
import type { Disposable } from '../../../base/lifecycle';
import { MutableDisposable } from '../../../base/lifecycle';
import type { Logger } from '../../../base/logger';
import { ServerMessages } from '../../contract/serverMessages';
import type { ListingCacheEntry } from './listingCache';
import type { ConnectionState, OpenError } from './mcpClientErrors';
import {
  asOpenError,
  isAnswer,
  isBroken,
  isTimeout,
  lostError,
  notConnectedError,
  shortMessage,
} from './mcpClientErrors';
import { ResourceWatchers } from './resourceSubscriptions';
import type { CachedListing, ServerListing, McpRequestOptions, ServerClient } from './serverListing';
import type { ConnectionListener } from './serverWindow';

/** Milliseconds for reading a resource, and for waiting before it until the connection is ready again. */
const READ_TIMEOUT_MS = 30_000;
const RECONNECT_WAIT_MS = 10_000;
/** Milliseconds without a request before an idle server is asked whether it still answers, and for its answer. */
const PING_INTERVAL_MS = 60_000;
const PING_TIMEOUT_MS = 30_000;

/**
 * Opens a connection. After an abort, settles once everything it started has ended.
 * @throws OpenError
 */
export type OpenConnection = (listener: ConnectionListener) => Promise<ServerClient>;

/** The connection to one server: opened on first use, reopened up to five times when it breaks. */
export class ServerConnection implements Disposable {
  readonly #onDidChange = new Emitter<void>();
  readonly #timer = new MutableDisposable<Disposable>();
  #state: ConnectionState = { status: 'stopped' };
  #client: ServerClient | undefined;
  #opening: { readonly abort: AbortController; readonly done: Promise<void> } | undefined;
  readonly #closing = new Set<Promise<void>>();
  #attempt: Deferred<void> | undefined;
  readonly #retries: ReconnectPolicy;
  /** Incremented per attempt: results of earlier attempts are dropped. */
  #generation = 0;
  #isRelisting = false;
  #isOutdated = false;
  readonly #onDidUpdate = new Emitter<string>();
  readonly watches = new ResourceWatchers();
  readonly messages: ServerMessages;
  /** Requests without an answer. A server that works on one may not answer a ping. */
  #running = 0;
  readonly #idle: DelayedCall;

  /** Fires for changes of state or lists. */
  readonly onDidChange: Event<void> = this.#onDidChange.event;
  /** Fires the URI of a watched resource. */
  readonly onDidUpdate: Event<string> = this.#onDidUpdate.event;

  constructor(
    private readonly name: string,
    private readonly open: OpenConnection,
    private readonly lists: ListingCacheEntry,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {
    this.#retries = new ReconnectPolicy(clock);
    this.messages = new ServerMessages(name, clock, log);
    this.#idle = new DelayedCall(PING_INTERVAL_MS, () => void this.#ping(), clock);
    this.watches.onDidChange(() => this.#client?.subscribe(this.watches.uris));
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** The cached listing; stays while the connection is down. */
  get listing(): ServerListing | undefined {
    return this.lists.cached?.listing;
  }

  /** Opens the connection unless it is open or opening; settles when that worked or failed. Never rejects. */
  start(): Promise<void> {
    const { status } = this.#state;
    if (status === 'stopped' || (status === 'failed' && this.#timer.value === undefined)) {
      this.#retries.reset();
      this.lists.loadStored();
      this.#connect();
    } else if (this.#client && this.lists.isExpired) void this.#relist(this.#client);
    return this.#attempt?.promise ?? Promise.resolve();
  }

  /** Closes the connection, also while it is opening, and drops the listing. Settles when everything it started has ended. */
  async stop(): Promise<void> {
    const opening = this.#opening;
    this.#generation += 1;
    this.#close(this.#client);
    this.#client = undefined;
    this.lists.clear();
    this.#timer.value = undefined;
    opening?.abort.abort();
    this.#set({ status: 'stopped' });
    await Promise.all([opening?.done, ...this.#closing]);
  }

  /** Lists again, or reconnects. */
  async refresh(): Promise<void> {
    if (this.#client) return this.#relist(this.#client);
    this.lists.bypassCache();
    this.#timer.value = undefined;
    return this.start();
  }

  /**
   * Sends a call exactly once, since it may have had an effect.
   * @throws ToolError without a connection
   * @throws RpcError with the server's answer
   */
  async call(params: JsonObject, options: McpRequestOptions): Promise<JsonObject> {
    return this.#request('tools/call', params, options);
  }

  /** Repeats a read once if the transport failed. */
  async read(method: string, params: JsonObject): Promise<JsonObject> {
    try {
      return await this.#request(method, params, { timeout: READ_TIMEOUT_MS });
    } catch (error) {
      if (isAnswer(error)) throw error;
      await this.#waitForReconnect();
      return this.#request(method, params, { timeout: READ_TIMEOUT_MS });
    }
  }

  /** MCP `completion/complete`; no values from a server that completes nothing. */
  async complete(params: JsonObject): Promise<JsonObject> {
    if (this.#state.status === 'connecting') await this.#attempt?.promise;
    if (this.#client?.capabilities['completions'] === undefined) return { completion: { values: [] } };
    return this.read('completion/complete', params);
  }

  dispose(): void {
    void this.stop();
    this.#idle.dispose();
    this.#timer.dispose();
    this.#onDidChange.dispose();
    this.#onDidUpdate.dispose();
    this.watches.dispose();
  }

  async #request(method: string, params: JsonObject, options: McpRequestOptions): Promise<JsonObject> {
    // The cached listing is available while the connection opens.
    if (this.#state.status === 'connecting') await this.#attempt?.promise;
    if (options.signal?.aborted) throw new CanceledError();
    const client = this.#client;
    if (!client) throw notConnectedError(this.name, this.#state);
    this.#running += 1;
    this.#idle.cancel();
    try {
      return await client.request(method, params, options);
    } catch (error) {
      if (isBroken(error) && this.#client === client) {
        this.#close(client);
        this.#handleLoss(asOpenError(error, client.tail()));
      }
      throw error;
    } finally {
      this.#running -= 1;
      if (this.#client) this.#idle.schedule();
    }
  }

  /** Notices that an idle server has gone before a call needs it. */
  async #ping(): Promise<void> {
    const client = this.#client;
    if (!client?.ping || this.#running > 0) return;
    try {
      await client.ping(PING_TIMEOUT_MS);
    } catch (error) {
      const isGone = isTimeout(error) ? this.#running === 0 : isBroken(error);
      if (isGone && this.#client === client) {
        this.#close(client);
        this.#handleLoss(lostError([t('the server stopped answering'), client.tail()].join('\n')));
      }
    }
    if (this.#client && this.#running === 0) this.#idle.schedule();
  }

  #connect(): void {
    this.#generation += 1;
    this.#timer.value = undefined;
    this.#attempt ??= createDeferred();
    this.#set({ status: 'connecting' });
    const abort = new AbortController();
    const opening = { abort, done: this.#open(this.#generation, abort.signal) };
    this.#opening = opening;
    void opening.done.finally(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
  }

  /** Never rejects. */
  async #open(generation: number, signal: AbortSignal): Promise<void> {
    const isReplaced = (): boolean => generation !== this.#generation;
    let client: ServerClient | undefined;
    let ended: OpenError | undefined;
    let isChanged = false;
    const onClosed = (why: string | undefined): void => {
      ended = lostError(why);
      // A connection that closes earlier is a failure to open.
      if (client && this.#client === client) this.#handleLoss(ended);
    };
    try {
      client = await this.open({
        signal,
        onClosed,
        onEnding: (ending) => this.#trackEnding(ending),
        onSilent: () => {
          if (!isReplaced()) this.#set({ status: 'connecting', isSilent: true });
        },
        onNotification: (method, params) => {
          // A change during the first listing, which may have read the old lists.
          isChanged ||= isListChange(method) && this.#client !== client;
          this.#onNotification(method, params);
        },
      });
      const cached = await this.#firstLists(client, isReplaced, signal);
      if (!cached) return;
      this.#useClient(client, cached);
      if (isChanged) this.#followChange(client);
      this.log.info('mcp', `Connected to the MCP server “${this.name}”: ${cached.listing.tools.length} tools`);
    } catch (error) {
      if (!isReplaced()) this.#handleFailure(ended ?? asOpenError(error, client?.tail()));
    }
  }

  #useClient(client: ServerClient, cached: CachedListing): void {
    this.#client = client;
    this.lists.cached = cached;
    this.#retries.onDidOpen();
    this.#idle.schedule();
    if (this.watches.uris.length > 0) client.subscribe(this.watches.uris);
    this.#set({ status: 'ready' });
  }

  /** Lists tools, resources and prompts, and closes the connection on failure. Undefined when the connection was closed meanwhile. */
  async #firstLists(
    client: ServerClient,
    isReplaced: () => boolean,
    signal: AbortSignal,
  ): Promise<CachedListing | undefined> {
    const close = (): void => this.#close(client);
    signal.addEventListener('abort', close, { once: true });
    try {
      return await this.lists.read(client, isReplaced);
    } catch (error) {
      close();
      if (isReplaced()) return undefined;
      throw error;
    } finally {
      signal.removeEventListener('abort', close);
      if (isReplaced()) close();
    }
  }

  #close(client: ServerClient | undefined): void {
    if (client) this.#trackEnding(client.close());
  }

  /** Lets `stop` wait until this connection has ended. */
  #trackEnding(ending: Promise<void>): void {
    const { log, name } = this;
    const closing = ending
      .catch((error: unknown) => log.trace('mcp', `Failed to close the connection to ${name}: ${errorMessage(error)}`))
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #handleFailure({ message, tail, isFinal }: OpenError): void {
    const pause = isFinal ? undefined : this.#retries.nextDelay();
    this.log.warn('mcp', `The MCP server “${this.name}” failed: ${[message, tail].filter(Boolean).join('\n')}`);
    if (pause !== undefined) this.#timer.value = this.clock.after(pause, () => this.#connect());
    this.#set({ status: 'failed', message, tail, ...(pause !== undefined && { again: pause }) });
  }

  #handleLoss(error: OpenError): void {
    this.#retries.onDidClose();
    this.#client = undefined;
    this.#handleFailure(error);
  }

  #onNotification(method: string, params: JsonObject): void {
    const uri = asString(params['uri']);
    if (method === 'notifications/message') this.messages.add(params);
    if (method === 'notifications/resources/updated' && uri !== undefined) this.#onDidUpdate.fire(uri);
    if (isListChange(method) && this.#client) this.#followChange(this.#client);
  }

  /** Merges repeated notifications of one change, and lists once at a time. */
  #followChange(client: ServerClient): void {
    this.#isOutdated = true;
    if (this.#isRelisting) return;
    this.#isRelisting = true;
    this.clock.after(200, () => {
      this.#isOutdated = false;
      void this.#relist(client).finally(() => {
        this.#isRelisting = false;
        if (this.#isOutdated && this.#client) this.#followChange(this.#client);
      });
    });
  }

  async #relist(client: ServerClient): Promise<void> {
    try {
      if (await this.lists.renew(client, () => this.#client !== client)) this.#onDidChange.fire();
    } catch (error) {
      this.log.warn('mcp', `Failed to list the MCP server “${this.name}”: ${shortMessage(error)}`);
    }
  }

  /** Settles when the connection is ready again, or when no reconnect follows soon. */
  async #waitForReconnect(): Promise<void> {
    await waitUntil(() => this.#client !== undefined, this.onDidChange, this.clock, RECONNECT_WAIT_MS);
  }

  #set(state: ConnectionState): void {
    this.#state = state;
    if (state.status !== 'connecting') {
      this.#attempt?.resolve();
      this.#attempt = undefined;
    }
    this.#onDidChange.fire();
  }
}

const isListChange = (method: string): boolean => method.endsWith('/list_changed');

/** Milliseconds before each further attempt. */
const PAUSES: readonly number[] = [1_000, 2_000, 4_000, 8_000, 16_000];
/** Milliseconds after which a stable connection gets all its attempts back. */
const STABLE_AFTER_MS = 60_000;

class ReconnectPolicy {
  #count = 0;
  #openedAt = 0;

  constructor(private readonly clock: Clock) {}

  reset(): void {
    this.#count = 0;
  }

  onDidOpen(): void {
    this.#openedAt = this.clock.elapsed();
  }

  /** The open connection was lost. */
  onDidClose(): void {
    if (this.clock.elapsed() - this.#openedAt >= STABLE_AFTER_MS) this.#count = 0;
  }

  /** Milliseconds until the next attempt; undefined when there is none. */
  nextDelay(): number | undefined {
    return PAUSES[this.#count++];
  }
}

/** Settles when the condition holds after one of the events, or after `ms` milliseconds. */
function waitUntil(isReached: () => boolean, event: Event<void>, clock: Clock, ms: number): Promise<void> {
  if (isReached()) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      timer.dispose();
      subscription.dispose();
      resolve();
    };
    const timer = clock.after(ms, finish);
    const subscription = event(() => isReached() && finish());
  });
}

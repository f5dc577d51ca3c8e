import type { Clock } from '../../../base/clock';
import { deferred } from '../../../base/async';
import type { Deferred } from '../../../base/async';
import type { Event } from '../../../base/event';
import { Emitter } from '../../../base/event';
import { CanceledError, errorMessage } from '../../../base/errors';
import type { JsonObject } from '../../../base/json';
import { asString } from '../../../base/json';
import type { Disposable } from '../../../base/lifecycle';
import { MutableDisposable } from '../../../base/lifecycle';
import type { Logger } from '../../../base/logger';
import { ToolError } from '../../toolServerTypes';
import type { OpenOptions } from './mcpClient';
import type { OpenError } from './mcpClientErrors';
import { asOpenError, isAnswer, isBroken, lostError } from './mcpClientErrors';
import { ListingCacheEntry } from './listingCache';
import type { KnownListing, ServerListing, ListingCache, RequestOptions, ServerClient } from './serverListing';
import { ReconnectPolicy } from './reconnectPolicy';
import { ResourceWatchers } from './resourceSubscriptions';

/** Where a connection to a server of the user's stands. */
export type ConnectionState =
  | { readonly status: 'stopped' }
  | { readonly status: 'connecting' }
  | { readonly status: 'ready' }
  /** `again`: milliseconds until the next attempt; absent when there is none. */
  | { readonly status: 'failed'; readonly message: string; readonly tail: string; readonly again?: number };

/** Milliseconds that a document may take. */
const READ_TIMEOUT = 30_000;
/** Milliseconds for which a reading waits for a connection that is coming back. */
const BACK_WITHIN = 10_000;

export type LinkHooks = Pick<OpenOptions, 'onNotification' | 'onClosed' | 'onEnding' | 'signal'>;

export interface LinkOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * Opens a connection, and gives up when the signal aborts; then what it has begun is over when it settles.
   * @throws OpenError
   */
  readonly open: (hooks: LinkHooks) => Promise<ServerClient>;
  /** What is known of the server from before. */
  readonly cache: ListingCache;
}

/** The connection to one server: opened when it is first needed, opened again when it breaks, five times. */
export class ServerConnection implements Disposable {
  readonly #options: LinkOptions;
  readonly #changed = new Emitter<void>();
  readonly #timer = new MutableDisposable<Disposable>();
  #state: ConnectionState = { status: 'stopped' };
  #client: ServerClient | undefined;
  /** The attempt that runs. */
  #opening: { readonly abort: AbortController; readonly done: Promise<void> } | undefined;
  /** Connections on their way down. */
  readonly #closing = new Set<Promise<void>>();
  readonly #lists: ListingCacheEntry;
  #settled: Deferred<void> | undefined;
  readonly #retries: ReconnectPolicy;
  /** Counts what was begun: what an earlier attempt brings is thrown away. */
  #generation = 0;
  #relisting = false;
  readonly #updated = new Emitter<string>();
  /** Documents whose changes somebody wants to hear of. */
  readonly watches = new ResourceWatchers();

  /** State or lists are different. */
  readonly onDidChange: Event<void> = this.#changed.event;
  /** A watched document is different: its address. */
  readonly onDidUpdate: Event<string> = this.#updated.event;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#lists = new ListingCacheEntry(options.cache, options.clock);
    this.#retries = new ReconnectPolicy(options.clock);
    this.watches.onDidChange(() => this.#client?.subscribe(this.watches.uris));
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** What the server has, as far as it is known; also while the connection is away. */
  get listing(): ServerListing | undefined {
    return this.#lists.known?.listing;
  }

  /** Opens the connection unless it is open or coming; settles when that worked or failed. Never rejects. */
  start(): Promise<void> {
    const { status } = this.#state;
    if (status === 'stopped' || (status === 'failed' && this.#timer.value === undefined)) {
      this.#retries.reset();
      this.#lists.recall();
      this.#connect();
    } else if (this.#client && this.#lists.isTooOld) void this.#relist(this.#client);
    return this.#settled?.promise ?? Promise.resolve();
  }

  /** Ends it, also while it is being opened; what is known of the server is forgotten. Settles when all that it had started is gone. */
  async stop(): Promise<void> {
    const opening = this.#opening;
    this.#generation += 1;
    this.#close(this.#client);
    this.#client = undefined;
    this.#lists.forget();
    this.#timer.value = undefined;
    opening?.abort.abort();
    this.#set({ status: 'stopped' });
    await Promise.all([opening?.done, ...this.#closing]);
  }

  /** Asks for all lists again, or for a new connection where there is none. */
  async refresh(): Promise<void> {
    if (this.#client) await this.#relist(this.#client);
    else {
      this.#lists.wantAnew();
      this.#timer.value = undefined;
      await this.start();
    }
  }

  /**
   * A call, made once whatever happens: it may have had its effect.
   * @throws ToolError when there is no connection; what the server answered
   */
  async call(params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    return this.#request('tools/call', params, options);
  }

  /** A reading, made again once when it broke on the way. */
  async read(method: string, params: JsonObject): Promise<JsonObject> {
    try {
      return await this.#request(method, params, { timeout: READ_TIMEOUT });
    } catch (error) {
      if (isAnswer(error)) throw error;
      await this.#back();
      return this.#request(method, params, { timeout: READ_TIMEOUT });
    }
  }

  dispose(): void {
    void this.stop();
    this.#timer.dispose();
    this.#changed.dispose();
    this.#updated.dispose();
    this.watches.dispose();
  }

  async #request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    // What is known from before is offered while the connection comes.
    if (this.#state.status === 'connecting') await this.#settled?.promise;
    if (options.signal?.aborted) throw new CanceledError();
    const client = this.#client;
    if (!client) throw new ToolError(this.#away(), 'Try again in a few seconds, or go on without it.');
    try {
      return await client.request(method, params, options);
    } catch (error) {
      if (isBroken(error) && this.#client === client) {
        this.#close(client);
        this.#lost(asOpenError(error, client.tail()));
      }
      throw error;
    }
  }

  #away(): string {
    const { name } = this.#options;
    const state = this.#state;
    if (state.status !== 'failed') return `The MCP server “${name}” is not connected.`;
    return `The MCP server “${name}” cannot be reached: ${state.message}.`;
  }

  #connect(): void {
    this.#generation += 1;
    this.#timer.value = undefined;
    this.#settled ??= deferred();
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
    const { open, log, name } = this.#options;
    const isOld = (): boolean => generation !== this.#generation;
    let client: ServerClient | undefined;
    let ended: OpenError | undefined;
    const onClosed = (why: string | undefined): void => {
      ended = lostError(why);
      // Before that it is a failure to open.
      if (client && this.#client === client) this.#lost(ended);
    };
    try {
      client = await open({
        signal,
        onClosed,
        onEnding: (ending) => this.#ending(ending),
        onNotification: (method, params) => this.#told(method, params),
      });
      const known = await this.#firstLists(client, isOld, signal);
      if (!known) return;
      this.#begin(client, known);
      log.info('mcp', `Connected to the MCP server “${name}”: ${known.listing.tools.length} tools`);
    } catch (error) {
      if (!isOld()) this.#failed(ended ?? asOpenError(error, client?.tail()));
    }
  }

  #begin(client: ServerClient, known: KnownListing): void {
    this.#client = client;
    this.#lists.known = known;
    this.#retries.opened();
    if (this.watches.uris.length > 0) client.subscribe(this.watches.uris);
    this.#set({ status: 'ready' });
  }

  /** Undefined when the connection was given up meanwhile. It is closed where nothing comes of it. */
  async #firstLists(
    client: ServerClient,
    isOld: () => boolean,
    signal: AbortSignal,
  ): Promise<KnownListing | undefined> {
    const close = (): void => this.#close(client);
    signal.addEventListener('abort', close, { once: true });
    try {
      return await this.#lists.read(client, isOld);
    } catch (error) {
      close();
      if (isOld()) return undefined;
      throw error;
    } finally {
      signal.removeEventListener('abort', close);
      if (isOld()) close();
    }
  }

  #close(client: ServerClient | undefined): void {
    if (client) this.#ending(client.close());
  }

  /** Who stops the server waits for it. */
  #ending(ending: Promise<void>): void {
    const closing = ending
      .catch((error: unknown) => this.#options.log.trace('mcp', errorMessage(error)))
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #failed({ message, tail, isFinal }: OpenError): void {
    const { log, name, clock } = this.#options;
    const pause = isFinal ? undefined : this.#retries.next();
    log.warn('mcp', `The MCP server “${name}” failed: ${[message, tail].filter(Boolean).join('\n')}`);
    if (pause !== undefined) this.#timer.value = clock.after(pause, () => this.#connect());
    this.#set({ status: 'failed', message, tail, ...(pause !== undefined && { again: pause }) });
  }

  #lost(error: OpenError): void {
    this.#retries.ended();
    this.#client = undefined;
    this.#failed(error);
  }

  #told(method: string, params: JsonObject): void {
    const uri = asString(params['uri']);
    if (method === 'notifications/resources/updated' && uri !== undefined) this.#updated.fire(uri);
    if (!method.endsWith('/list_changed') || !this.#client || this.#relisting) return;
    this.#relisting = true;
    const client = this.#client;
    // One change may be told of many times.
    this.#options.clock.after(200, () => {
      this.#relisting = false;
      void this.#relist(client);
    });
  }

  async #relist(client: ServerClient): Promise<void> {
    try {
      if (await this.#lists.renew(client, () => this.#client !== client)) this.#changed.fire();
    } catch (error) {
      this.#options.log.warn('mcp', `The MCP server “${this.#options.name}” did not list: ${errorMessage(error)}`);
    }
  }

  /** Settles when it is ready again, or will not be soon. */
  #back(): Promise<void> {
    if (this.#client) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        timer.dispose();
        subscription.dispose();
        resolve();
      };
      const timer = this.#options.clock.after(BACK_WITHIN, done);
      const subscription = this.#changed.event(() => this.#client && done());
    });
  }

  #set(state: ConnectionState): void {
    this.#state = state;
    if (state.status !== 'connecting') {
      this.#settled?.resolve();
      this.#settled = undefined;
    }
    this.#changed.fire();
  }
}

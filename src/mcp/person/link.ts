import type { Clock } from '../../base/clock';
import { deferred } from '../../base/async';
import type { Deferred } from '../../base/async';
import type { Event } from '../../base/event';
import { Emitter } from '../../base/event';
import { CanceledError, messageOf } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import { asString } from '../../base/json';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { MutableDisposable } from '../../base/lifecycle';
import type { Log } from '../../base/log';
import { ToolError } from '../toolServer';
import type { OpenOptions, RequestOptions, ServerClient } from './client';
import { isAnswer, OpenError } from './clientErrors';
import type { KnownListing, Listing, ListingCache } from './listing';
import { isFresh, listAll } from './listing';
import { Watches } from './watches';

/** Where a connection to a server of the person's stands (tool-servers.md, section 5). */
export type LinkState =
  | { readonly status: 'stopped' }
  | { readonly status: 'connecting' }
  | { readonly status: 'ready' }
  /** `again`: milliseconds until the next attempt; absent when there is none. */
  | { readonly status: 'failed'; readonly message: string; readonly tail: string; readonly again?: number };

/** Milliseconds before each further attempt. */
const PAUSES: readonly number[] = [1_000, 2_000, 4_000, 8_000, 16_000];
/** A connection that held so long, in milliseconds, has all its attempts again. */
const HELD = 60_000;
/** Milliseconds that a list or a document may take. */
const READ_TIMEOUT = 30_000;
/** Milliseconds for which a reading waits for a connection that is coming back. */
const BACK_WITHIN = 10_000;

export type LinkHooks = Pick<OpenOptions, 'onNotification' | 'onClosed'>;

export interface LinkOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Opens a connection. @throws OpenError */
  readonly open: (hooks: LinkHooks) => Promise<ServerClient>;
  /** What is known of the server from before. */
  readonly cache: ListingCache;
}

/** The connection to one server: opened when it is first needed, opened again when it breaks, five times. */
export class ServerLink implements Disposable {
  readonly #options: LinkOptions;
  readonly #changed = new Emitter<void>();
  readonly #timer = new MutableDisposable<Disposable>();
  #state: LinkState = { status: 'stopped' };
  #client: ServerClient | undefined;
  #known: KnownListing | undefined;
  /** The person wants the lists anew, whatever is known. */
  #isAnew = false;
  #settled: Deferred<void> | undefined;
  #attempts = 0;
  #readyAt = 0;
  /** Counts what was begun: what an earlier attempt brings is thrown away. */
  #generation = 0;
  #relisting = false;
  readonly #updated = new Emitter<string>();
  /** Documents whose changes somebody wants to hear of. */
  readonly watches = new Watches();

  /** State or lists are different. */
  readonly onDidChange: Event<void> = this.#changed.event;
  /** A watched document is different: its address. */
  readonly onDidUpdate: Event<string> = this.#updated.event;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.watches.onDidChange(() => this.#client?.subscribe(this.watches.uris));
  }

  get state(): LinkState {
    return this.#state;
  }

  /** What the server has, as far as it is known; also while the connection is away. */
  get listing(): Listing | undefined {
    return this.#known?.listing;
  }

  /** Opens the connection unless it is open or coming; settles when that worked or failed. Never rejects. */
  start(): Promise<void> {
    const { status } = this.#state;
    if (status === 'stopped' || (status === 'failed' && this.#timer.value === undefined)) {
      this.#attempts = 0;
      this.#known ??= this.#options.cache.known();
      this.#connect();
    } else if (this.#client && this.#known && this.#isOld(this.#known)) void this.#relist(this.#client);
    return this.#settled?.promise ?? Promise.resolve();
  }

  /** Ends it, and what it had started; what is known of the server is forgotten. */
  async stop(): Promise<void> {
    const client = this.#client;
    this.#generation += 1;
    this.#client = undefined;
    this.#known = undefined;
    this.#timer.value = undefined;
    this.#set({ status: 'stopped' });
    await client?.close().catch((error: unknown) => this.#options.log.trace('mcp', messageOf(error)));
  }

  /** Asks for all lists again, or for a new connection where there is none. */
  async refresh(): Promise<void> {
    if (this.#client) await this.#relist(this.#client);
    else {
      this.#isAnew = true;
      this.#timer.value = undefined;
      await this.start();
    }
  }

  /** A call, made once whatever happens: it may have had its effect. @throws ToolError when there is no connection; what the server answered */
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
        void client.close().catch(() => undefined);
        this.#lost(messageOf(error));
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
    void this.#open(this.#generation);
  }

  async #open(generation: number): Promise<void> {
    const { open, clock, log, name } = this.#options;
    const isOld = (): boolean => generation !== this.#generation;
    try {
      const client = await open({
        onNotification: (method, params) => this.#told(method, params),
        onClosed: (why) => !isOld() && this.#lost(why),
      });
      const known = await this.#list(client, isOld).catch(async (error: unknown) => {
        await client.close().catch(() => undefined);
        throw error;
      });
      if (isOld()) {
        await client.close();
        return;
      }
      this.#client = client;
      this.#known = known;
      this.#readyAt = clock.now();
      if (this.watches.uris.length > 0) client.subscribe(this.watches.uris);
      log.info('mcp', `Connected to the MCP server “${name}”: ${known.listing.tools.length} tools`);
      this.#set({ status: 'ready' });
    } catch (error) {
      if (!isOld()) this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    const { log, name, clock } = this.#options;
    const known = error instanceof OpenError ? error : undefined;
    const pause = known?.isFinal === true ? undefined : PAUSES[this.#attempts];
    this.#attempts += 1;
    const message = messageOf(error);
    log.warn('mcp', `The MCP server “${name}” failed: ${[message, known?.tail].filter(Boolean).join('\n')}`);
    if (pause !== undefined) this.#timer.value = clock.after(pause, () => this.#connect());
    this.#set({
      status: 'failed',
      message,
      tail: known?.tail ?? '',
      ...(pause !== undefined && { again: pause }),
    });
  }

  #lost(why: string | undefined): void {
    const { clock } = this.#options;
    if (clock.now() - this.#readyAt >= HELD) this.#attempts = 0;
    this.#client = undefined;
    const [first = t('the connection ended'), ...rest] = (why ?? '').split('\n').filter(Boolean);
    this.#failed(new OpenError(first, rest.join('\n'), false, undefined));
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
      this.#isAnew = true;
      // Made again once: nothing is changed by asking.
      const known = await this.#list(client).catch((error: unknown) => {
        if (isAnswer(error) || this.#client !== client) throw error;
        return this.#list(client);
      });
      if (this.#client !== client) return;
      this.#known = known;
      this.#changed.fire();
    } catch (error) {
      this.#options.log.warn('mcp', `The MCP server “${this.#options.name}” did not list: ${messageOf(error)}`);
    }
  }

  /** What is known of this version of the server, or what it says. @param isOld another connection has taken its place: nothing is kept */
  async #list(client: ServerClient, isOld = (): boolean => this.#client !== client): Promise<KnownListing> {
    const { cache, clock } = this.#options;
    const kept = this.#isAnew ? undefined : cache.known();
    if (kept && isFresh(kept, client.version, clock.now())) return kept;
    const known = { listing: await listAll(client, READ_TIMEOUT), at: clock.now() };
    if (isOld()) return known;
    this.#isAnew = false;
    cache.keep(known);
    return known;
  }

  #isOld({ listing, at }: KnownListing): boolean {
    return this.#options.clock.now() - at >= listing.ttl;
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

  #set(state: LinkState): void {
    this.#state = state;
    if (state.status !== 'connecting') {
      this.#settled?.resolve();
      this.#settled = undefined;
    }
    this.#changed.fire();
  }
}

/** Whether an error tells that the connection is gone: not an answer, a timeout, or a cancellation. */
function isBroken(error: unknown): boolean {
  if (isAnswer(error) || !(error instanceof Error)) return false;
  return !/timed? ?out|aborted|AbortError/i.test(`${error.name} ${error.message}`);
}

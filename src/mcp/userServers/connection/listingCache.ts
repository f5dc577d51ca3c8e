import type { Clock } from '../../../base/clock';
import type { KeyValueStore } from '../../../node/fs/keyValueFiles';
import { isAnswer } from './mcpClientErrors';
import type { CachedListing, ServerClient } from './serverListing';
import { isFresh, listAll, readCached } from './serverListing';

/** Milliseconds for one page of a list. */
const LIST_TIMEOUT_MS = 30_000;

/** The listing of one server, from the connection or from the discovery cache. */
export class ListingCacheEntry {
  readonly #store: KeyValueStore;
  /** The user requested fresh lists. */
  #isBypassed = false;
  cached: CachedListing | undefined;

  /**
   * @param stored Listings across restarts; loaded by the owner.
   * @param key of the server
   */
  constructor(
    stored: KeyValueStore,
    private readonly key: () => string,
    private readonly clock: Clock,
  ) {
    this.#store = stored;
  }

  /** Loads the stored listing, valid until the server's is known. */
  loadStored(): void {
    this.cached ??= this.#stored;
  }

  clear(): void {
    this.cached = undefined;
  }

  /** Makes the next read bypass the cache. */
  bypassCache(): void {
    this.#isBypassed = true;
  }

  get isExpired(): boolean {
    if (this.cached === undefined) return false;
    const age = this.clock.now() - this.cached.at;
    return age < 0 || age >= this.cached.listing.ttl;
  }

  get #stored(): CachedListing | undefined {
    return readCached(this.#store.get(this.key()));
  }

  /**
   * The cached listing of this server version, or the server's own.
   * @param isReplaced the connection was replaced: nothing is stored
   */
  async read(client: ServerClient, isReplaced: () => boolean): Promise<CachedListing> {
    const stored = this.#isBypassed ? undefined : this.#stored;
    if (stored && isFresh(stored, client.version, this.clock.now())) return stored;
    const cached = { listing: await listAll(client, LIST_TIMEOUT_MS), at: this.clock.now() };
    if (isReplaced()) return cached;
    this.#isBypassed = false;
    void this.#store.update(this.key(), cached);
    return cached;
  }

  /**
   * Lists again, bypassing the cache.
   * @returns whether the listing is new
   * @throws the server's error, or the transport's
   */
  async renew(client: ServerClient, isReplaced: () => boolean): Promise<boolean> {
    this.#isBypassed = true;
    // Repeated once: listing has no side effects.
    const cached = await this.read(client, isReplaced).catch((error: unknown) => {
      if (isAnswer(error) || isReplaced()) throw error;
      return this.read(client, isReplaced);
    });
    if (isReplaced()) return false;
    this.cached = cached;
    return true;
  }
}

import type { Clock } from '../../../base/clock';
import type { KeyValueStore } from '../../../node/fs/keyValueFiles';
import { isAnswer } from './mcpClientErrors';
import type { KnownListing, ServerClient } from './serverListing';
import { isFresh, listAll, readKnown } from './serverListing';

/** Milliseconds for one page of a list. */
const LIST_TIMEOUT_MS = 30_000;

/** The listing of one server, from the connection or from the discovery cache. */
export class ListingCacheEntry {
  readonly #kept: KeyValueStore;
  readonly #key: () => string;
  readonly #clock: Clock;
  /** The user requested fresh lists. */
  #isAnew = false;
  known: KnownListing | undefined;

  /**
   * @param kept Listings across restarts; loaded by the owner.
   * @param key of the server in `kept`
   */
  constructor(kept: KeyValueStore, key: () => string, clock: Clock) {
    this.#kept = kept;
    this.#key = key;
    this.#clock = clock;
  }

  /** Loads the stored listing, valid until the server's is known. */
  recall(): void {
    this.known ??= this.#stored;
  }

  forget(): void {
    this.known = undefined;
  }

  /** Makes the next read bypass the cache. */
  wantAnew(): void {
    this.#isAnew = true;
  }

  get isTooOld(): boolean {
    if (this.known === undefined) return false;
    const age = this.#clock.now() - this.known.at;
    return age < 0 || age >= this.known.listing.ttl;
  }

  get #stored(): KnownListing | undefined {
    return readKnown(this.#kept.get(this.#key()));
  }

  /**
   * The cached listing of this server version, or the server's own.
   * @param isOld the connection was replaced: nothing is stored
   */
  async read(client: ServerClient, isOld: () => boolean): Promise<KnownListing> {
    const kept = this.#isAnew ? undefined : this.#stored;
    if (kept && isFresh(kept, client.version, this.#clock.now())) return kept;
    const known = { listing: await listAll(client, LIST_TIMEOUT_MS), at: this.#clock.now() };
    if (isOld()) return known;
    this.#isAnew = false;
    void this.#kept.update(this.#key(), known);
    return known;
  }

  /**
   * Lists again, bypassing the cache.
   * @returns whether the listing is new
   * @throws the server's error, or the transport's
   */
  async renew(client: ServerClient, isOld: () => boolean): Promise<boolean> {
    this.#isAnew = true;
    // Repeated once: listing has no side effects.
    const known = await this.read(client, isOld).catch((error: unknown) => {
      if (isAnswer(error) || isOld()) throw error;
      return this.read(client, isOld);
    });
    if (isOld()) return false;
    this.known = known;
    return true;
  }
}

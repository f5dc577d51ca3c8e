import type { Clock } from '../../../base/clock';
import { isAnswer } from './mcpClientErrors';
import type { KnownListing, ListingCache, ServerClient } from './serverListing';
import { isFresh, listAll } from './serverListing';

/** Milliseconds that one page of a list may take. */
const LIST_TIMEOUT = 30_000;

/** The listing of one server, from the connection or from the discovery cache. */
export class ListingCacheEntry {
  readonly #cache: ListingCache;
  readonly #clock: Clock;
  /** The user wants the lists anew, whatever is known. */
  #isAnew = false;
  /** What holds. */
  known: KnownListing | undefined;

  constructor(cache: ListingCache, clock: Clock) {
    this.#cache = cache;
    this.#clock = clock;
  }

  /** What was kept holds until the server says more. */
  recall(): void {
    this.known ??= this.#cache.known();
  }

  forget(): void {
    this.known = undefined;
  }

  /** The next reading asks the server, whatever was kept. */
  wantAnew(): void {
    this.#isAnew = true;
  }

  get isTooOld(): boolean {
    return this.known !== undefined && this.#clock.now() - this.known.at >= this.known.listing.ttl;
  }

  /**
   * What is known of this version of the server, or what it says.
   * @param isOld another connection has taken its place: nothing is kept
   */
  async read(client: ServerClient, isOld: () => boolean): Promise<KnownListing> {
    const kept = this.#isAnew ? undefined : this.#cache.known();
    if (kept && isFresh(kept, client.version, this.#clock.now())) return kept;
    const known = { listing: await listAll(client, LIST_TIMEOUT), at: this.#clock.now() };
    if (isOld()) return known;
    this.#isAnew = false;
    this.#cache.keep(known);
    return known;
  }

  /**
   * Asks the server again, whatever is known.
   * @returns whether something is known anew
   * @throws what the server answered, or what broke
   */
  async renew(client: ServerClient, isOld: () => boolean): Promise<boolean> {
    this.#isAnew = true;
    // Made again once: nothing is changed by asking.
    const known = await this.read(client, isOld).catch((error: unknown) => {
      if (isAnswer(error) || isOld()) throw error;
      return this.read(client, isOld);
    });
    if (isOld()) return false;
    this.known = known;
    return true;
  }
}

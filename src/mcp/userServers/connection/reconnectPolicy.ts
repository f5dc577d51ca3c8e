import type { Clock } from '../../../base/clock';

/** Milliseconds before each further attempt. */
const PAUSES: readonly number[] = [1_000, 2_000, 4_000, 8_000, 16_000];
/** A connection that held so long, in milliseconds, has all its attempts again. */
const HELD = 60_000;

/** How often a connection that broke is tried again, and when. */
export class ReconnectPolicy {
  readonly #clock: Clock;
  #count = 0;
  #openedAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Somebody wants it: all attempts are there again. */
  reset(): void {
    this.#count = 0;
  }

  opened(): void {
    this.#openedAt = this.#clock.now();
  }

  /** What stood is gone. */
  ended(): void {
    if (this.#clock.now() - this.#openedAt >= HELD) this.#count = 0;
  }

  /** Milliseconds until the next attempt; undefined when there is none. */
  next(): number | undefined {
    return PAUSES[this.#count++];
  }
}

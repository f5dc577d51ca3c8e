import type { Clock } from '../../../base/clock';
import type { Event } from '../../../base/event';

/** Milliseconds before each further attempt. */
const PAUSES: readonly number[] = [1_000, 2_000, 4_000, 8_000, 16_000];
/** Milliseconds after which a stable connection gets all its attempts back. */
const STABLE_AFTER_MS = 60_000;

export class ReconnectPolicy {
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
export function waitUntil(isReached: () => boolean, event: Event<void>, clock: Clock, ms: number): Promise<void> {
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

import type { Disposable } from './lifecycle';
import { toDisposable } from './lifecycle';

/** Replaced in tests. */
export interface Clock {
  /** Milliseconds since 1970, to show and to store: the computer's clock may be set at any moment. */
  now(): number;
  /** Milliseconds of a monotonic clock, for durations and deadlines. */
  elapsed(): number;
  /** Calls back once after `ms` milliseconds, unless disposed. */
  after(ms: number, callback: () => void): Disposable;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return toDisposable(() => clearTimeout(timer));
  },
};

/** Merges calls: the function runs once, some time after the first or the last of them. */
export class DelayedCall implements Disposable {
  #pending: Disposable | undefined;
  #isDisposed = false;

  /** @param ms milliseconds */
  constructor(
    private readonly ms: number,
    private readonly run: () => void,
    private readonly clock: Clock = systemClock,
  ) {}

  /** Runs the function after the delay. Further calls until then change nothing. */
  schedule(): void {
    if (this.#isDisposed) return;
    this.#pending ??= this.clock.after(this.ms, () => {
      this.#pending = undefined;
      this.run();
    });
  }

  /** As {@link schedule}, but each call starts the delay again. */
  restart(): void {
    this.cancel();
    this.schedule();
  }

  cancel(): void {
    this.#pending?.dispose();
    this.#pending = undefined;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.cancel();
  }
}

/** When something began. */
export class StartTime {
  readonly #now = Date.now();
  readonly #elapsed = performance.now();

  /**
   * Milliseconds since 1970. If the computer's clock was set since then, the earlier one of the old and the corrected
   * time.
   */
  get earliest(): number {
    return Math.min(this.#now, Date.now() - (performance.now() - this.#elapsed));
  }
}

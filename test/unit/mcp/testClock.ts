import type { Clock } from '../../../src/base/clock';
import { toDisposable } from '../../../src/base/lifecycle';

/** A clock that the test advances. */
export class TestClock implements Clock {
  #now = 1_000_000;
  #set = 0;
  readonly #timers = new Map<() => void, number>();

  now(): number {
    return this.#now + this.#set;
  }

  elapsed(): number {
    return this.#now;
  }

  /** Sets the computer's clock forward, or back if negative. */
  set(ms: number): void {
    this.#set += ms;
  }

  /** Pending timers. */
  get waiting(): number {
    return this.#timers.size;
  }

  after(ms: number, callback: () => void): { dispose(): void } {
    const own = (): void => callback();
    this.#timers.set(own, this.#now + ms);
    return toDisposable(() => this.#timers.delete(own));
  }

  /** Advances the time by that many milliseconds; due timers run in order, and promises settle in between. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settled();
    for (;;) {
      const [next] = [...this.#timers].filter(([, at]) => at <= end).toSorted(([, a], [, b]) => a - b);
      if (!next) break;
      this.#timers.delete(next[0]);
      this.#now = next[1];
      next[0]();
      await settled();
    }
    this.#now = end;
    await settled();
  }
}

/** Lets everything settle that needs no time. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

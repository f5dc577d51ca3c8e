import type { Disposable } from './lifecycle';
import { toDisposable } from './lifecycle';

/** Replaced in tests. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once after `ms` milliseconds, unless disposed. */
  after(ms: number, callback: () => void): Disposable;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return toDisposable(() => clearTimeout(timer));
  },
};

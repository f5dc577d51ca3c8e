import type { Clock } from '../../src/base/clock';
import { toDisposable } from '../../src/base/lifecycle';
import { settled } from './waiting';

/** A clock that the test advances: with `pass`, `advance`, `expire`, `sleep` and `set`. */
export class TestClock implements Clock {
  #set = 0;
  readonly #timers = new Map<() => void, number>();
  /** Milliseconds of each timer so far. */
  readonly delays: number[] = [];

  constructor(private time = 1_000_000) {}

  now(): number {
    return this.time + this.#set;
  }

  elapsed(): number {
    return this.time;
  }

  after(ms: number, callback: () => void): { dispose(): void } {
    const own = (): void => callback();
    this.delays.push(ms);
    this.#timers.set(own, this.time + ms);
    return toDisposable(() => this.#timers.delete(own));
  }

  /** Sets the computer's clock forward, or back if negative. */
  set(ms: number): void {
    this.#set += ms;
  }

  /** Pending timers. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Advances the time by that many milliseconds; due timers run in order, and promises settle in between. */
  async pass(ms: number): Promise<void> {
    const end = this.time + ms;
    await settled();
    while (this.#runNext(end)) await settled();
    this.time = end;
    await settled();
  }

  /** As {@link pass}, but at once. */
  advance(ms: number): void {
    const end = this.time + ms;
    while (this.#runNext(end));
    this.time = end;
  }

  /** Advances the time without running timers, as while the computer sleeps. */
  sleep(ms: number): void {
    this.time += ms;
  }

  /** Advances to the last pending timer and runs all of them, without those that they start. */
  async expire(): Promise<void> {
    const pending = [...this.#timers].toSorted(([, a], [, b]) => a - b);
    for (const [run, at] of pending) {
      if (!this.#timers.delete(run)) continue;
      this.time = Math.max(this.time, at);
      run();
    }
    await settled();
  }

  #runNext(end: number): boolean {
    const [next] = [...this.#timers].filter(([, at]) => at <= end).toSorted(([, a], [, b]) => a - b);
    if (!next) return false;
    this.#timers.delete(next[0]);
    this.time = Math.max(this.time, next[1]);
    next[0]();
    return true;
  }
}

import type { Clock } from '../../../../src/base/clock';

/** A clock that the test advances. */
export class StepClock implements Clock {
  #now = 1000;
  #timers: { at: number; callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): { dispose(): void } {
    const timer = { at: this.#now + ms, callback };
    this.#timers.push(timer);
    return { dispose: () => void (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }

  pass(ms: number): void {
    this.#now += ms;
    const due = this.#timers.filter(({ at }) => at <= this.#now);
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
    for (const { callback } of due) callback();
  }
}

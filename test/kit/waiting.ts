import assert from 'node:assert/strict';

/** Milliseconds for one step on a machine whose cores are all busy; below mocha's limit, whose error says less. */
export const PATIENCE_MS = 90_000;
const LONGEST_PAUSE_MS = 30;

/**
 * Repeats an assertion until it passes.
 * @throws The assertion's error after {@link PATIENCE_MS}.
 */
export async function eventually<T>(assertion: () => T | Promise<T>): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (let pause = 1; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((again) => setTimeout(again, pause));
    }
  }
}

/** Reads repeatedly until the value is deeply equal; the error shows the last value. */
export function becomes<T>(read: () => T | Promise<T>, wanted: T): Promise<void> {
  return eventually(async () => assert.deepEqual(await read(), wanted));
}

/** Repeats until a condition holds; the message of the error is `what`, or the condition's source. */
export function until(condition: () => unknown, what = `never: ${String(condition)}`): Promise<void> {
  return eventually(async () => assert.ok(await condition(), what));
}

/** Lets everything settle that needs no time. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

type Event<T> = (listener: (value: T) => void) => { dispose(): unknown };

/** The next value of an event. */
export function nextOf<T>(event: Event<T>): Promise<T> {
  return new Promise((resolve) => {
    const subscription = event((value) => {
      subscription.dispose();
      resolve(value);
    });
  });
}

/** Waits until a condition holds, now or when the event fires: also for a state that soon passes. */
export function untilEvent<T>(event: Event<T>, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!condition()) return;
      subscription.dispose();
      resolve();
    };
    const subscription = event(check);
    check();
  });
}

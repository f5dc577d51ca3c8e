import assert from 'node:assert/strict';

/** Milliseconds for one step on a machine whose cores are all busy; below mocha's limit, whose error says less. */
export const PATIENCE_MS = 90_000;
const POLL_MS = 30;

/**
 * Repeats an assertion until it passes.
 * @throws The assertion's error after {@link PATIENCE_MS}.
 */
export async function eventually<T>(assertion: () => T | Promise<T>): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((again) => setTimeout(again, POLL_MS));
    }
  }
}

/** Reads repeatedly until the value is deeply equal; the error shows the last value. */
export function becomes<T>(read: () => T | Promise<T>, wanted: T): Promise<void> {
  return eventually(async () => assert.deepEqual(await read(), wanted));
}

/** Repeats until a condition holds; `what` is the message of the error. */
export function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  return eventually(async () => assert.ok(await condition(), what));
}

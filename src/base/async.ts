import { assertDefined } from './assert';
import { systemClock } from './clock';
import type { Clock } from './clock';
import { CanceledError } from './errors';

/** A promise with its `resolve` and `reject`. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

export function createDeferred<T>(): Deferred<T> {
  let ends: Omit<Deferred<T>, 'promise'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    ends = { resolve, reject };
  });
  return { promise, ...assertDefined(ends, 'promise executor') };
}

/**
 * Waits `ms` milliseconds, or until the signal aborts (then rejects with {@link CanceledError}).
 * For deadlines, never for "wait until it has probably happened".
 */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(new CanceledError());
      return;
    }
    const timer = setTimeout(done, ms);
    function done(): void {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }
    function aborted(): void {
      clearTimeout(timer);
      reject(new CanceledError());
    }
    signal?.addEventListener('abort', aborted, { once: true });
  });
}

/** True when the promise settled within `ms` milliseconds, with any outcome. */
export async function settlesWithin(
  promise: Promise<unknown>,
  ms: number,
  clock: Clock = systemClock,
): Promise<boolean> {
  const late = createDeferred<boolean>();
  const timer = clock.after(ms, () => late.resolve(false));
  const settled = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late.promise]);
  } finally {
    timer.dispose();
  }
}

/** Files that are open at the same time: each process may open a limited number, which VS Code's extensions share. */
export const MAX_OPEN_FILES = 64;

/**
 * Runs a job for each item, at most `limit` at a time.
 * @returns the results in the order of the items
 * @throws the error of the first job that fails; the other workers go on with the next items
 */
export async function mapLimited<T, R>(items: readonly T[], limit: number, job: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const work = async (): Promise<void> => {
    // The workers share the iterator.
    for (const [index, item] of left) results[index] = await job(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}

/** Runs asynchronous jobs in order; a failed job does not stop the next. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(job: () => Promise<T>): Promise<T> {
    const result = this.#last.then(job, job);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Settles when everything added so far has run. Never rejects. */
  async idle(): Promise<void> {
    await this.#last;
  }
}

/** Runs jobs with the same key in order; others run in parallel. */
export class KeyedQueue {
  readonly #queues = new Map<string, { readonly queue: SerialQueue; waiting: number }>();

  async run<T>(key: string, job: () => Promise<T>): Promise<T> {
    const entry = this.#queues.get(key) ?? { queue: new SerialQueue(), waiting: 0 };
    this.#queues.set(key, entry);
    entry.waiting++;
    try {
      return await entry.queue.run(job);
    } finally {
      entry.waiting--;
      if (entry.waiting === 0) this.#queues.delete(key);
    }
  }
}

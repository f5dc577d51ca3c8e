import { SerialQueue } from '../../base/async';

/** Runs jobs of the same path in order; other paths run in parallel. */
export class PerPathQueue {
  readonly #queues = new Map<string, { readonly queue: SerialQueue; waiting: number }>();

  async run<T>(path: string, job: () => Promise<T>): Promise<T> {
    const entry = this.#queues.get(path) ?? { queue: new SerialQueue(), waiting: 0 };
    this.#queues.set(path, entry);
    entry.waiting++;
    try {
      return await entry.queue.run(job);
    } finally {
      entry.waiting--;
      if (entry.waiting === 0) this.#queues.delete(path);
    }
  }
}

/** Each play starts an agent: more at once would only take longer. */
const AT_ONCE = 3;

/** Jobs whose results are needed in order, started before: many wait for a broken client, without CPU. */
export class Ahead<T> {
  readonly #jobs: readonly (() => Promise<T>)[];
  readonly #ahead: number;
  readonly #results: Promise<T>[] = [];
  readonly #waiting: (() => void)[] = [];
  #free = AT_ONCE;

  /** @param ahead Number of jobs that may start before the result of the previous one is needed. */
  constructor(jobs: readonly (() => Promise<T>)[], ahead: number) {
    this.#jobs = jobs;
    this.#ahead = ahead;
  }

  async result(index: number): Promise<T> {
    const started = this.#results.length;
    for (const job of this.#jobs.slice(started, index + 1 + this.#ahead)) {
      const result = this.#run(job);
      // Reported where it is needed.
      result.catch(() => undefined);
      this.#results.push(result);
    }
    const result = this.#results[index];
    if (!result) throw new Error(`There is no job ${index}.`);
    return result;
  }

  /** Waits for all jobs that have been started. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#results);
  }

  async #run(job: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await job();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

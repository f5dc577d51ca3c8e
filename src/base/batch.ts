/**
 * Merges concurrent look-ups: the first runs at once, those that come during a run share the next one. For look-ups that cost about the
 * same for one key as for hundreds, such as a process each.
 */
export class Batch<K, V> {
  #isRunning = false;
  #waiting: Lookup<K, V>[] = [];

  /** @param run Omits keys without a value. */
  constructor(private readonly run: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>) {}

  /** Omits keys without a value. Rejects only when the look-up of these keys alone fails. */
  get(keys: readonly K[]): Promise<ReadonlyMap<K, V>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ keys, resolve, reject });
      if (!this.#isRunning) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const lookups = this.#waiting;
      this.#waiting = [];
      await this.#together(lookups);
    }
    this.#isRunning = false;
  }

  async #together(lookups: readonly Lookup<K, V>[]): Promise<void> {
    const [only] = lookups;
    try {
      const found = await this.run(lookups.length === 1 && only ? only.keys : unique(lookups));
      for (const { keys, resolve } of lookups) resolve(valuesOf(keys, found));
    } catch (error) {
      if (lookups.length === 1) only?.reject(error);
      // One bad key must not fail the others.
      else for (const each of lookups) await this.#together([each]);
    }
  }
}

interface Lookup<K, V> {
  readonly keys: readonly K[];
  readonly resolve: (found: ReadonlyMap<K, V>) => void;
  readonly reject: (error: unknown) => void;
}

function unique<K>(lookups: readonly Pick<Lookup<K, never>, 'keys'>[]): readonly K[] {
  return [...new Set(lookups.flatMap(({ keys }) => keys))];
}

function valuesOf<K, V>(keys: readonly K[], found: ReadonlyMap<K, V>): ReadonlyMap<K, V> {
  const own = new Map<K, V>();
  for (const key of keys) {
    const value = found.get(key);
    if (value !== undefined) own.set(key, value);
  }
  return own;
}

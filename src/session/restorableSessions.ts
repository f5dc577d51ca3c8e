import type { Disposable } from '../base/lifecycle';
import type { Sessions } from './sessions';

/** Deleted sessions that this window can restore; other windows do not purge them meanwhile. */
export class RestorableSessions {
  readonly #reservations = new Map<string, Disposable | undefined>();

  constructor(private readonly sessions: Sessions) {}

  /** @param id ours, or the key of a session that only the agent has */
  add(id: string): void {
    const { store, open } = this.sessions;
    this.#reservations.set(id, store.get(id) && open.reserve(id));
  }

  remove(id: string): void {
    this.#reservations.get(id)?.dispose();
    this.#reservations.delete(id);
  }

  has(id: string): boolean {
    return this.#reservations.has(id);
  }

  ids(): Iterable<string> {
    return this.#reservations.keys();
  }
}

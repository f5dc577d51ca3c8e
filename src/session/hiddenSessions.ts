import type { Disposable } from '../base/lifecycle';
import type { Sessions } from './sessions';

/** Milliseconds during which another window may offer to undo a deletion. */
const UNDO_TIME_MS = 5 * 60_000;

/** Deleted sessions that this window can restore; other windows do not purge them meanwhile. */
export class HiddenSessions {
  readonly #sessions: Sessions;
  readonly #reservations = new Map<string, Disposable | undefined>();

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /** @param id ours, or the key of a session that only the agent has */
  add(id: string): void {
    const { store, open } = this.#sessions;
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

  /**
   * Permanently deletes sessions hidden by earlier windows, except those that a window can still restore.
   * @param remove deletes one permanently
   */
  async purge(now: number, remove: (id: string) => Promise<void>): Promise<void> {
    // Another window may have restored a session since this window read the list.
    await this.#sessions.refresh();
    const old = this.#sessions.store.listDeleted().filter(({ deletedAt = now }) => deletedAt < now - UNDO_TIME_MS);
    for (const { id } of old) {
      const reserved = this.has(id) ? undefined : this.#sessions.open.reserve(id);
      if (reserved) await remove(id).finally(() => reserved.dispose());
    }
  }
}

import { toDisposable } from '../base/lifecycle';
import type { Disposable } from '../base/lifecycle';

/** Which sessions have open pages, and which of them are visible. */
export class SessionVisibility<T> {
  readonly #held = new Map<T, number>();
  readonly #looking = new Map<T, number>();

  /** A page other than the chat view is open for this session. Dispose when the page closes. */
  hold(session: T): Disposable {
    return count(this.#held, session);
  }

  /** A visible page shows this session. Dispose when the page is hidden or shows another one. */
  look(session: T): Disposable {
    return count(this.#looking, session);
  }

  isHeld(session: T): boolean {
    return this.#held.has(session);
  }

  isLookedAt(session: T): boolean {
    return this.#looking.has(session);
  }
}

function count<T>(counts: Map<T, number>, key: T): Disposable {
  counts.set(key, (counts.get(key) ?? 0) + 1);
  return toDisposable(() => {
    const left = (counts.get(key) ?? 0) - 1;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
  });
}

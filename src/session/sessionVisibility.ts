import { toDisposable } from '../base/lifecycle';
import type { Disposable } from '../base/lifecycle';

/** Which sessions have open pages, and which of them are visible. */
export class SessionVisibility<T> {
  readonly #retainCounts = new Map<T, number>();
  readonly #visible = new Map<T, number>();

  /**
   * @param onReleased called when the last page besides the chat view has closed
   * @param onHidden called when the last visible page is hidden, or shows another session
   */
  constructor(
    private readonly onReleased: (session: T) => void,
    private readonly onHidden: (session: T) => void = () => undefined,
  ) {}

  /** A page other than the chat view is open for this session. Dispose when the page closes. */
  retain(session: T): Disposable {
    return count(this.#retainCounts, session, () => this.onReleased(session));
  }

  /** A visible page shows this session. Dispose when the page is hidden or shows another one. */
  markVisible(session: T): Disposable {
    return count(this.#visible, session, () => this.onHidden(session));
  }

  isRetained(session: T): boolean {
    return this.#retainCounts.has(session);
  }

  isVisible(session: T): boolean {
    return this.#visible.has(session);
  }
}

function count<T>(counts: Map<T, number>, key: T, onNone: () => void): Disposable {
  counts.set(key, (counts.get(key) ?? 0) + 1);
  return toDisposable(() => {
    const remaining = (counts.get(key) ?? 0) - 1;
    if (remaining > 0) {
      counts.set(key, remaining);
      return;
    }
    counts.delete(key);
    onNone();
  });
}

import { DelayedCall } from '../../base/clock';
import type { Disposable } from '../../base/lifecycle';

/** Milliseconds for which a new list ignores selections: a key press meant for another window must not approve a request. */
export const GUARD_MS = 500;

/** Defines how long a list ignores selections after it was opened or changed. */
export class SelectionGuard implements Disposable {
  #since = 0;
  readonly #end = new DelayedCall(GUARD_MS, () => this.show(false));

  /** @param show called at the start and end, for the list's appearance */
  constructor(private readonly show: (isGuarded: boolean) => void) {}

  get isGuarded(): boolean {
    return performance.now() - this.#since < GUARD_MS;
  }

  restart(): void {
    this.#since = performance.now();
    this.show(true);
    this.#end.restart();
  }

  dispose(): void {
    this.#end.dispose();
  }
}

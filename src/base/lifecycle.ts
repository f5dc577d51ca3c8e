/** Compatible with `vscode.Disposable`. */
export interface Disposable {
  dispose(): void;
}

/** Turns a function into a {@link Disposable} that calls it at most once. */
export function toDisposable(release: () => void): Disposable {
  return new Release(release);
}

class Release implements Disposable {
  readonly dispose: () => void;

  constructor(release: () => void) {
    let pending: (() => void) | undefined = release;
    this.dispose = () => {
      const call = pending;
      // A disposable that is still referenced must not keep the released objects in memory.
      pending = undefined;
      call?.();
    };
  }
}

/**
 * Owns disposables and disposes them together, newest first.
 * Once disposed it disposes at once whatever is added, so that a late asynchronous result cannot leak.
 */
export class DisposableStore implements Disposable {
  readonly #items = new Set<Disposable>();
  #isDisposed = false;

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  add<T extends Disposable>(item: T): T {
    if (this.#isDisposed) item.dispose();
    else this.#items.add(item);
    return item;
  }

  defer(release: () => void): Disposable {
    return this.add(toDisposable(release));
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    const items = [...this.#items].toReversed();
    this.#items.clear();
    const failures: unknown[] = [];
    for (const item of items) {
      try {
        item.dispose();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Some resources could not be released');
  }
}

/** Holds one disposable; setting a new one disposes the previous. */
export class MutableDisposable<T extends Disposable> implements Disposable {
  #value: T | undefined;
  #isDisposed = false;

  get value(): T | undefined {
    return this.#value;
  }

  set value(next: T | undefined) {
    if (this.#isDisposed) {
      next?.dispose();
      return;
    }
    if (this.#value === next) return;
    const previous = this.#value;
    this.#value = next;
    previous?.dispose();
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#value?.dispose();
    this.#value = undefined;
  }
}

import type { Disposable } from './lifecycle';
import { toDisposable } from './lifecycle';

/** Compatible with `vscode.Event`. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/**
 * Fires values to listeners in the order they were fired. If a listener fires again, all listeners get the current value before the nested
 * one.
 */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #pending: T[] = [];
  #isDelivering = false;

  /** @param onListenerError called for an exception in a listener; other listeners still get the value */
  constructor(private readonly onListenerError: (error: unknown) => void = rethrowLater) {}

  readonly event: Event<T> = (listener) => {
    this.#listeners.add(listener);
    return toDisposable(() => this.#listeners.delete(listener));
  };

  fire(value: T): void {
    this.#pending.push(value);
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    try {
      while (this.#pending.length > 0) this.#deliver(this.#pending.shift() as T);
    } finally {
      this.#isDelivering = false;
    }
  }

  #deliver(value: T): void {
    // A copy: listeners added during delivery get the next value.
    const listeners = Array.from(this.#listeners);
    for (const listener of listeners) {
      try {
        listener(value);
      } catch (error) {
        this.onListenerError(error);
      }
    }
  }

  dispose(): void {
    this.#listeners.clear();
    this.#pending.length = 0;
  }
}

function rethrowLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

import type { Disposable } from './lifecycle';

/**
 * A value that is loaded on first use, such as the code of a chunk. Owns the loaded value: also disposes one that
 * arrives after {@link dispose}.
 */
export class Lazy<T> implements Disposable {
  #loading: Promise<T> | undefined;
  #loaded: { readonly value: T } | undefined;
  #isDisposed = false;

  constructor(private readonly read: () => Promise<T>) {}

  get isLoaded(): boolean {
    return this.#loaded !== undefined;
  }

  /** Undefined before the value is loaded. */
  get value(): T | undefined {
    return this.#loaded?.value;
  }

  /** The load that is running or has succeeded. */
  get loading(): Promise<T> | undefined {
    return this.#loading;
  }

  /** Loads once. A failure rejects all waiting callers; the next call tries again. */
  load(): Promise<T> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    if (this.#loaded) release(this.#loaded.value);
  }

  async #load(): Promise<T> {
    try {
      const value = await this.read();
      this.#loaded = { value };
      if (this.#isDisposed) release(value);
      return value;
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }
}

function release(value: unknown): void {
  if (typeof value === 'object' && value !== null && 'dispose' in value && typeof value.dispose === 'function')
    value.dispose();
}

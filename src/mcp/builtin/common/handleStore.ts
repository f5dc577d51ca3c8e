import { randomUUID } from 'node:crypto';

/** Milliseconds that a handle is valid. */
const VALID_MS = 300_000;
const MAX_VALUES = 500;

/** Values that a tool returned and a later call may refer to, for a limited time and only in their own session. */
export class HandleStore<T> {
  readonly #values = new Map<string, { readonly sessionId: string; readonly value: T; readonly until: number }>();

  /**
   * @param now Milliseconds of a monotonic clock.
   * @param valid Milliseconds that a handle is valid.
   */
  constructor(
    private readonly prefix: string,
    private readonly now = (): number => performance.now(),
    private readonly valid = VALID_MS,
  ) {}

  /** @returns the handle */
  add(sessionId: string, value: T): string {
    const handle = `${this.prefix}-${randomUUID().slice(0, 8)}`;
    const now = this.now();
    for (const [old, { until }] of this.#values)
      if (until < now || this.#values.size >= MAX_VALUES) this.#values.delete(old);
    this.#values.set(handle, { sessionId, value, until: now + this.valid });
    return handle;
  }

  /** Undefined when the handle is unknown, expired, or of another session. */
  get(sessionId: string, handle: string): T | undefined {
    const stored = this.#values.get(handle);
    return stored?.sessionId === sessionId && stored.until >= this.now() ? stored.value : undefined;
  }

  remove(handle: string): void {
    this.#values.delete(handle);
  }
}

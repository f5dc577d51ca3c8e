import { randomUUID } from 'node:crypto';

/** Milliseconds that a handle is valid. */
const VALID_MS = 300_000;
const MAX_KEPT = 500;

/** Values that a tool returned and a later call may refer to, for a limited time and only in their own session. */
export class HandleStore<T> {
  readonly #kept = new Map<string, { readonly sessionId: string; readonly value: T; readonly until: number }>();
  readonly #now: () => number;
  readonly #prefix: string;
  readonly #valid: number;

  /**
   * @param now Milliseconds of a monotonic clock.
   * @param valid Milliseconds that a handle is valid.
   */
  constructor(prefix: string, now = (): number => performance.now(), valid = VALID_MS) {
    this.#prefix = prefix;
    this.#now = now;
    this.#valid = valid;
  }

  /** @returns the handle */
  keep(sessionId: string, value: T): string {
    const handle = `${this.#prefix}-${randomUUID().slice(0, 8)}`;
    const now = this.#now();
    for (const [old, { until }] of this.#kept) if (until < now || this.#kept.size >= MAX_KEPT) this.#kept.delete(old);
    this.#kept.set(handle, { sessionId, value, until: now + this.#valid });
    return handle;
  }

  /** Undefined when the handle is unknown, expired, or of another session. */
  get(sessionId: string, handle: string): T | undefined {
    const kept = this.#kept.get(handle);
    return kept?.sessionId === sessionId && kept.until >= this.#now() ? kept.value : undefined;
  }

  forget(handle: string): void {
    this.#kept.delete(handle);
  }
}

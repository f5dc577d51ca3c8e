import { randomUUID } from 'node:crypto';

/** Milliseconds for which a handle can be used. */
const VALID = 300_000;
const MAX_KEPT = 500;

/** What tools have offered and a later call may name: kept for a while, each for the session that it was given to. */
export class HandleStore<T> {
  readonly #kept = new Map<string, { readonly sessionId: string; readonly value: T; readonly until: number }>();
  readonly #now: () => number;
  readonly #prefix: string;
  readonly #valid: number;

  /**
   * @param now milliseconds since 1970
   * @param valid milliseconds for which a handle can be used
   */
  constructor(prefix: string, now: () => number = Date.now, valid = VALID) {
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

  /** Undefined when it is unknown, too old, or of another session. */
  get(sessionId: string, handle: string): T | undefined {
    const kept = this.#kept.get(handle);
    return kept?.sessionId === sessionId && kept.until >= this.#now() ? kept.value : undefined;
  }

  forget(handle: string): void {
    this.#kept.delete(handle);
  }
}

import type { Clock } from '../../base/clock';

/** Milliseconds that a tool may run, unless it sets its own limit; waiting for the user does not count. */
export const DEFAULT_TIMEOUT_MS = 60_000;
/** Milliseconds after which a call that waits for the user returns a handle: agents time out after a minute. */
export const MAX_WAIT_MS = 50_000;
/** Calls of one session. */
export const MAX_PER_SECOND = 20;

export class CallRateLimit {
  readonly #times = new Map<string, number[]>();

  constructor(private readonly clock: Clock) {}

  /** False when the session has reached the limit; running calls continue. */
  enter(sessionId: string): boolean {
    const now = this.clock.elapsed();
    const recent = (this.#times.get(sessionId) ?? []).filter((time) => time > now - 1_000);
    const isFree = recent.length < MAX_PER_SECOND;
    if (isFree) recent.push(now);
    this.#times.set(sessionId, recent);
    return isFree;
  }

  closeSession(sessionId: string): void {
    this.#times.delete(sessionId);
  }
}

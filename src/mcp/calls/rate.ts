/** Calls that a session may make in one second (tool-servers.md, section 4). */
export const MAX_PER_SECOND = 20;

/** Counts the calls of each session in the last second. */
export class CallRateLimit {
  readonly #times = new Map<string, number[]>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** False when the session has used up its second; running calls are left alone. */
  enter(sessionId: string): boolean {
    const now = this.#now();
    const recent = (this.#times.get(sessionId) ?? []).filter((time) => time > now - 1_000);
    const isFree = recent.length < MAX_PER_SECOND;
    if (isFree) recent.push(now);
    this.#times.set(sessionId, recent);
    return isFree;
  }

  /** The session is closed. */
  forget(sessionId: string): void {
    this.#times.delete(sessionId);
  }
}

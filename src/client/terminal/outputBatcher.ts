import { DelayedCall } from '../../base/clock';
import { lastChars } from '../../base/text';

/** Milliseconds for which output is collected before it is sent to the page: two frames. */
const FLUSH_INTERVAL_MS = 32;

/** Maximum UTF-16 units that wait; more than a user can read in one interval. */
const MAX_WAITING = 1024 * 1024;

/** Merges the chunks of a running command, so that it costs at most one action per {@link FLUSH_INTERVAL_MS}. */
export class OutputBatcher {
  #waiting = '';
  readonly #flush = new DelayedCall(FLUSH_INTERVAL_MS, () => this.flush());

  constructor(private readonly send: (data: string) => void) {}

  /** False when the sender should pause until the next {@link flush}. */
  push(data: string): boolean {
    this.#waiting += data;
    this.#flush.schedule();
    if (this.#waiting.length <= MAX_WAITING) return true;
    this.#waiting = lastChars(this.#waiting, MAX_WAITING);
    return false;
  }

  /** Sends waiting output immediately. */
  flush(): void {
    this.#flush.cancel();
    const data = this.#waiting;
    this.#waiting = '';
    if (data !== '') this.send(data);
  }

  dispose(): void {
    this.#flush.cancel();
    this.#waiting = '';
  }
}

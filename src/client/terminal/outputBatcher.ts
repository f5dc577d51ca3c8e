import { lastChars } from '../../base/text';

/** How long output is collected before it goes to the page. Milliseconds: two frames. */
const INTERVAL = 32;

/** UTF-16 units that may wait; more than anybody can read in one interval. */
const MAX_WAITING = 1024 * 1024;

/** Merges the chunks of a running command, so that a talkative one costs one action per {@link INTERVAL}. */
export class OutputBatcher {
  readonly #send: (data: string) => void;
  #waiting = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (data: string) => void) {
    this.#send = send;
  }

  /** False when so much waits that the sender had better pause until the next {@link flush}. */
  push(data: string): boolean {
    this.#waiting += data;
    this.#timer ??= setTimeout(() => this.flush(), INTERVAL);
    if (this.#waiting.length <= MAX_WAITING) return true;
    this.#waiting = lastChars(this.#waiting, MAX_WAITING);
    return false;
  }

  /** Sends at once what waits. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const data = this.#waiting;
    this.#waiting = '';
    if (data !== '') this.#send(data);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#waiting = '';
  }
}

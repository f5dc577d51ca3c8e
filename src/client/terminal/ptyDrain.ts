import { closeSync, constants, openSync } from 'node:fs';
import type { Disposable } from '../../base/lifecycle';
import { isAlive } from '../../node/process/processTree';

/** Milliseconds between two checks whether the command still runs: first short, then longer. */
const FIRST_CHECK_MS = 4;
const MAX_CHECK_INTERVAL_MS = 80;
const CHECK_INTERVAL_GROWTH = 1.5;
/** Milliseconds without output after the command's end, and between checks then: the system delivers output with a delay. */
const QUIET_MS = 8;
/** Quiet checks that end it. A late one does not count: on a busy machine, output is late like the timer. */
const QUIET_CHECKS = 3;
/** Milliseconds without output that end it in any case. */
const MAX_QUIET_MS = 1_000;

/**
 * Keeps the command's side of a pseudo-terminal open until its output is read. Otherwise the last kilobytes of output
 * are lost: once that side is closed, libuv treats any short read as the end, and reads of a pseudo-terminal are always
 * short (4095 bytes on Linux). Polls the process, because no event reports its end in time.
 */
export class PtyDrain implements Disposable {
  readonly #pid: number;
  #side: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pause = FIRST_CHECK_MS;
  #lastRead = performance.now();
  #held = false;
  #quietChecks = 0;

  /**
   * Must be created in the same turn of the event loop as the command.
   * @param path of the command's side; undefined where there is none, as on Windows
   */
  constructor(pid: number, path: string | undefined) {
    this.#pid = pid;
    if (path === undefined) return;
    try {
      // O_NOCTTY: a process without a controlling terminal would get this one, with its signals.
      this.#side = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
    } catch {
      // Works without the open handle, with the risk of lost output.
      return;
    }
    this.#scheduleCheck(FIRST_CHECK_MS);
  }

  /** Call after each read. */
  read(): void {
    this.#lastRead = performance.now();
  }

  /** Reading is paused by Parley. */
  set held(held: boolean) {
    this.#held = held;
    this.#lastRead = performance.now();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    if (this.#side !== undefined) closeSync(this.#side);
    this.#side = undefined;
  }

  #scheduleCheck(after: number): void {
    const due = performance.now() + after;
    this.#timer = setTimeout(() => {
      if (isAlive(this.#pid)) {
        this.#pause = Math.min(MAX_CHECK_INTERVAL_MS, this.#pause * CHECK_INTERVAL_GROWTH);
        this.#scheduleCheck(this.#pause);
      } else if (this.#isDrained(performance.now() - due)) this.dispose();
      else this.#scheduleCheck(QUIET_MS);
    }, after);
  }

  /** @param late milliseconds that the check came after its time */
  #isDrained(late: number): boolean {
    const quiet = performance.now() - this.#lastRead;
    if (this.#held || quiet < QUIET_MS) {
      this.#quietChecks = 0;
      return false;
    }
    if (late < QUIET_MS) this.#quietChecks++;
    return this.#quietChecks >= QUIET_CHECKS || quiet > MAX_QUIET_MS;
  }
}

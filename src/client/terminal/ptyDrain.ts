import { closeSync, constants, openSync } from 'node:fs';
import type { Disposable } from '../../base/lifecycle';

/** Between two looks at whether the command still runs, in milliseconds: soon for short commands, seldom for long ones. */
const FIRST_LOOK = 4;
const LAST_LOOK = 80;
const GROWTH = 1.5;
/** How long nothing may have come after the command's end, in milliseconds: the system hands on what was written with a delay. */
const QUIET = 8;

/**
 * Holds the command's side of a pseudo-terminal open until what the command wrote has been read. Without that the last kilobytes
 * of a command that writes much and exits are lost: once nobody holds that side, libuv takes any short read for the end, and
 * reads of a pseudo-terminal are short always (4095 bytes on Linux). Asks for the process, since nobody tells of its end sooner.
 */
export class PtyDrain implements Disposable {
  readonly #pid: number;
  #side: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pause = FIRST_LOOK;
  #lastRead = performance.now();
  #held = false;

  /**
   * To be made in the same turn of the event loop in which the command was started.
   * @param path of the command's side; undefined where there is none, as on Windows
   */
  constructor(pid: number, path: string | undefined) {
    this.#pid = pid;
    if (path === undefined) return;
    try {
      // Never ours: a process without a terminal would get this one, and its signals.
      this.#side = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
    } catch {
      // Then it is as without us.
      return;
    }
    this.#look(FIRST_LOOK);
  }

  /** Something was read. */
  read(): void {
    this.#lastRead = performance.now();
  }

  /** Nothing is read for a while, by our own wish. */
  set held(held: boolean) {
    this.#held = held;
    this.#lastRead = performance.now();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    if (this.#side !== undefined) closeSync(this.#side);
    this.#side = undefined;
  }

  #look(after: number): void {
    this.#timer = setTimeout(() => {
      if (isAlive(this.#pid)) {
        this.#pause = Math.min(LAST_LOOK, this.#pause * GROWTH);
        this.#look(this.#pause);
      } else if (this.#held || performance.now() - this.#lastRead < QUIET) this.#look(QUIET);
      else this.dispose();
    }, after);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

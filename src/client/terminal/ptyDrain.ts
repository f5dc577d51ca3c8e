import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { systemErrorCode } from '../../base/errors';
import type { Disposable } from '../../base/lifecycle';
import { isAlive } from '../../node/process/processTree';
import type { PtyHandle } from './nodePty';

/** Milliseconds between two checks whether the command still runs: first short, then longer. */
const FIRST_CHECK_MS = 4;
const MAX_CHECK_INTERVAL_MS = 80;
const CHECK_INTERVAL_GROWTH = 1.5;
/** Milliseconds between checks after the command's end. */
const END_CHECK_MS = 8;
/**
 * Checks after the command's end, about a second, that end it where the mark cannot be written or does not arrive: a
 * process in the background may write all the time. Counted, because time also passes while nothing can be read.
 */
const MAX_END_CHECKS = 125;

/** Written after the command's end, it marks the end of the output. A noncharacter of Unicode, which no text contains. */
const END_MARK = '\uFDD0';

/**
 * Keeps the command's side of a pseudo-terminal open until its output is read. Otherwise the last kilobytes of output
 * are lost: once that side is closed, libuv treats any short read as the end, and reads of a pseudo-terminal are always
 * short (4095 bytes on Linux). A mark that is written to that side after the command's end arrives after all output,
 * however late the system delivers it. Polls the process, because no event reports its end in time.
 */
export class PtyDrain implements Disposable {
  #side: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pause = FIRST_CHECK_MS;
  #endChecks = 0;
  /** Bytes of the mark that are not written yet; undefined while the command runs. */
  #unwritten: Buffer | undefined;
  #destroy: (() => void) | undefined;

  /** Must be created in the same turn of the event loop as the command. */
  constructor(private readonly pty: PtyHandle) {
    // Windows has no such device.
    if (pty.ptsName === undefined) return;
    try {
      // O_NOCTTY: a process without a controlling terminal would get this one, with its signals.
      this.#side = openSync(pty.ptsName, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
    } catch {
      // Works without the open handle, with the risk of lost output.
      return;
    }
    this.#retainSocket();
    this.#scheduleCheck(FIRST_CHECK_MS);
  }

  /** The command has ended. What is left to read is bounded by the system's buffers, so reading must not pause any more. */
  get isEnding(): boolean {
    return this.#unwritten !== undefined;
  }

  /**
   * Call with the data of each read.
   * @returns the command's output in it
   */
  read(data: string): string {
    // What arrives after the mark was written was there before: there is an end to it.
    if (this.#unwritten?.length === 0) this.#endChecks = 0;
    const end = this.isEnding ? data.indexOf(END_MARK) : -1;
    if (end < 0) return data;
    this.dispose();
    return data.slice(0, end) + data.slice(end + END_MARK.length);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    if (this.#side !== undefined) closeSync(this.#side);
    this.#side = undefined;
    this.#destroy?.();
    this.#destroy = undefined;
  }

  /** node-pty destroys its socket 200 ms after the command's end, even if output is unread. */
  #retainSocket(): void {
    const socket = this.pty._socket;
    if (!socket) return;
    const destroy = socket.destroy.bind(socket);
    socket.destroy = () => {
      if (this.#side === undefined) destroy();
      else this.#destroy = destroy;
    };
  }

  #scheduleCheck(after: number): void {
    this.#timer = setTimeout(() => {
      if (isAlive(this.pty.pid)) {
        this.#pause = Math.min(MAX_CHECK_INTERVAL_MS, this.#pause * CHECK_INTERVAL_GROWTH);
        this.#scheduleCheck(this.#pause);
      } else this.#checkEnd();
    }, after);
  }

  #checkEnd(): void {
    if (!this.#unwritten) {
      this.#unwritten = Buffer.from(END_MARK);
      this.pty.resume();
    }
    this.#writeMark();
    if (this.#side === undefined) return;
    if (++this.#endChecks > MAX_END_CHECKS) this.dispose();
    else this.#scheduleCheck(END_CHECK_MS);
  }

  #writeMark(): void {
    if (!this.#unwritten?.length || this.#side === undefined) return;
    try {
      this.#unwritten = this.#unwritten.subarray(writeSync(this.#side, this.#unwritten));
    } catch (error) {
      // EAGAIN: the system's buffer is full until more is read. Other errors: the system has closed this side, which holds nothing any more.
      if (systemErrorCode(error) !== 'EAGAIN') this.dispose();
    }
  }
}

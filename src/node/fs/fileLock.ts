import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import type { Disposable } from '../../base/lifecycle';
import { toDisposable } from '../../base/lifecycle';
import { PRIVATE_FILE, PRIVATE_FOLDER } from './privateFiles';

/** Milliseconds by which clocks may differ about when the computer was started. */
const CLOCK_SLACK = 60_000;
/** Milliseconds, at most, that a window waits when another one claims in the same moment; it is different each time. */
const STEP_BACK = 8;
/** Times that windows which claim in the same moment step back. */
const TIMES = 8;

/** What a file says about a name: its window has it, asks the one that has it to let go, or had it until another one took it away. */
type Said = 'has' | 'asks' | 'lost';

/** A file that says something of this process, until it is disposed. */
interface Sign extends Disposable {
  /** It is there still. */
  readonly stands: boolean;
  /** Another window has taken it away, and may be done with it by now. */
  readonly isLost: boolean;
}

/** A name that this window has. Dispose it to let go. */
export type FileLock = Sign;

/**
 * Takes a name for this window, which no other window has then. A claim dies with its process.
 *
 * Each claim is a file of its own, whose name is never used again: who claims puts down theirs first and looks for others then, so of two
 * at least one sees the other and steps back; and what a dead window left behind can be deleted without hitting a claim that came after.
 * @param folder of the claims: absolute; made when needed
 * @returns undefined when another living window has it; where nothing can be written, no window has anything, and nothing is claimed
 */
export function acquireLock(folder: string, id: string): FileLock | undefined {
  for (let time = 0; time < TIMES; time++) {
    if (isLocked(folder, id)) return undefined;
    const mine = put(folder, id, 'has');
    if (!mine) return { stands: true, isLost: false, dispose: () => undefined };
    if (signs(folder, id, 'has').length === 1) return mine;
    mine.dispose();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * STEP_BACK);
  }
  return undefined;
}

/** Whether a living window has it. */
export function isLocked(folder: string, id: string): boolean {
  return signs(folder, id, 'has').length > 0;
}

/** Asks the window that has it to let go. Dispose it when nobody waits for that any more. */
export function requestRelease(folder: string, id: string): Disposable {
  return put(folder, id, 'asks') ?? toDisposable(() => undefined);
}

/** Whether a living window asks for it. */
export function isReleaseRequested(folder: string, id: string): boolean {
  return signs(folder, id, 'asks').length > 0;
}

/**
 * Takes it away from whoever has it: for a window that does not answer, which looks before it writes again. Its file goes on to say so
 * until that window lets go: who took the name may have written and let go long before the other one looks.
 */
export function breakLock(folder: string, id: string): void {
  for (const file of signs(folder, id, 'has')) {
    try {
      renameSync(file, lostOf(file));
    } catch {
      erase(file);
    }
  }
}

/** The name of a claim's file once it was taken away. */
function lostOf(file: string): string {
  return file.replace(/\.has$/, '.lost');
}

/** Undefined where nothing can be written. */
function put(folder: string, id: string, said: Said): Sign | undefined {
  const file = join(folder, [id, process.pid, startOf(process.pid) ?? '', randomUUID().slice(0, 8), said].join('.'));
  try {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    writeFileSync(file, '', { flag: 'wx', mode: PRIVATE_FILE });
  } catch {
    erase(file);
    return undefined;
  }
  return {
    get stands() {
      return existsSync(file);
    },
    get isLost() {
      return existsSync(lostOf(file));
    },
    dispose: () => [file, lostOf(file)].forEach(erase),
  };
}

/** The files of living windows that say so; those of dead ones are deleted. */
function signs(folder: string, id: string, said: Said): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    if (!name.startsWith(`${id}.`)) return [];
    const [pid, start = ''] = name.slice(id.length + 1).split('.');
    const file = join(folder, name);
    if (isOfLiving(file, Number(pid), start)) return name.endsWith(`.${said}`) ? [file] : [];
    erase(file);
    return [];
  });
}

function isOfLiving(file: string, pid: number, start: string): boolean {
  if (!isAlive(pid)) return false;
  // The number may belong to another process after the computer was started anew, or the container.
  if (start !== '') return start === startOf(pid);
  try {
    return statSync(file).mtimeMs > Date.now() - uptime() * 1000 - CLOCK_SLACK;
  } catch {
    return false;
  }
}

function erase(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It dies with its process.
  }
}

/** When the process was started, in a unit of the system's own (proc(5): field 22 of `stat`); undefined where that cannot be told. */
function startOf(pid: number): string | undefined {
  try {
    // The name of the program may hold blanks and brackets.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, '').trim().split(' ');
    return fields[19];
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, but is not ours.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

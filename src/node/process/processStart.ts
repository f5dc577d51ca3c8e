import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { isOutOfFiles } from '../../base/errors';
import { processScope } from './processScope';
import { isAlive } from './processTree';

/** Milliseconds that two readings of the system's start time may differ. */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Start time of the process in a unit of the system (proc(5): field 22 of `stat`); undefined where unknown.
 * @throws system errors while too many files are open
 */
export function startOf(pid: number): string | undefined {
  try {
    // The program's name may contain spaces and brackets.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, '').trim().split(' ');
    return fields[19];
  } catch (error) {
    if (isOutOfFiles(error)) throw error;
    return undefined;
  }
}

/**
 * Whether a process of this scope still runs. After a restart of the computer or container, its id may belong to another process.
 * @param start what {@link startOf} gave when the process ran; empty where unknown
 * @param seen when the process ran, in milliseconds since 1970
 * @throws as {@link startOf}
 */
export function isStillRunning(pid: number, start: string, seen: () => number): boolean {
  if (!isAlive(pid)) return false;
  if (start !== '') return start === startOf(pid);
  return seen() > Date.now() - uptime() * 1000 - CLOCK_TOLERANCE_MS;
}

/** Names this process, for {@link isOtherWindow} in other windows. */
export function windowName(pid = process.pid): string {
  return [pid, startOf(pid) ?? '', processScope()].join('.');
}

/**
 * Whether a name is that of another process that still runs here. A process on another computer, or in another container, is none.
 * @param named when it was named, in milliseconds since 1970
 */
export function isOtherWindow(name: string, named: number): boolean {
  const [pid = '', start = '', scope] = name.split('.');
  return name !== windowName() && scope === processScope() && isStillRunning(Number(pid), start, () => named);
}

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { systemErrorCode } from '../../base/errors';

const run = promisify(execFile);

/** A process at one moment. `born` distinguishes it from a later process with the same id. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly born: string;
}

/** Number of `/proc` files read before yielding to other work. */
const READS_PER_SLICE = 50;

let next: Promise<readonly ProcessRow[]> | undefined;
let latest: Promise<unknown> = Promise.resolve();

/**
 * All running processes without zombies; empty where they cannot be listed (Windows: `taskkill /T` finds the tree
 * itself). The list is made after the call. Concurrent callers share it, because many commands may end at once.
 */
export function listProcesses(): Promise<readonly ProcessRow[]> {
  next ??= latest.then(() => {
    next = undefined;
    const list = readProcesses();
    latest = list.catch(() => undefined);
    return list;
  });
  return next;
}

async function readProcesses(): Promise<ProcessRow[]> {
  if (process.platform === 'linux') return listFromProc();
  if (process.platform === 'win32') return [];
  const { stdout } = await run('ps', ['-axo', 'pid=,ppid=,pgid=,stat=,lstart='], { timeout: 5_000 });
  return stdout.split('\n').flatMap(parsePsLine);
}

/** One line of `ps -o pid=,ppid=,pgid=,stat=,lstart=`. */
export function parsePsLine(line: string): ProcessRow[] {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*\S)\s*$/.exec(line);
  const [, pid, parent, group, state = '', born = ''] = match ?? [];
  if (!match || state.startsWith('Z')) return [];
  return [{ pid: Number(pid), parent: Number(parent), group: Number(group), born }];
}

/**
 * The process, its descendants, and group members without a parent. The group alone is not enough: agents start shells
 * and daemons in their own groups.
 */
export function processTreeOf(root: number, rows: readonly ProcessRow[]): ProcessRow[] {
  const found = new Set(rows.filter(({ pid, group }) => pid === root || group === root));
  const children = new Map<number, ProcessRow[]>();
  for (const row of rows) children.set(row.parent, [...(children.get(row.parent) ?? []), row]);
  // Iterating a Set includes elements added during the iteration.
  for (const row of found) for (const child of children.get(row.pid) ?? []) found.add(child);
  return [...found];
}

/**
 * Synchronous: `/proc` needs no disk access, and asynchronous reads take six times the CPU time (measured with 127
 * processes).
 */
async function listFromProc(): Promise<ProcessRow[]> {
  const rows: ProcessRow[] = [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  for (const [index, pid] of pids.entries()) {
    if (index > 0 && index % READS_PER_SLICE === 0) await setImmediate();
    rows.push(...readStat(pid));
  }
  return rows;
}

function readStat(pid: string): ProcessRow[] {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return []; // It has ended meanwhile.
  }
}

/** Parses `/proc/<pid>/stat`, see proc(5); the name in brackets may itself contain spaces and brackets. */
export function parseStat(stat: string): ProcessRow[] {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group] = fields;
  if (state === 'Z' || state === 'X') return [];
  return [{ pid: Number.parseInt(stat, 10), parent: Number(parent), group: Number(group), born: fields[19] ?? '' }];
}

/** Whether a process with this id runs, of any user. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs, but belongs to another user.
    return systemErrorCode(error) === 'EPERM';
  }
}

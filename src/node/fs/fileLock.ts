import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isOutOfFiles, systemErrorCode } from '../../base/errors';
import type { Disposable } from '../../base/lifecycle';
import { toDisposable } from '../../base/lifecycle';
import { isOtherScope, processScope } from '../process/processScope';
import { isStillRunning, startOf } from '../process/processStart';
import { PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE } from './privateFiles';

/** Maximum of a random delay in milliseconds, after another window tried to lock at the same moment. */
const MAX_BACKOFF_MS = 8;
/** Maximum number of such delays. */
const MAX_RETRIES = 8;
/** Milliseconds between two signs of life of a lock, for windows on other computers and in other containers. */
const BEAT_MS = 30_000;
/** Milliseconds without a sign of life, as this window sees it, after which such a window counts as ended. */
const MAX_SILENCE_MS = 4 * BEAT_MS;

/**
 * The meaning of a lock file: its window has the lock (`has`), requests its release (`asks`), or had the lock until
 * another window broke it (`lost`). `here` only says that its window is at something; several windows can say so.
 */
type LockFileKind = 'has' | 'asks' | 'lost' | 'here';

/** A file that represents a state of this process, until it is disposed. */
interface LockFile extends Disposable {
  readonly file: string;
  /** The file still exists. */
  readonly isHeld: boolean;
  /** Another window has broken this lock, and may have released its own lock since. */
  readonly isLost: boolean;
}

/** The files of this window. */
const held = new Set<string>();
let beat: NodeJS.Timeout | undefined;
/** The files of windows elsewhere: their time, and since when this window has seen it, by the monotonic clock. */
const elsewhere = new Map<string, { readonly mtimeMs: number; readonly since: number }>();

/** A lock that this window has. Dispose it to release. */
export type FileLock = Omit<LockFile, 'file'>;

/**
 * Acquires the lock of a name for this window. A lock ends with its process; that of a process on another computer or in another
 * container ends when its file shows no sign of life any more. Each lock is a new file with a unique
 * name: a window first creates its file and then looks for others, so that of two windows at least one sees the other
 * and backs off; files of dead windows can be deleted without removing a newer lock.
 * @param folder of the locks: absolute; created when needed
 * @returns undefined when another living window has the lock. Where nothing can be written, no window locks anything;
 * on a full disk the lock is not held, so that it can be acquired again once there is space
 * @throws system errors while too many files are open: nobody knows whether another window has the lock
 */
export function acquireLock(folder: string, id: string): FileLock | undefined {
  for (let time = 0; time < MAX_RETRIES; time++) {
    if (listLockFiles(folder, id, 'has').length > 0) return undefined;
    let mine: LockFile;
    try {
      mine = createLockFile(folder, id, 'has');
    } catch (error) {
      return lockWithoutFile(error);
    }
    if (listLockFiles(folder, id, 'has').length === 1) return mine;
    mine.dispose();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * MAX_BACKOFF_MS);
  }
  return undefined;
}

/** Whether a living window has the lock, or may have it while too many files are open. */
export function isLocked(folder: string, id: string): boolean {
  try {
    return listLockFiles(folder, id, 'has').length > 0;
  } catch {
    return true;
  }
}

/** Requests the lock's release by the window that has it. Dispose the result to withdraw the request. */
export function requestRelease(folder: string, id: string): Disposable {
  return createSignIfPossible(folder, id, 'asks');
}

/** Whether a living window requests the release. */
export function isReleaseRequested(folder: string, id: string): boolean {
  return listLockFiles(folder, id, 'asks').length > 0;
}

/** Says that this window is at something, until it is disposed; other windows may be, too. @returns `file` is absolute */
export function showPresence(folder: string, id: string): Disposable & { readonly file?: string } {
  return createSignIfPossible(folder, id, 'here');
}

/** Without a file in a folder that cannot be written. */
function createSignIfPossible(folder: string, id: string, kind: LockFileKind): Disposable & { readonly file?: string } {
  try {
    return createLockFile(folder, id, kind);
  } catch {
    return toDisposable(() => undefined);
  }
}

/**
 * What living windows are at, see {@link showPresence}. Deletes the files of dead windows.
 * @param own files of this window, which do not count
 */
export function presentIds(folder: string, own: ReadonlySet<string>): ReadonlySet<string> {
  try {
    const others = listLockFiles(folder, undefined, 'here').filter((file) => !own.has(file));
    return new Set(others.map((file) => basename(file).split('.')[0] ?? ''));
  } catch {
    return new Set();
  }
}

/**
 * Breaks the lock of a window that does not answer; that window checks before it writes again. The marker file stays
 * until that window releases its lock, because the new owner may have released already when the old owner checks.
 */
export function breakLock(folder: string, id: string): void {
  for (const file of listLockFiles(folder, id, 'has')) {
    try {
      renameSync(file, lostOf(file));
    } catch {
      erase(file);
    }
  }
}

/** The name of a lock's file after it was broken. */
function lostOf(file: string): string {
  return file.replace(/\.has$/, '.lost');
}

/** @param error why the file could not be written */
function lockWithoutFile(error: unknown): FileLock {
  if (isOutOfFiles(error)) throw error;
  return { isHeld: !isDiskFull(error), isLost: false, dispose: () => undefined };
}

/** @throws system errors when the folder is not writable */
function createLockFile(folder: string, id: string, kind: LockFileKind): LockFile {
  const owner = [process.pid, startOf(process.pid) ?? '', randomUUID().slice(0, 8), processScope()];
  const file = join(folder, [id, ...owner, kind].join('.'));
  try {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
    writeFileSync(file, '', { flag: 'wx', mode: PRIVATE_FILE_MODE });
  } catch (error) {
    erase(file);
    throw error;
  }
  showLife(file);
  return {
    file,
    get isHeld() {
      return existsSync(file);
    },
    get isLost() {
      return existsSync(lostOf(file));
    },
    dispose: () => {
      held.delete(file);
      [file, lostOf(file)].forEach(erase);
    },
  };
}

/** Renews the time of the file until it is released. */
function showLife(file: string): void {
  held.add(file);
  beat ??= setInterval(() => {
    if (held.size === 0) {
      clearInterval(beat);
      beat = undefined;
    }
    const now = new Date();
    // Another window may have broken the lock.
    for (const each of held) void utimes(each, now, now).catch(() => undefined);
  }, BEAT_MS).unref();
}

/**
 * The files with this meaning of living windows; deletes those of dead windows.
 * @param id undefined for all
 * @throws system errors while too many files are open
 */
function listLockFiles(folder: string, id: string | undefined, kind: LockFileKind): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if (isOutOfFiles(error)) throw error;
    return [];
  }
  return names.flatMap((name) => {
    if (id !== undefined && !name.startsWith(`${id}.`)) return [];
    const [pid, start = '', , scope = ''] = name.slice((id ?? name.split('.')[0] ?? '').length + 1).split('.');
    const file = join(folder, name);
    if (isOtherScope(scope) ? showsLife(file) : isStillRunning(Number(pid), start, () => timeOf(file)))
      return name.endsWith(`.${kind}`) ? [file] : [];
    erase(file);
    return [];
  });
}

function timeOf(file: string): number {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

/** Ids of processes elsewhere say nothing here, and neither do their clocks. */
function showsLife(file: string): boolean {
  try {
    const { mtimeMs } = statSync(file);
    const seen = elsewhere.get(file);
    if (seen?.mtimeMs === mtimeMs) return performance.now() - seen.since < MAX_SILENCE_MS;
    elsewhere.set(file, { mtimeMs, since: performance.now() });
    return true;
  } catch {
    elsewhere.delete(file);
    return false;
  }
}

function erase(file: string): void {
  elsewhere.delete(file);
  try {
    rmSync(file, { force: true });
  } catch {
    // The file counts only while its process runs.
  }
}

function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(systemErrorCode(error) ?? '');
}

import { open, stat } from 'node:fs/promises';
import { isObject, parseJson } from '../../base/json';
import { replaceFile } from './atomicWrite';
import { encodeRecord, IN_PLACE, readWhole, rewrite } from './inPlaceWrite';
import { inFolderOf } from './pinnedFolder';
import { readIfThere } from './readIfThere';

/** Milliseconds for which a record waits for a file that cannot be opened, such as one of a drive that is not mounted. */
const MAX_WAIT_MS = 30 * 24 * 3_600_000;
/** Milliseconds that a file can be newer than the record of its write. Later changes are made by another program. */
const MAX_WRITE_MS = 60_000;

/** A file whose write was cut off. */
export interface CutWrite {
  readonly path: string;
  /** Has its old content again. Otherwise another program has changed it since, and it stays as it is. */
  readonly isRestored: boolean;
}

/**
 * Restores the file of a record if its write was cut off. What another program has written since stays. Never rejects.
 * @param record its path
 * @param now milliseconds since 1970
 * @returns the file, if it is neither old nor new; `isNeeded` if the record still is
 */
export async function restoreCutWrite(
  record: string,
  now: number,
): Promise<{ readonly cut?: CutWrite; readonly isNeeded: boolean }> {
  const { mtimeMs } = (await stat(record).catch(() => undefined)) ?? { mtimeMs: 0 };
  try {
    const write = decodeRecord((await readIfThere(record)) ?? Buffer.alloc(0));
    // Killed while it wrote the record.
    if (!write) return { isNeeded: false };
    const isRestored = await inFolderOf(write.path, (at) => restoreAt(at, write, record, mtimeMs));
    return { isNeeded: false, ...(isRestored !== undefined && { cut: { path: write.path, isRestored } }) };
  } catch {
    return { isNeeded: Math.abs(now - mtimeMs) < MAX_WAIT_MS };
  }
}

interface RecordedWrite {
  readonly path: string;
  readonly before: Buffer;
  readonly after: Buffer;
  readonly isRestore: boolean;
}

function decodeRecord(bytes: Buffer): RecordedWrite | undefined {
  const start = bytes.indexOf('\n') + 1;
  const head = parseJson(bytes.toString('utf8', 0, start));
  if (!isObject(head) || typeof head['path'] !== 'string' || !Array.isArray(head['sizes'])) return undefined;
  const [before, after] = head['sizes'].map(Number);
  if (before === undefined || after === undefined || start + before + after !== bytes.length) return undefined;
  const middle = start + before;
  return {
    path: head['path'],
    before: bytes.subarray(start, middle),
    after: bytes.subarray(middle),
    isRestore: head['kind'] === 'restore',
  };
}

/** @returns undefined if the file is whole */
async function restoreAt(
  at: string,
  { path, before, after, isRestore }: RecordedWrite,
  record: string,
  recordedMs: number,
): Promise<boolean | undefined> {
  const file = await open(at, IN_PLACE);
  try {
    const info = await file.stat();
    if (!info.isFile()) return false;
    const now = await readWhole(file);
    if (now.equals(after) || (now.equals(before) && !isRestore)) return undefined;
    if (info.mtimeMs > recordedMs + MAX_WRITE_MS || !isPartly(now, before, after)) return false;
    const old = isRestore ? after : before;
    // On a full disk, only this restore cannot be continued.
    await replaceFile(record, encodeRecord(path, now, old, 'restore')).catch(() => undefined);
    await rewrite(file, now.length, old);
    return true;
  } finally {
    await file.close();
  }
}

/**
 * Whether a content is what `rewrite` leaves when it is cut off: the new content up to one place, and then the old one with what is appended
 * first. A user who chooses among the changes by hand mostly makes another.
 */
function isPartly(now: Buffer, before: Buffer, after: Buffer): boolean {
  const appended = Buffer.concat([before, after.subarray(before.length)]);
  if (now.length < before.length || now.length > appended.length) return false;
  const border = now.length < appended.length ? 0 : now.findIndex((byte, index) => byte !== after[index]);
  return now.subarray(border).equals(appended.subarray(border, now.length));
}

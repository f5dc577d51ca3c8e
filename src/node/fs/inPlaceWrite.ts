import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, stat } from 'node:fs/promises';
import { isObject, parseJson } from '../../base/json';
import { inFolderOf } from './pinnedFolder';
import { readIfThere } from './readIfThere';

/**
 * A file that cannot be replaced as a whole is written in place: a kill cuts that off and leaves a part of the new content. A record in the
 * storage has both contents, so that the next start restores the old one.
 */

/**
 * Opens no link and does not block on a pipe. Does not truncate before the new content is stored. Both flags are 0 on
 * Windows.
 */
export const IN_PLACE = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Milliseconds for which a record waits for a file that cannot be opened, such as one of a drive that is not mounted. */
const MAX_WAIT_MS = 30 * 24 * 3_600_000;

/** @param path real path of the file */
export function encodeRecord(path: string, before: Uint8Array, after: Uint8Array): Buffer {
  const head = JSON.stringify({ path, sizes: [before.length, after.length] });
  return Buffer.concat([Buffer.from(`${head}\n`), before, after]);
}

/**
 * Restores the file of a record if its write was cut off. What another program has written since stays. Never rejects.
 * @param record its path
 * @param now milliseconds since 1970
 * @returns false if the record is still needed
 */
export async function restoreCutWrite(record: string, now: number): Promise<boolean> {
  try {
    const cut = decodeRecord((await readIfThere(record)) ?? Buffer.alloc(0));
    // Killed while it wrote the record.
    if (!cut) return true;
    await inFolderOf(cut.path, (at) => restoreAt(at, cut));
    return true;
  } catch {
    const { mtimeMs } = (await stat(record).catch(() => undefined)) ?? { mtimeMs: 0 };
    return Math.abs(now - mtimeMs) > MAX_WAIT_MS;
  }
}

interface CutWrite {
  readonly path: string;
  readonly before: Buffer;
  readonly after: Buffer;
}

function decodeRecord(bytes: Buffer): CutWrite | undefined {
  const start = bytes.indexOf('\n') + 1;
  const head = parseJson(bytes.toString('utf8', 0, start));
  if (!isObject(head) || typeof head['path'] !== 'string' || !Array.isArray(head['sizes'])) return undefined;
  const [before, after] = head['sizes'].map(Number);
  if (before === undefined || after === undefined || start + before + after !== bytes.length) return undefined;
  const middle = start + before;
  return { path: head['path'], before: bytes.subarray(start, middle), after: bytes.subarray(middle) };
}

async function restoreAt(at: string, { before, after }: CutWrite): Promise<void> {
  const file = await open(at, IN_PLACE);
  try {
    if (!(await file.stat()).isFile()) return;
    const now = await readWhole(file);
    if (isMixed(now, before, after)) await rewrite(file, now.length, before);
  } finally {
    await file.close();
  }
}

/** Whether each byte is one of two contents, and the whole is neither. */
function isMixed(now: Buffer, before: Buffer, after: Buffer): boolean {
  if (now.equals(before) || now.equals(after)) return false;
  if (now.length < Math.min(before.length, after.length)) return false;
  return now.every((byte, index) => byte === before[index] || byte === after[index]);
}

/**
 * Writes a content over another. A part of it has, at each place, a byte of one of them. Additional bytes are appended first, so that a full
 * disk is detected before the old content changes.
 * @param size of the old content
 */
export async function rewrite(file: FileHandle, size: number, bytes: Uint8Array): Promise<void> {
  await writeAt(file, bytes.subarray(size), size);
  await writeAt(file, bytes.subarray(0, size), 0);
  await file.truncate(bytes.length);
}

export async function readWhole(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const bytes = Buffer.alloc(size);
  let at = 0;
  while (at < size) {
    const { bytesRead } = await file.read(bytes, at, size - at, at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

export async function writeAt(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

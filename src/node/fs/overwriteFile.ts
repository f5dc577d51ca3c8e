import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, readFile, rm } from 'node:fs/promises';
import { inFolderOf } from './pinnedFolder';
import { readRegularFile } from './regularFile';

/**
 * Opens no link and does not block on a pipe. Does not truncate before the new content is stored. Both flags are 0 on
 * Windows.
 */
const IN_PLACE = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Overwrites a file in place and restores its content on failure. Additional bytes are appended first, so that a full
 * disk is detected before the old content changes. A replacement file would lose links, owner and mode, and needs space
 * for two.
 * @param path of an existing file that is not a link
 * @throws system errors
 */
export async function overwrite(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, IN_PLACE);
  try {
    await overwriteOpen(file, bytes);
  } finally {
    await file.close();
  }
}

/** As {@link overwrite}, for a file opened for reading and writing. */
export async function overwriteOpen(file: FileHandle, bytes: Uint8Array): Promise<void> {
  const before = await readFrom(file);
  try {
    await writeAt(file, bytes.subarray(before.length), before.length);
    await writeAt(file, bytes.subarray(0, before.length), 0);
    await file.truncate(bytes.length);
  } catch (error) {
    await restoreBytes(file, before).catch(() => undefined);
    throw error;
  }
}

/**
 * Creates a file and missing folders. On failure nothing is left of them.
 * @param real as for `inFolderOf`
 * @throws system errors, `EEXIST` when something is at the path
 */
export function createNew(real: string, bytes: Uint8Array): Promise<void> {
  return inFolderOf(
    real,
    async (at) => {
      const file = await open(at, 'wx').catch((error: Error) => {
        error.message = error.message.replace(at, real);
        throw error;
      });
      try {
        await file.writeFile(bytes);
      } catch (error) {
        await rm(at, { force: true }).catch(() => undefined);
        throw error;
      } finally {
        await file.close();
      }
    },
    'make',
  );
}

/**
 * Restores a file whose write by VS Code was cut off: it truncates a file before it notices a full disk. Any other content stays.
 * @param real as for `inFolderOf`
 * @param requested the bytes of which a part may have been written
 */
export async function restorePartialWrite(real: string, requested: Uint8Array, previous: Uint8Array): Promise<void> {
  await inFolderOf(real, async (at) => {
    const now = await readFile(at);
    if (now.equals(previous) || now.length >= requested.length) return;
    if (now.equals(requested.subarray(0, now.length))) await overwrite(at, previous);
  }).catch(() => undefined);
}

/**
 * The bytes of a regular file; undefined for other types, and for unreadable or larger files.
 * @param most maximum size in bytes
 */
export async function readPlainFile(path: string, most: number): Promise<Buffer | undefined> {
  const bytes = await readRegularFile(path, most).catch(() => undefined);
  return typeof bytes === 'string' ? undefined : bytes;
}

async function restoreBytes(file: FileHandle, before: Uint8Array): Promise<void> {
  await file.truncate(before.length);
  await writeAt(file, before, 0);
}

async function readFrom(file: FileHandle): Promise<Buffer> {
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

async function writeAt(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/**
 * A file that cannot be replaced as a whole is written in place: a kill cuts that off and leaves a part of the new content. A record in the
 * storage has both contents, so that the next start restores the old one.
 */

/**
 * Opens no link and does not block on a pipe. Does not truncate before the new content is stored. Both flags are 0 on
 * Windows.
 */
export const IN_PLACE = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * @param path real path of the file
 * @param kind a `restore` of what a write has left leads to the new content if it is cut off, too; a write to the old one
 */
export function encodeRecord(path: string, before: Uint8Array, after: Uint8Array, kind?: 'restore'): Buffer {
  const head = JSON.stringify({ path, sizes: [before.length, after.length], kind });
  return Buffer.concat([Buffer.from(`${head}\n`), before, after]);
}

/**
 * Writes a content over another, from its beginning. Additional bytes are appended first, so that a full disk is detected before the old
 * content changes. `restoreCutWrite` knows this order.
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

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';

/** Does not block on a pipe. 0 on Windows. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
/** Fails with ELOOP for a link. */
const OWN = READ | (constants.O_NOFOLLOW ?? 0);
/** Bytes read at once from a file that is longer than the system says, as those of `/proc` are. */
const CHUNK = 64 * 1024;

/**
 * The bytes of a regular file, or why they are not read: devices and pipes may have no end. Links are followed.
 * @param maxBytes Reading stops there: the size that the system says may be wrong.
 * @param links fails with ELOOP if the path is a link, except on Windows
 * @throws system errors
 */
export async function readRegularFile(
  path: string,
  maxBytes: number,
  links?: 'noLinks',
): Promise<Buffer | 'notAFile' | 'tooLarge'> {
  const file = await open(path, links ? OWN : READ);
  try {
    const info = await file.stat();
    if (!info.isFile()) return 'notAFile';
    if (info.size > maxBytes) return 'tooLarge';
    return (await readUpTo(file, info.size, maxBytes)) ?? 'tooLarge';
  } finally {
    await file.close();
  }
}

/**
 * As {@link readRegularFile}, for a file that another process may write in the next moment.
 * @returns undefined for other types, and for unreadable or larger files
 */
export function readRegularFileSync(path: string, maxBytes: number): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, READ);
    const info = fstatSync(file);
    if (!info.isFile() || info.size > maxBytes) return undefined;
    const buffer = Buffer.alloc(info.size);
    return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, 0));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Undefined if there are more bytes. */
async function readUpTo(file: FileHandle, size: number, maxBytes: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for (let next = size + 1; length <= maxBytes; next = CHUNK) {
    const buffer = Buffer.allocUnsafe(Math.min(next, maxBytes + 1 - length));
    const { bytesRead } = await file.read(buffer, 0, buffer.length);
    if (bytesRead === 0) return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    parts.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
  return undefined;
}

import type { Stats } from 'node:fs';
import { lstat, open, readlink } from 'node:fs/promises';

/** Bytes that are read at a time. */
const PART = 1024 * 1024;

/** Whether two paths have the same content and mode, or neither exists. False where one cannot be read. Follows no links. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  try {
    const [first, second] = await Promise.all([one, other].map(infoOf));
    if (!first || !second) return first === second;
    if (first.isSymbolicLink() && second.isSymbolicLink()) return (await readlink(one)) === (await readlink(other));
    const isAlike = first.isFile() && second.isFile() && first.size === second.size;
    return isAlike && ((first.mode ^ second.mode) & 0o111) === 0 && (await hasSameBytes(one, other));
  } catch {
    return false;
  }
}

/** Undefined if the path does not exist. */
async function infoOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
}

async function hasSameBytes(one: string, other: string): Promise<boolean> {
  const [left, right] = [Buffer.alloc(PART), Buffer.alloc(PART)];
  const first = await open(one);
  const second = await open(other).catch(() => undefined);
  try {
    for (;;) {
      // In parts, because files can be large.
      const [a, b] = await Promise.all([first.read(left), second?.read(right)]);
      if (a.bytesRead !== b?.bytesRead || left.compare(right, 0, b.bytesRead, 0, a.bytesRead) !== 0) return false;
      if (a.bytesRead === 0) return true;
    }
  } finally {
    await first.close();
    await second?.close();
  }
}

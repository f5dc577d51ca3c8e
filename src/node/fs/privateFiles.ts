import { chmod, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Conversations, copies of files and settings are nobody else's business: the modes of files and folders in the extension's storage. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;
/** What other users may do. */
const OTHERS = 0o077;

/**
 * Makes a folder, and those above it, for this user alone; one that is there is closed to others.
 * @param folder absolute
 */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  await closeOne(folder);
}

/**
 * Closes a folder of the storage to others, with everything in it that an older version left open. The folder itself comes last: once it
 * is closed, nothing in it needs to be looked at again. Links are not followed. Never rejects.
 */
export async function closeToOthers(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => undefined);
  if (process.platform === 'win32' || !found?.isDirectory() || (found.mode & OTHERS) === 0) return;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    // One after the other: there is time, and other work goes on meanwhile.
    // oxlint-disable-next-line no-await-in-loop
    await (entry.isDirectory() ? closeToOthers(path) : entry.isFile() ? closeOne(path) : undefined);
  }
  await closeOne(folder);
}

/** File systems without modes refuse, and have nothing to close. */
async function closeOne(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found || found.isSymbolicLink() || (found.mode & OTHERS) === 0) return;
  await chmod(path, found.mode & 0o7700).catch(() => undefined);
}

import { chmod, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Modes of files and folders in the extension's storage: conversations, file copies and settings are private to the
 * user.
 */
export const PRIVATE_FILE_MODE = 0o600;
export const PRIVATE_FOLDER_MODE = 0o700;
/** Mode bits of other users. */
const GROUP_AND_OTHERS_MODE = 0o077;

/**
 * Creates a folder and its parents with access for this user only; an existing folder loses access for others.
 * @param folder absolute
 */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  await closeOne(folder);
}

/**
 * Removes access of other users from a folder of the storage and from entries that an older version left accessible.
 * The folder itself is changed last: a private folder needs no further checks. Links are not followed. Never rejects.
 */
export async function closeToOthers(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => undefined);
  if (process.platform === 'win32' || !found?.isDirectory() || (found.mode & GROUP_AND_OTHERS_MODE) === 0) return;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    // One at a time: this is not urgent, and other work continues meanwhile.
    await (entry.isDirectory() ? closeToOthers(path) : entry.isFile() ? closeOne(path) : undefined);
  }
  await closeOne(folder);
}

/** File systems without modes refuse this, and have nothing to protect. */
async function closeOne(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found || found.isSymbolicLink() || (found.mode & GROUP_AND_OTHERS_MODE) === 0) return;
  await chmod(path, found.mode & 0o7700).catch(() => undefined);
}

import { lstat, rename, rm } from 'node:fs/promises';
import { isMissingPath } from '../../base/errors';

/** Added to the name of a damaged file or folder, of which the last one is kept. */
export const DAMAGED = '.damaged';

/** Renames a damaged file or folder of the storage; replaces an earlier one. A missing one is ignored. */
export async function moveAside(path: string): Promise<void> {
  await rm(path + DAMAGED, { recursive: true, force: true });
  await rename(path, path + DAMAGED).catch((error: unknown) => {
    if (!isMissingPath(error)) throw error;
  });
}

/** Whether a folder is in the place of a file. */
export async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() === true;
}

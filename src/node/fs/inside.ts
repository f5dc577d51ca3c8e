import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';

/**
 * Whether a file lies in one of the folders, which may themselves be links.
 * @param file absolute, with its links already resolved
 */
export async function isInsideFolders(file: string, folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) {
    if (isInside(await realpath(folder).catch(() => folder), file)) return true;
  }
  return false;
}

/** Whether a path is the folder or below it. Both absolute, with links resolved. */
export function isInside(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}

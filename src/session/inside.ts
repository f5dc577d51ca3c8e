import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';

/**
 * Whether a file lies in one of the folders, which may themselves be links.
 * @param file absolute, with its links already resolved
 */
export async function liesIn(file: string, folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) {
    const path = relative(await realpath(folder).catch(() => folder), file);
    if (path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)) return true;
  }
  return false;
}

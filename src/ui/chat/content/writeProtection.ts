import { realpath } from 'node:fs/promises';
import { displayPath } from '../../../node/fs/pathLabel';
import { isInside } from '../../../node/fs/realPaths';
import { protectedReason } from '../../../permissions/rules/protectedPaths';

/**
 * Why a change of a file is shown first, as a text that follows its name; undefined for a normal file. Checks the path and its link target.
 * @param path absolute
 * @param real real path of the file or its nearest folder
 * @param folders of the session, absolute
 */
export async function writeProtection(
  path: string,
  real: string,
  folders: readonly string[],
): Promise<string | undefined> {
  const roots = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  return protectedReason(nameInside(path, folders), 'writes') ?? protectedReason(nameInside(real, roots), 'writes');
}

/** Relative to its folder: the name of the folder itself is not checked. */
function nameInside(path: string, folders: readonly string[]): string {
  return displayPath(path, folders.filter((folder) => isInside(folder, path)).slice(0, 1));
}

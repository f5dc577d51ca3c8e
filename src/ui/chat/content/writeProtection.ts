import { realpath } from 'node:fs/promises';
import { displayPath } from '../../../node/fs/pathLabel';
import { protectedReason } from '../../../permissions/rules/protectedPaths';

/**
 * Why a change of a file is shown first, in words that follow its name; undefined when nothing is special about it. What a link leads to
 * counts as well as its name (security: paths).
 * @param path absolute
 * @param real where it or its nearest folder really lies
 * @param folders of the session, absolute
 */
export async function writeProtection(
  path: string,
  real: string,
  folders: readonly string[],
): Promise<string | undefined> {
  const roots = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  return protectedReason(displayPath(path, folders), 'writes') ?? protectedReason(displayPath(real, roots), 'writes');
}

import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isOnOtherComputer } from '../base/pathText';

/**
 * The names of a file: as it was said, and with every symbolic link on the way resolved. What is not there yet is resolved by its nearest
 * folder. What is on another computer than the folders has one name: it is not looked at before the question. Synchronous, because a question takes its place in the transcript before the next message of the agent (I3).
 * @param path absolute @param folders of the workspace, absolute
 */
export function fileNames(path: string, folders: readonly string[]): readonly string[] {
  if (isOnOtherComputer(path, folders)) return [path];
  const said = resolve(path);
  return [...new Set([said, realName(said)])];
}

/** Links that lead to links. */
const MAX_LINKS = 40;

function realName(path: string, depth = 0): string {
  try {
    return realpathSync.native(path);
  } catch {
    // Not there, or not to be reached: then its folder decides.
  }
  const target = depth < MAX_LINKS ? linkTarget(path) : undefined;
  if (target !== undefined) return realName(target, depth + 1);
  const parent = dirname(path);
  return parent === path ? path : join(realName(parent, depth), basename(path));
}

/** Where a link leads that leads nowhere yet: whoever writes through it creates that. */
function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? resolve(dirname(path), readlinkSync(path)) : undefined;
  } catch {
    return undefined;
  }
}

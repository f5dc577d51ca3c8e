import type { Dirent } from 'node:fs';
import { lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isOnOtherComputer } from '../../base/pathText';

/**
 * The names of a file: as it was said, and with every symbolic link on the way resolved. What is not there yet is resolved by its nearest
 * folder. What is on another computer than the folders has one name: it is not looked at before the question. Synchronous, because a
 * question takes its place in the transcript before the next message of the agent (I3).
 * @param path absolute; behind a link `..` goes up from where the link leads, as it does for every program
 * @param folders of the workspace, absolute
 */
export function realPathNames(path: string, folders: readonly string[]): readonly string[] {
  if (isOnOtherComputer(path, folders)) return [path];
  return [...new Set([resolve(path), realName(path)])];
}

/**
 * What is looked at below a folder: all of it; what has no dot in front and is not in `node_modules`; that with files that have a dot in
 * front; or only what lies in the folder itself.
 */
export type Below = 'all' | 'shown' | 'files' | 'direct';

/** Files and folders that are looked at below one folder. */
const MAX_BELOW = 10_000;

/**
 * The names of everything below a folder, with those that its links lead to; no link is followed. Synchronous, as {@link realPathNames}.
 * Undefined when there is more than can be looked at, or the folder is on another computer.
 * @param folders of the workspace, absolute
 */
export function namesBelow(folder: string, what: Below, folders: readonly string[]): readonly string[] | undefined {
  if (isOnOtherComputer(folder, folders)) return undefined;
  const names: string[] = [];
  const left = [folder];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    for (const entry of entriesOf(at)) {
      if (isLeftOut(entry, what)) continue;
      const path = join(at, entry.name);
      names.push(...(entry.isSymbolicLink() ? realPathNames(path, folders) : [path]));
      if (names.length > MAX_BELOW) return undefined;
      if (entry.isDirectory() && what !== 'direct') left.push(path);
    }
  }
  return names;
}

function isLeftOut(entry: Dirent, what: Below): boolean {
  if (what === 'all' || what === 'direct') return false;
  if (entry.name.startsWith('.')) return what === 'shown' || entry.isDirectory();
  return entry.name === 'node_modules';
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
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
    return lstatSync(path).isSymbolicLink()
      ? resolve(realpathSync.native(dirname(path)), readlinkSync(path))
      : undefined;
  } catch {
    return undefined;
  }
}

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

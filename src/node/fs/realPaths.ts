import type { Dirent } from 'node:fs';
import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import type { PlatformPath } from 'node:path';
import * as nodePath from 'node:path';
import { basename, dirname, join, parse, relative, resolve, sep } from 'node:path';
import { isOnOtherComputer } from '../../base/pathText';

/**
 * The names of a file: as requested, and with all symbolic links resolved, last. A missing file is resolved by its nearest
 * existing folder. A path on another computer than the folders has one name, because it must not be accessed before the
 * user was asked. Synchronous, because a permission request takes its position in the transcript before the agent's
 * next message (I3).
 * @param path absolute; `..` goes up in the text, as many programs resolve it, and from the target of a link, as the system does
 * @param folders of the workspace, absolute
 */
export function realPathNames(path: string, folders: readonly string[]): readonly string[] {
  if (isOnOtherComputer(path, folders)) return [path];
  const plain = resolve(path);
  return [...new Set([plain, realName(plain), realName(path)])];
}

/**
 * Which entries below a folder count: all; all except dot names and `node_modules`; these plus dot files; or only the
 * folder's direct entries.
 */
export type Below = 'all' | 'shown' | 'files' | 'direct';

/** Maximum number of entries read below one folder. */
const MAX_BELOW = 10_000;

/**
 * The names of all entries below a folder and of the targets of its links; links are not followed further. Synchronous,
 * as {@link realPathNames}. Undefined when there are too many entries, or the folder is on another computer.
 * @param folders of the workspace, absolute
 */
export function namesBelow(folder: string, what: Below, folders: readonly string[]): readonly string[] | undefined {
  if (isOnOtherComputer(folder, folders)) return undefined;
  const names: string[] = [];
  const left = [folder];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    for (const entry of entriesOf(at)) {
      if (isSkipped(entry, what)) continue;
      const path = join(at, entry.name);
      names.push(...(entry.isSymbolicLink() ? realPathNames(path, folders) : [path]));
      if (names.length > MAX_BELOW) return undefined;
      if (entry.isDirectory() && what !== 'direct') left.push(path);
    }
  }
  return names;
}

function isSkipped(entry: Dirent, what: Below): boolean {
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

/** Maximum number of consecutive links. */
const MAX_LINKS = 40;

/** UTF-16 units; no system opens a longer path. */
const MAX_PATH = process.platform === 'win32' ? 32_767 : 4_096;

function realName(path: string, depth = 0): string {
  if (path.length > MAX_PATH) return realNameOfLong(resolve(path), depth);
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    const found = existingName(at, depth) ?? (dirname(at) === at ? at : undefined);
    if (found !== undefined) return join(found, ...missing.toReversed());
    // Missing or unreachable: its folder decides.
    missing.push(basename(at));
  }
}

/** Only the start can exist, so looking up each of its folders would only take long. */
function realNameOfLong(path: string, depth: number): string {
  if (path.length <= MAX_PATH) return realName(path, depth);
  const end = Math.max(path.lastIndexOf(sep, MAX_PATH), parse(path).root.length);
  return join(realName(path.slice(0, end), depth), path.slice(end));
}

function existingName(path: string, depth: number): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    const target = depth < MAX_LINKS ? linkTarget(path) : undefined;
    return target === undefined ? undefined : realName(target, depth + 1);
  }
}

/** The target of a link without an existing target: writing through the link would create it. */
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
 * Whether a file is inside one of the folders, which may be links.
 * @param file absolute, with links resolved
 */
export async function isInsideFolders(file: string, folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) {
    if (isInside(await realpath(folder).catch(() => folder), file)) return true;
  }
  return false;
}

/**
 * The path of a file as VS Code knows it: below the first of the folders that contains it. Undefined outside of them.
 * @param real absolute, with links resolved
 * @param folders of the workspace, absolute; they may be links
 */
export async function nameInFolders(real: string, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const root = await realpath(folder).catch(() => undefined);
    if (root !== undefined && isInside(root, real)) return join(folder, relative(root, real));
  }
  return undefined;
}

/**
 * Whether a path is the folder or below it, comparing whole path segments. Both absolute, with links resolved.
 * @param platform of the paths
 */
export function isInside(folder: string, path: string, platform: PlatformPath = nodePath): boolean {
  const below = platform.relative(folder, path);
  return below !== '..' && !below.startsWith(`..${platform.sep}`) && !platform.isAbsolute(below);
}

/** The innermost of the folders that contain a path. */
export function innermostFolder(folders: readonly string[], path: string): string | undefined {
  return folders.filter((folder) => isInside(folder, path)).toSorted((a, b) => b.length - a.length)[0];
}

/** Whether a file is there, or a link to one. */
export function isFileSync(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Also true for a link that leads nowhere. */
export async function pathExists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

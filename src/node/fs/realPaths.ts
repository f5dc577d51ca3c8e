import type { Dirent } from 'node:fs';
import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import type { PlatformPath } from 'node:path';
import * as nodePath from 'node:path';
import { dirname, join, parse, relative, resolve, sep } from 'node:path';
import { isOnOtherComputer } from '../../base/pathText';

/**
 * The names of a file: first as requested, last with all symbolic links resolved. A missing file is resolved by its
 * nearest existing folder. A path on another computer than the folders has one name, because it must not be accessed before the
 * user was asked. Synchronous, because a permission request takes its position in the transcript before the agent's
 * next message (I3).
 * @param path absolute; `..` goes up in the text, as many programs resolve it, and from the target of a link, as the system does
 * @param folders of the workspace, absolute
 */
export function realPathNames(path: string, folders: readonly string[]): readonly string[] {
  if (isOnOtherComputer(path, folders)) return [path];
  const plain = resolve(path);
  const real = Array.from(new Set([plain, path]), realName);
  return [...new Set([plain, ...real])];
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

/** Maximum number of links to missing targets in one path. */
const MAX_LINKS = 40;

/**
 * Resolves one name after the other, so that `..` after a link or a missing folder goes up as it does for the system once
 * the folder exists. Nothing is looked up below a missing folder.
 */
function realName(path: string): string {
  const whole = existingName(path);
  if (whole !== undefined) return whole;
  const { root } = parse(path);
  const left = namesIn(path, root);
  const missing: string[] = [];
  let at = root;
  let links = 0;
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === '..') {
      if (missing.pop() === undefined) at = dirname(at);
      continue;
    }
    const entry = missing.length > 0 ? undefined : entryAt(join(at, name));
    if (entry === undefined || links > MAX_LINKS) missing.push(name);
    else if ('name' in entry) at = entry.name;
    else {
      links++;
      const start = parse(entry.target).root;
      at = resolve(at, start);
      left.push(...namesIn(entry.target, start));
    }
  }
  return join(existingName(at) ?? at, missing.join(sep));
}

/** The names of a path below its root, last first. */
function namesIn(path: string, root: string): string[] {
  const names = path.slice(root.length).split(sep === '/' ? '/' : /[\\/]/);
  return names.filter((name) => name !== '' && name !== '.').toReversed();
}

/** Whether a file, a folder or a link is there. False where that cannot be known. */
export function exists(path: string): boolean {
  return entryAt(path) !== undefined;
}

function existingName(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/**
 * The name of an entry, or the target of a link that leads to nothing: writing through the link would create it. Undefined
 * for a missing entry.
 */
function entryAt(path: string): { readonly name: string } | { readonly target: string } | undefined {
  try {
    if (!lstatSync(path).isSymbolicLink()) return { name: path };
    const name = existingName(path);
    return name === undefined ? { target: readlinkSync(path) } : { name };
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

/** Whether a path is one of the folders, or below one. Compares names only. */
export function isInsideAny(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => isInside(folder, path));
}

/**
 * One folder for each place: those that no other contains, and the first of several that lead to the same.
 * @param folders absolute; they may be links
 */
export async function outermostFolders(folders: readonly string[]): Promise<string[]> {
  const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  return folders.filter((folder, index) => {
    const own = real[index] ?? folder;
    return !real.some((other, at) => (other === own ? at < index : isInside(other, own)));
  });
}

/** The innermost of the folders that contain a path. */
export function innermostFolder(folders: readonly string[], path: string): string | undefined {
  return folders.filter((folder) => isInside(folder, path)).toSorted((a, b) => b.length - a.length)[0];
}

/** Whether a file is there, or a link to one; false also where it cannot be known. */
export function isFileSync(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Also true for a link that leads nowhere. */
export async function pathExists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

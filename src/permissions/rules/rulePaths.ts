import { foldCase } from '../../base/pathText';
import type { RuleRequest } from './ruleRequest';

/** Path functions on strings, without access to the disk. Supports POSIX and Windows paths. */

/** Maximum UTF-16 units of a path; Linux opens no longer one. */
export const MAX_PATH_CHARS = 4_096;

/** True for an absolute path of either system. */
function isAbsolutePath(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path);
}

/** The path without `.` and `..`, with forward slashes. */
export function normalizePath(path: string): string {
  const slashed = isWindowsPath(path) ? path.replaceAll('\\', '/') : path;
  const root = /^(?:[A-Za-z]:\/|\/\/(?=[^/])|\/)/.exec(slashed)?.[0] ?? '';
  const names: string[] = [];
  for (const name of slashed.slice(root.length).split('/')) {
    if (name === '' || name === '.') continue;
    if (name === '..') names.pop();
    else names.push(name);
  }
  return root + names.join('/');
}

export function resolveFrom(folder: string, path: string): string {
  return normalizePath(isAbsolutePath(path) ? path : `${folder}${isWindowsPath(folder) ? '\\' : '/'}${path}`);
}

/** The paths that a word of a command may mean. */
export function wordPaths(folder: string, word: string): readonly string[] {
  const plain = [...(isAbsolutePath(word) ? [word] : []), resolveFrom(folder, word)];
  // PowerShell treats a backslash as a slash on every system.
  const slashed = word.includes('\\') ? [resolveFrom(folder, word.replaceAll('\\', '/'))] : [];
  // After a link, ".." goes up from the link's target.
  const upward = word.includes('..') && !isAbsolutePath(word) ? [`${folder}/${word}`] : [];
  return [...new Set([...plain, ...slashed, ...upward])];
}

/** The path relative to its innermost folder, with forward slashes; undefined outside all folders. */
export function pathInFolders(folders: RuleRequest['folders'], path: string): string | undefined {
  const paths = folders.flatMap((folder) => relativeTo(normalizePath(folder), normalizePath(path)) ?? []);
  return paths.toSorted((a, b) => a.length - b.length)[0];
}

/** Relative globs apply to each workspace folder, and to the session's folder below one. */
export function isAt({ folders, subfolders }: RuleRequest, matches: (folders: readonly string[]) => boolean): boolean {
  return matches(folders) || (subfolders !== undefined && matches(subfolders));
}

function relativeTo(folder: string, path: string): string | undefined {
  const names = namesOf(folder);
  const all = namesOf(path);
  const isSame = isWindowsPath(folder) ? isSameName : Object.is;
  return names.every((name, at) => isSame(name, all[at])) ? all.slice(names.length).join('/') : undefined;
}

/** Split into names for comparison: a name in lower case may be longer than the original (İ). */
function namesOf(path: string): readonly string[] {
  return path.replace(/\/$/, '').split('/');
}

function isSameName(one: string, other: string | undefined): boolean {
  return other !== undefined && foldCase(one) === foldCase(other);
}

function isWindowsPath(path: string): boolean {
  return /^(?:[A-Za-z]:|\\\\)/.test(path);
}

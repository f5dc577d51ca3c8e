import type { RuleRequest } from './request';

/** Where paths lie, as texts: nothing here looks at the disk. Works with paths of both kinds of systems. */

/** True for an absolute path of either kind. */
export function isAbsolutePath(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path);
}

/** The path without `.` and `..`, with forward slashes. */
export function plainPath(path: string): string {
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

/** `path` as it is meant in `folder`. */
export function pathFrom(folder: string, path: string): string {
  return plainPath(isAbsolutePath(path) ? path : `${folder}${isWindowsPath(folder) ? '\\' : '/'}${path}`);
}

/** The path relative to the innermost of the folders that it is in, with forward slashes; undefined when it is in none. */
export function placeIn(folders: RuleRequest['folders'], path: string): string | undefined {
  const places = folders.flatMap((folder) => relativeTo(plainPath(folder), plainPath(path)) ?? []);
  return places.toSorted((a, b) => a.length - b.length)[0];
}

function relativeTo(folder: string, path: string): string | undefined {
  const [a, b] = isWindowsPath(folder) ? [folder.toLowerCase(), path.toLowerCase()] : [folder, path];
  if (a === b) return '';
  const base = a.endsWith('/') ? a : `${a}/`;
  return b.startsWith(base) ? path.slice(base.length) : undefined;
}

function isWindowsPath(path: string): boolean {
  return /^(?:[A-Za-z]:|\\\\)/.test(path);
}

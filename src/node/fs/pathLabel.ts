import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { isInside } from './realPaths';

/**
 * A path for display, with forward slashes: relative to its workspace folder, with that folder's name where there are several; absolute
 * outside.
 */
export function displayPath(path: string, folders: readonly string[]): string {
  if (!isAbsolute(path)) return path;
  const folder = folders.find((one) => isInside(one, path));
  if (folder === undefined) return path;
  const rest = relative(folder, path);
  const label = folders.length === 1 ? rest : join(folderName(folder, folders), rest);
  return label.replaceAll(sep, '/') || '.';
}

/** With its parent's name where another folder has the same. */
function folderName(folder: string, folders: readonly string[]): string {
  const name = basename(folder);
  const isShared = folders.some((other) => other !== folder && basename(other) === name);
  return isShared ? join(basename(dirname(folder)), name) : name;
}

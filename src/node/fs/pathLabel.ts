import { isAbsolute, relative, sep } from 'node:path';

/** A path for display: relative to its workspace folder, with forward slashes; absolute outside. */
export function displayPath(path: string, folders: readonly string[]): string {
  if (!isAbsolute(path)) return path;
  for (const folder of folders) {
    const inside = relative(folder, path);
    if (inside === '') return '.';
    if (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) return inside.replaceAll(sep, '/');
  }
  return path;
}

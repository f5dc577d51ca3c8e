import { isAbsolute, relative, sep } from 'node:path';
import { isInside } from './realPaths';

/** A path for display: relative to its workspace folder, with forward slashes; absolute outside. */
export function displayPath(path: string, folders: readonly string[]): string {
  if (!isAbsolute(path)) return path;
  for (const folder of folders) {
    if (isInside(folder, path)) return relative(folder, path).replaceAll(sep, '/') || '.';
  }
  return path;
}

import type { Stats } from 'node:fs';
import { isInside } from './realPaths';

/** Whether the modes of files mean anything, by folder: see {@link setHasModes}. */
const modeFolders = new Map<string, boolean>();

/** For files below the folder, except in inner folders with an own setting. Files have modes by default, except on Windows. */
export function setHasModes(folder: string, hasModes: boolean): void {
  modeFolders.set(folder, hasModes);
}

export function hasModes(path: string): boolean {
  if (process.platform === 'win32') return false;
  let [found, length] = [true, 0];
  for (const [folder, has] of modeFolders) {
    if (folder.length > length && isInside(folder, path)) [found, length] = [has, folder.length];
  }
  return found;
}

/** Undefined for other than files, and where modes mean nothing. */
export function permissionsOf(path: string, info: Stats): number | undefined {
  return info.isFile() && hasModes(path) ? info.mode & ALL_PERMISSIONS : undefined;
}

/** With the sticky, setgid and setuid bits. */
export const ALL_PERMISSIONS = 0o7777;

/** As people write permission bits: `0644`. */
export function octal(permissions: number): string {
  return permissions.toString(8).padStart(4, '0');
}

import { lstat, rename, rm } from 'node:fs/promises';
import { isMissingPath } from '../../base/errors';
import { pathExists } from './realPaths';

/** Ends the name of a damaged file or folder. */
export const DAMAGED = '.damaged';

/** Copies of one file that are kept: a bad disk damages a file at each start, and the first copy has most. */
const MAX_DAMAGED = 5;

/** The names under which damaged copies of a file are kept: `a.damaged`, `a.2.damaged` and so on. */
export function damagedNames(path: string): readonly string[] {
  return Array.from({ length: MAX_DAMAGED }, (_, at) => `${path}${at === 0 ? '' : `.${at + 1}`}${DAMAGED}`);
}

/** The name of the file of which this is, or was, a copy. */
export function undamagedName(name: string): string {
  return name.replace(/(\.\d)?\.damaged$/, '');
}

/** The name for the next damaged copy. Beyond a limit it replaces the last one. */
export async function nextDamagedName(path: string): Promise<string> {
  const names = damagedNames(path);
  let next = names.at(-1) ?? path + DAMAGED;
  for (const name of names.toReversed()) if (!(await pathExists(name))) next = name;
  return next;
}

/** Renames a damaged file or folder of the storage, see {@link nextDamagedName}. A missing one is ignored. */
export async function moveAside(path: string): Promise<void> {
  const aside = await nextDamagedName(path);
  await rm(aside, { recursive: true, force: true });
  await rename(path, aside).catch((error: unknown) => {
    if (!isMissingPath(error)) throw error;
  });
}

/** False for a link. */
export async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() === true;
}

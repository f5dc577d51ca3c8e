import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, mkdir, open, readlink, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ParleyError } from '../../base/errors';
import { t } from '../../base/l10n';

/**
 * The one guard of everything that writes or deletes files of the user by name: no folder on the way may have become a link. On Linux
 * the folder is held open and files are named through it, so that nothing that happens meanwhile leads elsewhere. Other systems have no
 * such names for Node: there every part of the way is looked at right before.
 */

/** A folder by a name that leads to it whatever becomes of its path. */
interface HeldFolder {
  readonly path: string;
  close(): Promise<void>;
}

/** 0 on Windows, as is every option that it does not have. */
const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * Runs a job with a name for a file, good in its folder alone.
 * @param file absolute; where it really is, so without links in the folders above it
 * @param make missing folders are made, and removed again when the job fails
 * @throws ParleyError `conflict` when a folder on the way is a link, system errors
 */
export function inFolderOf<T>(file: string, job: (path: string) => Promise<T>, make?: 'make'): Promise<T> {
  return inFolder(dirname(file), (folder) => job(join(folder, basename(file))), make);
}

/** As {@link inFolderOf}, with a name for the folder itself. */
export async function inFolder<T>(folder: string, job: (path: string) => Promise<T>, make?: 'make'): Promise<T> {
  const made: string[] = [];
  try {
    const held = await (make ? holdOrMake(folder, made) : hold(folder));
    try {
      return await job(held.path);
    } finally {
      await held.close();
    }
  } catch (error) {
    // Only what was made here, and only while it is empty.
    for (const each of made.toReversed()) await inFolderOf(each, (path) => rmdir(path)).catch(() => undefined);
    throw error;
  }
}

/**
 * Throws when a folder above the file is a link, for what VS Code writes by itself right after.
 * @param file as for {@link inFolderOf}
 */
export async function requireNoLinkAbove(file: string): Promise<void> {
  if (await isBeyondLink(file)) throw replaced(dirname(file));
}

/**
 * True when a folder above the file is a link: what is there is another file.
 * @param file absolute
 */
export async function isBeyondLink(file: string): Promise<boolean> {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const info = await lstat(folder).catch(() => undefined);
    if (info?.isSymbolicLink()) return true;
  }
  return false;
}

/**
 * Of these files, those for which {@link isBeyondLink} holds.
 * @param realOf where a file is, of one that is named below a link itself
 */
export async function beyondLinks(
  files: readonly string[],
  realOf: (file: string) => string = (file) => file,
): Promise<ReadonlySet<string>> {
  const known = new Map<string, Promise<boolean>>();
  const found = new Set<string>();
  for (const file of files) {
    const real = realOf(file);
    const isBeyond = known.get(dirname(real)) ?? isBeyondLink(real);
    known.set(dirname(real), isBeyond);
    if (await isBeyond) found.add(file);
  }
  return found;
}

async function holdOrMake(folder: string, made: string[]): Promise<HeldFolder> {
  try {
    return await hold(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error;
  }
  // Not by Node's own recursive `mkdir`: it never returns where the system answers ENOENT to every name, as `/proc` does.
  const parent = await holdOrMake(dirname(folder), made);
  try {
    await mkdir(join(parent.path, basename(folder)));
    made.push(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await parent.close();
  }
  return hold(folder);
}

async function hold(folder: string): Promise<HeldFolder> {
  if (process.platform !== 'linux') return looked(folder);
  const handle = await open(folder, FOLDER).catch(async (error: unknown) => {
    throw (await wasReplaced(folder, error)) ? replaced(folder) : error;
  });
  try {
    return { path: await nameOf(handle, folder), close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A folder could not be opened because it is a link, or was one at that moment and is a folder again. */
async function wasReplaced(folder: string, error: unknown): Promise<boolean> {
  if (await isBeyondLink(join(folder, basename(folder)))) return true;
  const { code } = error as NodeJS.ErrnoException;
  return (
    (code === 'ENOTDIR' || code === 'ELOOP') && (await lstat(folder).catch(() => undefined))?.isDirectory() === true
  );
}

/** Where the kernel says that the open folder is, is where it has to be. */
async function nameOf(handle: FileHandle, folder: string): Promise<string> {
  const name = `/proc/self/fd/${handle.fd}`;
  const real = await readlink(name).catch(() => undefined);
  if (real === folder) return name;
  // Without /proc.
  if (real === undefined) return (await looked(folder)).path;
  throw replaced(folder);
}

async function looked(folder: string): Promise<HeldFolder> {
  const info = await lstat(folder);
  if (info.isSymbolicLink() || (await isBeyondLink(folder))) throw replaced(folder);
  if (!info.isDirectory()) throw Object.assign(new Error(`not a directory: ${folder}`), { code: 'ENOTDIR' });
  return { path: folder, close: async () => undefined };
}

function replaced(folder: string): ParleyError {
  return new ParleyError('conflict', t('A folder on the way, {0}, leads elsewhere now. Nothing was written.', folder));
}

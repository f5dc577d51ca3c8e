import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, mkdir, open, readlink, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ParleyError, systemErrorCode } from '../../base/errors';
import { t } from '../../base/l10n';

/**
 * Protects everything that writes or deletes user files by name: no parent folder may have become a link. On Linux the
 * folder is kept open and files are addressed through its descriptor, so that concurrent changes cannot redirect the
 * access. Node has no such names on other systems: there every path segment is checked immediately before.
 */

/** A folder with a name that stays valid when its path changes. */
interface PinnedFolder {
  readonly path: string;
  close(): Promise<void>;
}

/** 0 on Windows, as are all flags that Windows lacks. */
const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * Runs a job with a name for the file that is valid in its real folder only.
 * @param file absolute, without links in its parent folders
 * @param make creates missing folders, and removes them again when the job fails
 * @throws ParleyError `conflict` when a parent folder is a link
 * @throws system errors
 */
export function inFolderOf<T>(file: string, job: (path: string) => Promise<T>, make?: 'make'): Promise<T> {
  return inFolder(dirname(file), (folder) => job(join(folder, basename(file))), make);
}

/** As {@link inFolderOf}, with a name for the folder itself. */
export async function inFolder<T>(folder: string, job: (path: string) => Promise<T>, make?: 'make'): Promise<T> {
  const made: string[] = [];
  try {
    const pinned = await (make ? pinOrMake(folder, made) : pin(folder));
    try {
      return await job(pinned.path);
    } finally {
      await pinned.close();
    }
  } catch (error) {
    // Removes only folders created here, and only while they are empty.
    for (const each of made.toReversed()) await inFolderOf(each, (path) => rmdir(path)).catch(() => undefined);
    throw error;
  }
}

/**
 * Throws when a parent folder is a link; for files that VS Code itself writes immediately after.
 * @param file as for {@link inFolderOf}
 */
export async function requireNoLinkAbove(file: string): Promise<void> {
  if (await isBeyondLink(file)) throw folderReplacedError(dirname(file));
}

/**
 * True when a parent folder is a link, so that the path means another file.
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
 * Of these files, those for which {@link isBeyondLink} is true.
 * @param realOf real path of a file whose own path contains a link
 */
export async function beyondLinks(
  files: readonly string[],
  realOf: (file: string) => string = (file) => file,
): Promise<ReadonlySet<string>> {
  const folders = new Map<string, Promise<boolean>>();
  const found = new Set<string>();
  for (const file of files) {
    const real = realOf(file);
    const isBeyond = folders.get(dirname(real)) ?? isBeyondLink(real);
    folders.set(dirname(real), isBeyond);
    if (await isBeyond) found.add(file);
  }
  return found;
}

async function pinOrMake(folder: string, made: string[]): Promise<PinnedFolder> {
  try {
    return await pin(folder);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
  }
  // Node's recursive `mkdir` never returns where the system answers ENOENT to every name, as in `/proc`.
  const parent = await pinOrMake(dirname(folder), made);
  try {
    await mkdir(join(parent.path, basename(folder)));
    made.push(folder);
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  } finally {
    await parent.close();
  }
  return pin(folder);
}

async function pin(folder: string): Promise<PinnedFolder> {
  if (process.platform !== 'linux') return checkByPath(folder);
  const handle = await open(folder, FOLDER).catch(async (error: unknown) => {
    throw (await wasReplaced(folder, error)) ? folderReplacedError(folder) : error;
  });
  try {
    return { path: await descriptorName(handle, folder), close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A folder could not be opened because it is a link, or was one at that moment. */
async function wasReplaced(folder: string, error: unknown): Promise<boolean> {
  if (await isBeyondLink(join(folder, basename(folder)))) return true;
  const code = systemErrorCode(error);
  return (
    (code === 'ENOTDIR' || code === 'ELOOP') && (await lstat(folder).catch(() => undefined))?.isDirectory() === true
  );
}

/** A name through the descriptor, if the kernel reports the expected path for the open folder. */
async function descriptorName(handle: FileHandle, folder: string): Promise<string> {
  const name = `/proc/self/fd/${handle.fd}`;
  const real = await readlink(name).catch(() => undefined);
  if (real === folder) return name;
  // The system has no /proc.
  if (real === undefined) return (await checkByPath(folder)).path;
  throw folderReplacedError(folder);
}

async function checkByPath(folder: string): Promise<PinnedFolder> {
  const info = await lstat(folder);
  if (info.isSymbolicLink() || (await isBeyondLink(folder))) throw folderReplacedError(folder);
  if (!info.isDirectory()) throw Object.assign(new Error(`not a directory: ${folder}`), { code: 'ENOTDIR' });
  return { path: folder, close: async () => undefined };
}

function folderReplacedError(folder: string): ParleyError {
  return new ParleyError(
    'conflict',
    t('The folder {0} in the path now points to another location. Nothing was written.', folder),
  );
}

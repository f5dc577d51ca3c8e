import type { FileHandle } from 'node:fs/promises';
import { chmod, lstat, readdir, readlink, rename, rmdir, symlink, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ParleyError, errorMessage, isMissingPath, systemErrorCode } from '../../base/errors';
import { t } from '../../base/l10n';
import type { FileVersion } from '../../node/fs/fileVersion';
import { FileChangedError, requireVersion } from '../../node/fs/fileVersion';
import { overwrite, readPlainFile, writeNew } from '../../node/fs/overwriteFile';
import { ALL_PERMISSIONS, hasModes, octal, permissionsOf } from '../../node/fs/permissions';
import { inFolder, inFolderOf, isBeyondLink } from '../../node/fs/pinnedFolder';
import { withTemporaryFile } from '../../node/fs/temporaryFiles';

/** Files as {@link FileContent}: exact bytes, links as links. Paths are absolute real paths; nothing beyond a link is accessed. */

/** Mode as in git (a link's bytes are its target). */
export interface FileContent {
  readonly mode: '100644' | '100755' | '120000';
  /** All permission bits of a file; undefined where only `mode` is known. */
  readonly permissions?: number;
  readonly bytes: string;
}

/** The content with the mode of another version of the file. */
export function withModeOf(content: FileContent, { mode, permissions }: FileContent): FileContent {
  return { mode, ...(permissions !== undefined && { permissions }), bytes: content.bytes };
}

export function isSameContent(a: FileContent | undefined, b: FileContent | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && isSameMode(a, b) && a.bytes === b.bytes);
}

/** Permissions that are not known are no difference. */
export function isSameMode(a: FileContent, b: FileContent): boolean {
  const areKnown = a.permissions !== undefined && b.permissions !== undefined;
  return a.mode === b.mode && (!areKnown || a.permissions === b.permissions);
}

/** Maximum bytes of a file that is compared line by line. */
const MAX_TEXT = 4 * 1024 * 1024;
const BINARY_PROBE_CHARS = 8_000;

/** Whether the file is compared line by line. */
export function isText({ mode, bytes }: FileContent): boolean {
  return mode !== '120000' && bytes.length <= MAX_TEXT && !bytes.slice(0, BINARY_PROBE_CHARS).includes('\0');
}

/** Bytes; larger files are not reviewed. */
const MAX_READ = 10 * 1024 * 1024;

/** Undefined without a file, or for a pipe, socket or device in its place; `unknown` for a file that is too large or unreadable. */
export async function readContent(path: string): Promise<FileContent | 'unknown' | undefined> {
  try {
    const info = await lstat(path);
    if (info.isDirectory() || (await isBeyondLink(path))) return undefined;
    if (info.isSymbolicLink()) return { mode: '120000', bytes: toByteString(Buffer.from(await readlink(path))) };
    if (!info.isFile()) return undefined;
    const bytes = await readPlainFile(path, MAX_READ);
    return bytes ? regularFile(toByteString(bytes), permissionsOf(path, info)) : 'unknown';
  } catch (error) {
    return isMissingPath(error) ? undefined : 'unknown';
  }
}

function regularFile(bytes: string, permissions: number | undefined): FileContent {
  if (permissions === undefined) return { mode: '100644', bytes };
  return { mode: (permissions & 0o100) === 0 ? '100644' : '100755', permissions, bytes };
}

/** The reason for `unknown`, in a sentence. */
export async function unknownBecause(path: string): Promise<string> {
  const info = await lstat(path).catch(() => undefined);
  if (info && info.size > MAX_READ)
    return t('Not changed: the file is now larger than {0} MiB.', MAX_READ / 1024 / 1024);
  return t('Not changed: the file cannot be read.');
}

/**
 * Writes or deletes a file; unchanged on failure. Never follows links, and never writes to another folder than the path's, even if a folder
 * is replaced meanwhile.
 * @param seen version of the content that may be overwritten
 * @throws ParleyError with a sentence for the user
 */
export async function writeContent(
  path: string,
  content: FileContent | undefined,
  seen?: FileVersion | 'none',
): Promise<void> {
  try {
    if (content) await removeSpecialAbove(path);
    if (content) await inFolderOf(path, (at) => writeFileAt(path, at, content, seen), 'make');
    else await inFolderOf(path, (at) => remove(at, seen));
  } catch (error) {
    // A file in place of a folder also means that nothing is there.
    if (content || !isMissingPath(error)) throw sentenceOf(error);
  }
}

/** Removes a pipe, socket or device that has taken the place of a folder: git does not show it, and it has no content. */
async function removeSpecialAbove(path: string): Promise<void> {
  const folder = dirname(path);
  const info = await lstat(folder).catch(() => undefined);
  if (!info && folder !== path) return removeSpecialAbove(folder);
  const isKnown = !info || info.isDirectory() || info.isFile() || info.isSymbolicLink();
  if (!isKnown) await inFolderOf(folder, (at) => unlink(at));
}

async function remove(at: string, seen: FileVersion | 'none' | undefined): Promise<void> {
  const info = await lstat(at);
  if (info.isDirectory()) return;
  await requireVersion(at, seen);
  await unlink(at);
}

/** @param at the path for writing */
async function writeFileAt(
  path: string,
  at: string,
  content: FileContent,
  seen: FileVersion | 'none' | undefined,
): Promise<void> {
  const info = await lstat(at).catch(() => undefined);
  if (info?.isFile() && content.mode !== '120000') {
    if (seen === 'none') throw new FileChangedError();
    await unlocked(at, info.mode & ALL_PERMISSIONS, content.permissions !== undefined && hasModes(path), () =>
      overwrite(at, bytesOf(content), seen),
    );
  } else await replace(path, at, content, { isFolder: info?.isDirectory() === true, seen });
  await setMode(path, at, content);
}

/**
 * Writes a file that was read-only, or became it. Without the permission, writing says so.
 * @param mode of the file, which it keeps on failure
 * @param isKnown whether the caller knows the permissions that it should have, and gives it those
 */
async function unlocked(at: string, mode: number, isKnown: boolean, write: () => Promise<void>): Promise<void> {
  if (!isKnown || (mode & 0o200) !== 0) return write();
  await chmod(at, mode | 0o200).catch(() => undefined);
  try {
    await write();
  } catch (error) {
    await chmod(at, mode).catch(() => undefined);
    throw error;
  }
}

/** A link or special file is replaced as a whole. */
function replace(
  path: string,
  at: string,
  content: FileContent,
  { isFolder, seen }: { readonly isFolder: boolean; readonly seen: FileVersion | 'none' | undefined },
): Promise<void> {
  return withTemporaryFile(at, async (temporary) => {
    if (content.mode === '120000') await symlink(bytesOf(content).toString(), temporary);
    else await writeNew(temporary, bytesOf(content), permissionsOfNew(content));
    if (isFolder) await removeEmpty(path);
    await requireVersion(at, seen);
    await rename(temporary, at);
  });
}

/** Given before anybody else can open the file. */
function permissionsOfNew({ permissions }: FileContent): ((file: FileHandle) => Promise<void>) | undefined {
  if (permissions === undefined || process.platform === 'win32') return undefined;
  // A failure shows in `setMode`, where modes mean something.
  return (file) => file.chmod(permissions).catch(() => undefined);
}

/** Removes a folder that contains only folders. */
async function removeEmpty(folder: string): Promise<void> {
  const entries = await inFolder(folder, (at) => readdir(at, { withFileTypes: true }));
  for (const entry of entries) if (entry.isDirectory()) await removeEmpty(join(folder, entry.name));
  await inFolderOf(folder, (at) => rmdir(at));
}

async function setMode(path: string, at: string, content: FileContent): Promise<void> {
  if (content.mode === '120000' || !hasModes(path)) return;
  // Mode of the written file: a link or folder that was there before had its own mode.
  const now = (await lstat(at)).mode & ALL_PERMISSIONS;
  const wanted = permissionsFor(content, now);
  if (wanted === now) return;
  await chmod(at, wanted).catch((error: unknown) => {
    throw new ParleyError('internal', t('The mode of the file cannot be changed to {0}.', octal(wanted)), {
      cause: error,
    });
  });
}

/** Where only git's mode is known, the other bits stay. */
function permissionsFor({ mode, permissions }: FileContent, now: number): number {
  if (permissions !== undefined) return permissions;
  if (((now & 0o100) !== 0) === (mode === '100755')) return now;
  return mode === '100755' ? now | ((now & 0o444) >> 2) : now & ~0o111;
}

/** Replaces the temporary name in a system error. */
function sentenceOf(error: unknown): ParleyError {
  if (ParleyError.is(error)) return error;
  return new ParleyError('internal', SENTENCES[systemErrorCode(error) ?? ''] ?? errorMessage(error), { cause: error });
}

const FULL = t('Not changed: the disk is full.');
const FORBIDDEN = t('Not changed: you do not have permission to change the file.');
const OCCUPIED = t('A folder with files exists at this path.');

const SENTENCES: Readonly<Record<string, string>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EROFS: t('Not changed: the file system is read-only.'),
  ENOTDIR: t('A file exists where the parent folder must be.'),
  ENOTEMPTY: OCCUPIED,
  EEXIST: OCCUPIED,
};

export function bytesOf(content: FileContent): Buffer {
  return Buffer.from(content.bytes, 'latin1');
}

export function toByteString(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/**
 * The content of a file that is stored.
 * @param mode as git writes it
 * @param permissions where they are known
 */
export function fileContentOf(mode: string, bytes: Uint8Array, permissions?: number): FileContent {
  if (mode === '120000') return { mode, bytes: toByteString(bytes) };
  const known = permissions === undefined ? {} : { permissions };
  return { mode: mode === '100755' ? mode : '100644', ...known, bytes: toByteString(bytes) };
}

/**
 * The content of a file in a git tree, as {@link readContent} would read it. Where modes mean nothing, its permissions are for a deleted file
 * that comes back.
 */
export function contentInTree(path: string, mode: string, bytes: Uint8Array, permissions?: number): FileContent {
  return fileContentOf(mode === '120000' || hasModes(path) ? mode : '100644', bytes, permissions);
}

/**
 * Orders files for writing. A file may replace a folder or the reverse, so deletions come first, innermost first.
 * @param files ordered by path
 * @param target the content to restore
 */
export function deletionsFirst<T>(files: readonly T[], target: (file: T) => FileContent | undefined): T[] {
  return [...files.filter((file) => !target(file)).toReversed(), ...files.filter((file) => target(file))];
}

import { chmod, lstat, readdir, readlink, rename, rmdir, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ParleyError, errorMessage, isMissingPath, systemErrorCode } from '../../base/errors';
import { t } from '../../base/l10n';
import { inFolder, inFolderOf, isBeyondLink } from '../../node/fs/pinnedFolder';
import { overwrite, readPlainFile, writeNew } from '../../node/fs/overwriteFile';
import { withTemporaryFile } from '../../node/fs/temporaryFiles';

/** Files as {@link FileContent}: exact bytes, links as links. Paths are absolute real paths; nothing beyond a link is accessed. */

/** Mode as in git (a link's bytes are its target). */
export interface FileContent {
  readonly mode: '100644' | '100755' | '120000';
  readonly bytes: string;
}

/** Bytes; larger files are not reviewed. */
const MAX_READ = 10 * 1024 * 1024;

/** Undefined without a file; `unknown` for a special file, or one that is too large or unreadable. */
export async function readContent(path: string): Promise<FileContent | 'unknown' | undefined> {
  try {
    const info = await lstat(path);
    if (info.isDirectory() || (await isBeyondLink(path))) return undefined;
    if (info.isSymbolicLink()) return { mode: '120000', bytes: toByteString(Buffer.from(await readlink(path))) };
    const bytes = info.isFile() ? await readPlainFile(path, MAX_READ) : undefined;
    return bytes ? { mode: (info.mode & 0o100) === 0 ? '100644' : '100755', bytes: toByteString(bytes) } : 'unknown';
  } catch (error) {
    return isMissingPath(error) ? undefined : 'unknown';
  }
}

/** The reason for `unknown`, in a sentence. */
export async function unknownBecause(path: string): Promise<string> {
  const info = await lstat(path).catch(() => undefined);
  if (info && !info.isFile()) return t('Not changed: the path is no longer a regular file.');
  if (info && info.size > MAX_READ)
    return t('Not changed: the file is now larger than {0} MiB.', MAX_READ / 1024 / 1024);
  return t('Not changed: the file cannot be read.');
}

/**
 * Writes or deletes a file; unchanged on failure. Never follows links, and never writes to another folder than the path's, even if a folder
 * is replaced meanwhile.
 * @throws ParleyError with a sentence for the user
 */
export async function writeContent(path: string, content: FileContent | undefined): Promise<void> {
  try {
    if (content) await inFolderOf(path, (at) => writeFileAt(path, at, content), 'make');
    else await inFolderOf(path, remove);
  } catch (error) {
    // A file in place of a folder also means that nothing is there.
    if (content || !isMissingPath(error)) throw sentenceOf(error);
  }
}

async function remove(at: string): Promise<void> {
  const info = await lstat(at);
  if (!info.isDirectory()) await unlink(at);
}

/** @param at the path for writing */
async function writeFileAt(path: string, at: string, content: FileContent): Promise<void> {
  const info = await lstat(at).catch(() => undefined);
  if (info?.isFile() && content.mode !== '120000') await overwrite(at, bytesOf(content));
  else await replace(path, at, content, info?.isDirectory() === true);
  await setMode(at, content);
}

/** A link or special file is replaced as a whole. */
function replace(path: string, at: string, content: FileContent, isFolder: boolean): Promise<void> {
  return withTemporaryFile(at, async (temporary) => {
    if (content.mode === '120000') await symlink(bytesOf(content).toString(), temporary);
    else await writeNew(temporary, bytesOf(content));
    if (isFolder) await removeEmpty(path);
    await rename(temporary, at);
  });
}

/** Removes a folder that contains only folders. */
async function removeEmpty(folder: string): Promise<void> {
  const entries = await inFolder(folder, (at) => readdir(at, { withFileTypes: true }));
  for (const entry of entries) if (entry.isDirectory()) await removeEmpty(join(folder, entry.name));
  await inFolderOf(folder, (at) => rmdir(at));
}

async function setMode(at: string, { mode }: FileContent): Promise<void> {
  if (process.platform === 'win32' || mode === '120000') return;
  // Mode of the written file: a link or folder that was there before had its own mode.
  const now = (await lstat(at)).mode;
  if (((now & 0o100) !== 0) === (mode === '100755')) return;
  await chmod(at, mode === '100755' ? now | ((now & 0o444) >> 2) : now & ~0o111);
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

/** @param mode as git writes it */
export function fileContentOf(mode: string, bytes: Uint8Array): FileContent {
  const fileMode = mode === '100755' || mode === '120000' ? mode : '100644';
  return { mode: fileMode, bytes: toByteString(bytes) };
}

/**
 * Orders files for writing. A file may replace a folder or the reverse, so deletions come first, innermost first.
 * @param files ordered by path
 * @param target the content to restore
 */
export function deletionsFirst<T>(files: readonly T[], target: (file: T) => FileContent | undefined): T[] {
  return [...files.filter((file) => !target(file)).toReversed(), ...files.filter((file) => target(file))];
}

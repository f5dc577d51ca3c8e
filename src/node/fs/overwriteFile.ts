import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { link, open, rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import type { FileVersion } from './fileVersion';
import { FileChangedError, isSameVersion, requireVersion } from './fileVersion';
import { IN_PLACE, readWhole, rewrite, writeAt } from './inPlaceWrite';
import { inFolderOf } from './pinnedFolder';
import { PRIVATE_FILE_MODE } from './privateFiles';
import { readRegularFile } from './regularFile';
import { recordInPlaceWrite, withTemporaryFile } from './temporaryFiles';

/**
 * Overwrites a file: after a crash, the next start finds or restores the old content, or finds the new one.
 * @param path of an existing file that is not a link; absolute, or as given by `inFolderOf`
 * @param seen version of the content that may be overwritten
 * @throws system errors, and FileChangedError when another program has written meanwhile; the file keeps its content then
 */
export async function overwrite(path: string, bytes: Uint8Array, seen?: FileVersion): Promise<void> {
  const file = await open(path, IN_PLACE);
  try {
    await overwriteOpen(path, file, bytes, seen);
  } finally {
    await file.close();
  }
}

/** As {@link overwrite}, for a file opened for reading and writing. */
export async function overwriteOpen(
  path: string,
  file: FileHandle,
  bytes: Uint8Array,
  seen?: FileVersion,
): Promise<void> {
  const before = await file.stat({ bigint: true });
  if (seen && !isSameVersion(before, seen)) throw new FileChangedError();
  if (await replaceWhole(path, before, bytes)) return;
  await overwriteInPlace(path, file, bytes, () => requireVersion(path, before));
}

/**
 * Writes a new file beside the open one and renames it.
 * @returns false where that would lose hard links or the owner, where it is not allowed, and on a full disk: nothing is changed then
 */
async function replaceWhole(path: string, before: BigIntStats, bytes: Uint8Array): Promise<boolean> {
  if (before.nlink !== 1n) return false;
  try {
    return await withTemporaryFile(path, async (temporary) => {
      await writeNew(temporary, bytes, (fresh) => copyOwnerAndMode(fresh, before));
      await requireVersion(path, before);
      await rename(temporary, path);
      return true;
    });
  } catch (error) {
    if (error instanceof FileChangedError) throw error;
    return false;
  }
}

/**
 * Creates a file whose folder exists.
 * @param finish called before it is closed; without it the file has the usual mode, with it no other user can read the file before
 */
export async function writeNew(
  path: string,
  bytes: Uint8Array,
  finish?: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await open(path, 'wx', finish && PRIVATE_FILE_MODE);
  try {
    await writeAt(file, bytes, 0);
    await finish?.(file);
  } finally {
    await file.close();
  }
}

async function copyOwnerAndMode(fresh: FileHandle, { uid, gid, mode }: BigIntStats): Promise<void> {
  if (process.platform === 'win32') return;
  const made = await fresh.stat({ bigint: true });
  if (made.uid !== uid || made.gid !== gid) await fresh.chown(Number(uid), Number(gid));
  await fresh.chmod(Number(mode) & 0o7777);
}

/**
 * Restores the content on failure.
 * @param verify called directly before the first byte
 */
async function overwriteInPlace(
  path: string,
  file: FileHandle,
  bytes: Uint8Array,
  verify: () => Promise<void>,
): Promise<void> {
  const before = await readWhole(file);
  const removeRecord = await recordInPlaceWrite(path, before, bytes);
  let isWhole = true;
  try {
    await verify();
    isWhole = false;
    await rewrite(file, before.length, bytes);
    isWhole = true;
  } catch (error) {
    isWhole ||= await restoreBytes(file, before).then(
      () => true,
      () => false,
    );
    throw error;
  } finally {
    // Otherwise the next start restores the content.
    if (isWhole) await removeRecord();
  }
}

/**
 * Creates a file and missing folders: after a crash the file is whole or missing. On failure nothing is left of them.
 * @param real as for `inFolderOf`
 * @throws system errors, `EEXIST` when something is at the path
 */
export function createNew(real: string, bytes: Uint8Array): Promise<void> {
  return inFolderOf(
    real,
    async (at) => {
      if (await createWhole(at, bytes)) return;
      const file = await open(at, 'wx').catch((error: Error) => {
        error.message = error.message.replace(at, real);
        throw error;
      });
      try {
        await file.writeFile(bytes);
      } catch (error) {
        await rm(at, { force: true }).catch(() => undefined);
        throw error;
      } finally {
        await file.close();
      }
    },
    'make',
  );
}

/**
 * Writes a new file beside the path and gives it its name. A rename could replace a file.
 * @param verify called with the open, empty file and its name
 * @returns false if `verify` or anything else fails: on a full disk, with something at the path, without hard links in the file system
 */
export function createWhole(
  at: string,
  bytes: Uint8Array,
  verify?: (file: FileHandle, name: string) => Promise<void>,
): Promise<boolean> {
  return withTemporaryFile(at, async (temporary) => {
    const file = await open(temporary, 'wx');
    try {
      await verify?.(file, basename(temporary));
      await writeAt(file, bytes, 0);
    } finally {
      await file.close();
    }
    await link(temporary, at);
    return true;
  }).catch(() => false);
}

/**
 * Restores a file whose write by VS Code was cut off: it truncates a file before it notices a full disk. Any other content stays.
 * @param real as for `inFolderOf`
 * @param requested the bytes of which a part may have been written
 */
export async function restorePartialWrite(real: string, requested: Uint8Array, previous: Uint8Array): Promise<void> {
  await inFolderOf(real, async (at) => {
    const now = await readPlainFile(at, Math.max(previous.length, requested.length));
    if (!now || now.equals(previous) || now.length >= requested.length) return;
    if (now.equals(requested.subarray(0, now.length))) await overwrite(at, previous);
  }).catch(() => undefined);
}

/**
 * Restores a file of which VS Code has saved another form, made by formatters. Any other content stays.
 * @param real as for `inFolderOf`
 */
export async function restoreSaved(real: string, saved: Uint8Array, previous: Uint8Array): Promise<void> {
  await inFolderOf(real, async (at) => {
    const now = await readPlainFile(at, saved.length);
    if (now?.equals(saved) && !now.equals(previous)) await overwrite(at, previous);
  });
}

/** As {@link restoreSaved}, for a file that was not there before. */
export async function removeSaved(real: string, saved: Uint8Array): Promise<void> {
  await inFolderOf(real, async (at) => {
    if ((await readPlainFile(at, saved.length))?.equals(saved)) await rm(at);
  });
}

/**
 * The bytes of a regular file; undefined for other types, and for unreadable or larger files.
 * @param most maximum size in bytes
 */
export async function readPlainFile(path: string, most: number): Promise<Buffer | undefined> {
  const bytes = await readRegularFile(path, most).catch(() => undefined);
  return typeof bytes === 'string' ? undefined : bytes;
}

async function restoreBytes(file: FileHandle, before: Uint8Array): Promise<void> {
  await file.truncate(before.length);
  await writeAt(file, before, 0);
}

// Protected by test/unit/client/fs/bytesSurvive.test.ts: an edit changes no other byte.
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { access, lstat, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorMessage, ParleyError, systemErrorCode } from '../../base/errors';
import { rpcCodes, RpcError } from '../../base/jsonRpc';
import type { FileVersion } from '../../node/fs/fileVersion';
import { FileChangedError } from '../../node/fs/fileVersion';
import { createWhole, overwriteOpen } from '../../node/fs/overwriteFile';
import { inFolderOf } from '../../node/fs/pinnedFolder';
import type { ResolvedPath } from './resolvePath';
import { pathChangedError, resolvePathAgain } from './resolvePath';

/** Bytes of the largest file that is read whole. Larger ones are read line by line when `line` or `limit` is given. */
export const MAX_WHOLE_READ = 20 * 1024 * 1024;

/** The last component must not be a link (it was resolved), and opening a pipe must not hang. Both are 0 on Windows. */
const SAFE_READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** No truncation before the opened file is verified. */
const SAFE_WRITE = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const SAFE_CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

export interface DiskBytes {
  readonly bytes: Buffer;
  readonly version: FileVersion;
}

/** The bytes of a file, or its size above {@link MAX_WHOLE_READ}; undefined without a file. */
type DiskContent =
  | ({ readonly type: 'bytes' } & DiskBytes)
  | { readonly type: 'large'; readonly size: number }
  | undefined;

/** @throws RpcError for folders, devices and unreadable files */
export async function readDisk(folders: readonly string[], path: ResolvedPath): Promise<DiskContent> {
  const file = await openChecked(folders, path);
  if (!file) return undefined;
  try {
    const version = await file.stat({ bigint: true });
    if (version.size > MAX_WHOLE_READ) return { type: 'large', size: Number(version.size) };
    return { type: 'bytes', bytes: await file.readFile(), version };
  } finally {
    await file.close();
  }
}

/**
 * Lines `line` to `line + limit - 1` (1-based) of a large file, streamed as UTF-8, with `\n` as line end.
 * @throws RpcError when they exceed {@link MAX_WHOLE_READ} or are not text
 */
export async function readLines(
  folders: readonly string[],
  path: ResolvedPath,
  line: number,
  limit: number,
): Promise<string> {
  const file = await openChecked(folders, path);
  if (!file) throw notFoundError(path.requested);
  try {
    let picked = '';
    let at = 1;
    // Not by `readline`, which keeps a whole line in memory, however long.
    for await (const chunk of file.createReadStream({ encoding: 'utf8' }) as AsyncIterable<string>) {
      if (chunk.includes('\0')) throw binaryFileError(path.requested);
      for (const part of chunk.split(/(?<=\n)/)) {
        if (at >= line + limit) return lineEnds(picked);
        if (at >= line) picked += part;
        if (picked.length > MAX_WHOLE_READ) throw tooLargeError(path.requested, 'These lines are');
        if (part.endsWith('\n')) at++;
      }
    }
    return lineEnds(picked === '' || picked.endsWith('\n') ? picked : `${picked}\n`);
  } finally {
    await file.close().catch(() => undefined);
  }
}

function lineEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

async function openChecked(folders: readonly string[], path: ResolvedPath): Promise<FileHandle | undefined> {
  const file = await open(path.real, SAFE_READ).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw diskError(error, path.requested, 'read');
  });
  if (!file) return undefined;
  try {
    const stat = await file.stat();
    if (stat.isDirectory()) throw new RpcError(rpcCodes.invalidParams, `${path.requested} is a folder, not a file`);
    if (!stat.isFile()) throw new RpcError(rpcCodes.invalidParams, `${path.requested} is not a regular file`);
    await verifyOpenedFile(folders, path, file);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Creates a file and its folders; removes them on failure. After a crash the file is whole or missing, where the file system has hard links.
 * @throws RpcError when something else created it meanwhile
 */
export async function createFile(folders: readonly string[], path: ResolvedPath, bytes: Uint8Array): Promise<void> {
  try {
    await inFolderOf(path.real, (at) => createAt(folders, path, at, bytes), 'make');
  } catch (error) {
    throw writeError(error, path);
  }
}

/** @param at the path for creating the file, only valid in its folder */
async function createAt(folders: readonly string[], path: ResolvedPath, at: string, bytes: Uint8Array): Promise<void> {
  await resolvePathAgain(folders, path);
  const verify = (file: FileHandle, name: string): Promise<void> => {
    return verifyOpenedFile(folders, path, file, join(dirname(path.real), name));
  };
  if (await createWhole(at, bytes, verify)) return;
  const file = await open(at, SAFE_CREATE);
  // The plain name may denote another file meanwhile.
  let isOurs = at !== path.real;
  try {
    try {
      await verifyOpenedFile(folders, path, file);
      isOurs = true;
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
    if (!(await readFile(at)).equals(bytes)) throw new Error('what is on disk is not what was written');
  } catch (error) {
    if (isOurs) await rm(at, { force: true }).catch(() => undefined);
    throw error;
  }
}

/**
 * Replaces an existing file's content; restores the old content on failure.
 * @param seen version of the content that may be replaced
 * @throws RpcError when another program has changed the file meanwhile
 */
export async function replaceContent(
  folders: readonly string[],
  path: ResolvedPath,
  bytes: Uint8Array,
  seen: FileVersion,
): Promise<void> {
  try {
    await inFolderOf(path.real, async (at) => {
      const file = await open(at, SAFE_WRITE);
      try {
        await verifyOpenedFile(folders, path, file);
        await overwriteOpen(at, file, bytes, seen);
      } finally {
        await file.close();
      }
    });
  } catch (error) {
    throw writeError(error, path);
  }
}

function writeError(error: unknown, path: ResolvedPath): RpcError {
  if (error instanceof FileChangedError) return fileChangedError(path);
  return ParleyError.is(error, 'conflict') ? pathChangedError(path) : diskError(error, path.requested, 'written');
}

function fileChangedError({ requested }: ResolvedPath): RpcError {
  const message = `${requested} was changed by another program meanwhile. Nothing was written. Read it again.`;
  return new RpcError(rpcCodes.internalError, message, { path: requested, reason: 'conflict' });
}

/**
 * Checks permissions before anything is changed.
 * @throws RpcError
 */
export async function requireWritable(path: ResolvedPath): Promise<void> {
  await access(path.real, constants.W_OK).catch((error: unknown) => {
    if (systemErrorCode(error) !== 'ENOENT') throw diskError(error, path.requested, 'written');
  });
}

/** -32002 lets the agent distinguish a missing file from an empty one. */
export function notFoundError(path: string): RpcError {
  return new RpcError(rpcCodes.resourceNotFound, `${path} does not exist`, { path, uri: path });
}

export function binaryFileError(path: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, `${path} is a binary file; only text files can be read and written`, {
    path,
  });
}

export function tooLargeError(path: string, what: string): RpcError {
  const limit = `${MAX_WHOLE_READ / 1024 / 1024} MiB`;
  const message = `${what} too large: more than ${limit} of ${path}. Ask for fewer lines with "line" and "limit".`;
  return new RpcError(rpcCodes.invalidParams, message, { path, limit: MAX_WHOLE_READ });
}

const sentences: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'something else created it at the same time',
  ENOTDIR: 'a part of the path is a file, not a folder',
};

/** A system error as a sentence that names the path. */
function diskError(error: unknown, path: string, verb: 'read' | 'written'): RpcError {
  if (error instanceof RpcError) return error;
  const reason = sentences[systemErrorCode(error) ?? ''] ?? errorMessage(error);
  return new RpcError(rpcCodes.internalError, `${path} cannot be ${verb}: ${reason}`, { path });
}

/**
 * Checks that an open file is the one at `path` in a workspace folder. Detects a folder replaced between check and open before a byte is
 * read or written, also if it was put back at once (CVE-2026-88968).
 */
async function verifyOpenedFile(
  folders: readonly string[],
  path: ResolvedPath,
  file: FileHandle,
  name = path.real,
): Promise<void> {
  await requireSame(path, name, file);
  await resolvePathAgain(folders, path);
  await requireSame(path, name, file);
}

/** Compares device and inode as BigInt: numbers of NTFS and ReFS exceed a double. */
async function requireSame(path: ResolvedPath, name: string, file: FileHandle): Promise<void> {
  const opened = await file.stat({ bigint: true });
  const named = await lstat(name, { bigint: true }).catch(() => undefined);
  if (named?.dev !== opened.dev || named.ino !== opened.ino) throw pathChangedError(path);
}

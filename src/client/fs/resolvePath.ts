import { realpath } from 'node:fs/promises';
import * as nodePath from 'node:path';
import { errorMessage, systemErrorCode } from '../../base/errors';
import { invalidParams, RpcError, rpcCodes } from '../../base/jsonRpc';
import { isOnOtherComputer } from '../../base/pathText';
import { nameInFolders, pathExists } from '../../node/fs/realPaths';

/** A path that may be served: inside the workspace, or outside with the user's approval. */
export interface ResolvedPath {
  /** The agent's path, normalized: an editor may have the file open under this name. */
  readonly requested: string;
  /** With all symbolic links resolved: the only path for opening the file. */
  readonly real: string;
  /** The path as VS Code knows it: below the workspace folder, which may itself be a link. */
  readonly name: string;
  readonly isOutside?: true;
}

/**
 * Validates and resolves a path from an agent; a missing file by its nearest existing parent. A path that leads out of `folders` (by `..`,
 * a folder with the same prefix, or links) is `outside` and needs approval.
 * @throws RpcError -32602 naming `field` when it is not absolute, or a UNC path outside the folders, which is not accessed at all
 */
export async function resolvePath(folders: readonly string[], path: string, field = 'path'): Promise<ResolvedPath> {
  requirePlainPath(path, field);
  if (isOnOtherComputer(path, folders)) throw onOtherComputer(path);
  const requested = nodePath.resolve(path);
  const real = await realTarget(requested, path, field);
  const name = await nameInFolders(real, folders);
  return name === undefined ? { requested, real, name: requested, isOutside: true } : { requested, real, name };
}

/**
 * Like {@link resolvePath}.
 * @throws RpcError {@link outsideWorkspace}
 */
export async function resolveInside(folders: readonly string[], path: string, field = 'path'): Promise<ResolvedPath> {
  const found = await resolvePath(folders, path, field);
  if (found.isOutside) throw outsideWorkspace(path, folders);
  return found;
}

/**
 * Resolves again between check and use.
 * @throws RpcError when the path leads elsewhere because a folder was replaced (CVE-2026-88968 and similar ones)
 */
export async function resolvePathAgain(
  folders: readonly string[],
  before: ResolvedPath,
  field = 'path',
): Promise<void> {
  const resolve = before.isOutside ? resolvePath : resolveInside;
  const now = await resolve(folders, before.requested, field);
  if (now.real === before.real) return;
  throw pathChangedError(before);
}

export function pathChangedError({ requested }: ResolvedPath): RpcError {
  const message = `A folder on the way to ${requested} was replaced meanwhile. Nothing was read or written.`;
  return new RpcError(rpcCodes.internalError, message, { path: requested });
}

function onOtherComputer(path: string): RpcError {
  const message = `${path} is on another computer. Parley serves files of another computer only from open folders.`;
  return new RpcError(rpcCodes.invalidParams, message, { path, reason: 'outsideWorkspace' });
}

export function outsideWorkspace(path: string, folders: readonly string[]): RpcError {
  const where = folders.length === 0 ? 'no folder is open' : `the open folders are ${folders.join(', ')}`;
  const message = `${path} is outside the workspace. Parley does not serve files outside the workspace folders (${where}).`;
  return new RpcError(rpcCodes.invalidParams, message, { path, reason: 'outsideWorkspace' });
}

/** Rejects, naming `field`, a path that is not plain and absolute on this platform. */
export function requirePlainPath(path: string, field: string, platform: NodeJS.Platform = process.platform): void {
  if (path.includes('\0')) throw invalidParams(`"${field}" contains a NUL character`);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) {
    throw invalidParams(`"${field}" must be an absolute path, not a URI: ${path}`);
  }
  const root = flavourOf(platform).parse(path).root;
  // On Windows "\x" and "c:x" depend on a current drive or folder.
  const isAbsolute = platform === 'win32' ? root.length > 1 && /[\\/]$/.test(root) : root === '/';
  if (!isAbsolute) throw invalidParams(`"${field}" must be an absolute path: ${path === '' ? '(empty)' : path}`);
  if (platform === 'win32') checkWindowsNames(path.slice(root.length), root, path, field);
}

/** Other names of the same file on Windows: streams (`a::$DATA`), trailing dots and spaces, device paths. */
function checkWindowsNames(rest: string, root: string, path: string, field: string): void {
  const hasOddName = rest.split(/[\\/]/).some((name) => /[:*?"<>|]|[^.][. ]$/.test(name) || /^\.{3,}$/.test(name));
  const hasOddRoot = /[:*?"<>|]/.test(root.replace(/^[a-z]:/i, ''));
  if (hasOddName || hasOddRoot || /^[\\/]{2}[.?]/.test(root))
    throw invalidParams(`"${field}" is not a plain path of a file: ${path}`);
}

function flavourOf(platform: NodeJS.Platform): nodePath.PlatformPath {
  return platform === 'win32' ? nodePath.win32 : nodePath.posix;
}

/** The real path. Rejects a dangling link, whose target anyone could create later. */
async function realTarget(path: string, reported: string, field: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw unreachableError(error, reported, field);
  }
  if (await pathExists(path)) throw invalidParams(`"${field}" leads through a link to nowhere: ${reported}`);
  const parent = nodePath.dirname(path);
  if (parent === path) throw invalidParams(`"${field}" is on a drive that does not exist: ${reported}`);
  return nodePath.join(await realTarget(parent, reported, field), nodePath.basename(path));
}

function unreachableError(error: unknown, reported: string, field: string): RpcError {
  const code = systemErrorCode(error);
  if (code === 'ENOTDIR') return invalidParams(`"${field}" goes through a file as if it were a folder: ${reported}`);
  if (code === 'ELOOP') return invalidParams(`"${field}" goes through links that lead in a circle: ${reported}`);
  if (code === 'ENAMETOOLONG') return invalidParams(`"${field}" is longer than the file system allows: ${reported}`);
  return new RpcError(rpcCodes.internalError, `${reported} cannot be reached: ${errorMessage(error)}`, {
    path: reported,
  });
}

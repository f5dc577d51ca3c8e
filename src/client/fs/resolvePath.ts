import { lstat, realpath } from 'node:fs/promises';
import * as nodePath from 'node:path';
import { errorMessage } from '../../base/errors';
import { isOnOtherComputer } from '../../base/pathText';
import { invalidParams, RpcError, rpcCodes } from '../../base/jsonRpc';

/** A path of the agent as it may be served: inside the workspace, or outside of it with the user's leave. */
export interface ResolvedPath {
  /** As the agent said it, normalised: the name under which an editor may have it open. */
  readonly asked: string;
  /** With every symbolic link resolved: the only name under which the file may be opened on disk. */
  readonly real: string;
  /** The same place as VS Code knows it: below the workspace folder as the user opened it, which may itself be a link. */
  readonly name: string;
  /** It is in none of the folders. */
  readonly outside?: true;
}

/**
 * Checks a path that an agent sent and resolves it. What is not there yet is resolved by its nearest existing parent. Throws -32602 naming
 * `field` when it is not an absolute path, and for one on another computer that is in no folder: it is not even looked at. One that leads
 * out of `folders` (through `..`, another folder with the same prefix, or symbolic links) comes back as `outside`: nobody may be served it
 * unasked.
 */
export async function resolvePath(folders: readonly string[], path: string, field = 'path'): Promise<ResolvedPath> {
  requirePlainPath(path, field);
  if (isOnOtherComputer(path, folders)) throw onOtherComputer(path);
  const asked = nodePath.resolve(path);
  const real = await realTarget(asked, path, field);
  for (const folder of folders) {
    const root = await realpath(folder).catch(() => undefined);
    if (root === undefined || !isWithin(root, real)) continue;
    return { asked, real, name: nodePath.join(folder, nodePath.relative(root, real)) };
  }
  return { asked, real, name: asked, outside: true };
}

/** As {@link resolvePath}; throws {@link outsideWorkspace} for a path outside. */
export async function resolveInside(folders: readonly string[], path: string, field = 'path'): Promise<ResolvedPath> {
  const found = await resolvePath(folders, path, field);
  if (found.outside) throw outsideWorkspace(path, folders);
  return found;
}

/**
 * Resolves again, for the time between the check and the use: throws when `path` no longer leads where it led, because a
 * folder on the way was replaced (CVE-2026-88968 and its kind).
 */
export async function resolvePathAgain(
  folders: readonly string[],
  before: ResolvedPath,
  field = 'path',
): Promise<void> {
  const resolve = before.outside ? resolvePath : resolveInside;
  const now = await resolve(folders, before.asked, field);
  if (now.real === before.real) return;
  throw pathChangedError(before);
}

/** The error for a path that led elsewhere when it was used than when it was checked. */
export function pathChangedError({ asked }: ResolvedPath): RpcError {
  const message = `A folder on the way to ${asked} was replaced meanwhile. Nothing was read or written.`;
  return new RpcError(rpcCodes.internalError, message, { path: asked });
}

function onOtherComputer(path: string): RpcError {
  const message = `${path} is on another computer. Parley serves files of another computer only from open folders.`;
  return new RpcError(rpcCodes.invalidParams, message, { path, reason: 'outsideWorkspace' });
}

/** The error for a path that is not in a workspace folder. */
export function outsideWorkspace(path: string, folders: readonly string[]): RpcError {
  const where = folders.length === 0 ? 'no folder is open' : `the open folders are ${folders.join(', ')}`;
  const message = `${path} is outside the workspace. Parley does not serve files outside the workspace folders (${where}).`;
  return new RpcError(rpcCodes.invalidParams, message, { path, reason: 'outsideWorkspace' });
}

/** True when `path` is `root` or below it; knows folder names that only begin alike apart. */
export function isWithin(root: string, path: string, platform: NodeJS.Platform = process.platform): boolean {
  const flavour = flavourOf(platform);
  const relative = flavour.relative(root, path);
  return relative !== '..' && !relative.startsWith(`..${flavour.sep}`) && !flavour.isAbsolute(relative);
}

/** Refuses, naming `field`, whatever is not a plain absolute path of this platform. */
export function requirePlainPath(path: string, field: string, platform: NodeJS.Platform = process.platform): void {
  if (path.includes('\0')) throw invalidParams(`"${field}" contains a NUL character`);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) {
    throw invalidParams(`"${field}" must be an absolute path, not a URI: ${path}`);
  }
  const root = flavourOf(platform).parse(path).root;
  // On Windows "\x" and "c:x" depend on a current drive or folder.
  const absolute = platform === 'win32' ? root.length > 1 && /[\\/]$/.test(root) : root === '/';
  if (!absolute) throw invalidParams(`"${field}" must be an absolute path: ${path === '' ? '(empty)' : path}`);
  if (platform === 'win32') checkWindowsNames(path.slice(root.length), root, path, field);
}

/** Other names of the same file on Windows: streams (`a::$DATA`), trailing dots and spaces, device paths. */
function checkWindowsNames(rest: string, root: string, path: string, field: string): void {
  const odd = rest.split(/[\\/]/).some((name) => /[:*?"<>|]|[^.][. ]$/.test(name) || /^\.{3,}$/.test(name));
  const oddRoot = /[:*?"<>|]/.test(root.replace(/^[a-z]:/i, ''));
  if (odd || oddRoot || /^[\\/]{2}[.?]/.test(root))
    throw invalidParams(`"${field}" is not a plain path of a file: ${path}`);
}

function flavourOf(platform: NodeJS.Platform): nodePath.PlatformPath {
  return platform === 'win32' ? nodePath.win32 : nodePath.posix;
}

/** Where a path leads. A link that leads nowhere is refused: whoever creates its target decides where that is. */
async function realTarget(path: string, said: string, field: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw unreachable(error, said, field);
  }
  if (await exists(path)) throw invalidParams(`"${field}" leads through a link to nowhere: ${said}`);
  const parent = nodePath.dirname(path);
  if (parent === path) throw invalidParams(`"${field}" is on a drive that does not exist: ${said}`);
  return nodePath.join(await realTarget(parent, said, field), nodePath.basename(path));
}

function unreachable(error: unknown, said: string, field: string): RpcError {
  const code = systemErrorCode(error);
  if (code === 'ENOTDIR') return invalidParams(`"${field}" goes through a file as if it were a folder: ${said}`);
  if (code === 'ELOOP') return invalidParams(`"${field}" goes through links that lead in a circle: ${said}`);
  if (code === 'ENAMETOOLONG') return invalidParams(`"${field}" is longer than the file system allows: ${said}`);
  return new RpcError(rpcCodes.internalError, `${said} cannot be reached: ${errorMessage(error)}`, { path: said });
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** The code of a system error, such as `ENOENT`. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

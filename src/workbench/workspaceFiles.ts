import * as vscode from 'vscode';
import { ParleyError, systemErrorCode } from '../base/errors';
import { t } from '../base/l10n';
import { inFolderOf } from '../node/fs/pinnedFolder';
import { isInside, realPathNames } from '../node/fs/realPaths';
import { readRegularFile } from '../node/fs/regularFile';
import { localFolders } from './workspaceFolders';

/**
 * Whether a file or folder is in the workspace by its name and by its real path: a link of a repository may lead to the user's private
 * files. What is in the workspace may be read and sent without a question.
 */
export function isInWorkspace(uri: vscode.Uri): boolean {
  return isRealInWorkspace(uri, realUri(uri));
}

/**
 * As {@link isInWorkspace}, for a file that is then read by {@link readRealFile}: a link may lead elsewhere later.
 * @param real from {@link realUri}
 */
export function isRealInWorkspace(uri: vscode.Uri, real: vscode.Uri): boolean {
  if (!vscode.workspace.getWorkspaceFolder(uri)) return false;
  if (uri.scheme !== 'file') return true;
  const folders = localFolders();
  return folders.some((folder) => isInside(realPath(folder, folders), real.fsPath));
}

/**
 * Whether the workspace decides what a file says: its name or its real path is there.
 * @param path absolute
 */
export function isOfWorkspace(path: string): boolean {
  const folders = localFolders();
  const real = realPath(path, folders);
  return folders.some((folder) => isInside(folder, path) || isInside(realPath(folder, folders), real));
}

/** The file that this URI leads to, with all links resolved. */
export function realUri(uri: vscode.Uri): vscode.Uri {
  return uri.scheme === 'file' ? vscode.Uri.file(realPath(uri.fsPath, localFolders())) : uri;
}

/**
 * Reads a file that the user did not write: from a repository, or one that a link leads to.
 * @param maxBytes Reading stops there.
 * @throws ParleyError `badInput` for a larger file and for what is no regular file; errors of the file system
 */
export async function readWorkspaceFile(uri: vscode.Uri, maxBytes: number): Promise<Uint8Array> {
  return toBytes(
    uri.scheme === 'file' ? await readRegularFile(uri.fsPath, maxBytes) : await readVirtual(uri, maxBytes),
    maxBytes,
  );
}

/**
 * As {@link readWorkspaceFile}, of the very file that was looked at, or that the user was asked about: no link that has replaced it or a
 * folder above is followed.
 * @param real from {@link realUri}
 */
export async function readRealFile(real: vscode.Uri, maxBytes: number): Promise<Uint8Array> {
  if (real.scheme !== 'file') return toBytes(await readVirtual(real, maxBytes), maxBytes);
  const read = (at: string): ReturnType<typeof readRegularFile> => readRegularFile(at, maxBytes, 'noLinks');
  const bytes = await inFolderOf(real.fsPath, read).catch((error: unknown) => {
    throw systemErrorCode(error) === 'ELOOP' ? new ParleyError('conflict', t('a link has replaced it')) : error;
  });
  return toBytes(bytes, maxBytes);
}

function toBytes(bytes: Uint8Array | 'notAFile' | 'tooLarge', maxBytes: number): Uint8Array {
  if (bytes === 'notAFile') throw new ParleyError('badInput', t('it is not a regular file'));
  if (bytes === 'tooLarge') throw new ParleyError('badInput', t('the file is larger than {0} KB', maxBytes / 1024));
  return bytes;
}

async function readVirtual(uri: vscode.Uri, maxBytes: number): Promise<Uint8Array | 'tooLarge'> {
  const { size } = await vscode.workspace.fs.stat(uri);
  return size > maxBytes ? 'tooLarge' : vscode.workspace.fs.readFile(uri);
}

function realPath(path: string, folders: readonly string[]): string {
  return realPathNames(path, folders).at(-1) ?? path;
}

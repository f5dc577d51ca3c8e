import * as vscode from 'vscode';
import { ParleyError } from '../base/errors';
import { t } from '../base/l10n';
import { isInside, realPathNames } from '../node/fs/realPaths';
import { readRegularFile } from '../node/fs/regularFile';
import { localFolders } from './workspaceFolders';

/**
 * Whether a file or folder is in the workspace by its name and by its real path: a link of a repository may lead to the user's private
 * files. What is in the workspace may be read and sent without a question.
 */
export function isInWorkspace(uri: vscode.Uri): boolean {
  if (!vscode.workspace.getWorkspaceFolder(uri)) return false;
  if (uri.scheme !== 'file') return true;
  const folders = localFolders();
  const path = realPath(uri.fsPath, folders);
  return folders.some((folder) => isInside(realPath(folder, folders), path));
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
  const bytes = uri.scheme === 'file' ? await readRegularFile(uri.fsPath, maxBytes) : await readVirtual(uri, maxBytes);
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

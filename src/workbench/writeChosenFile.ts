import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { createNew, overwrite } from '../node/fs/overwriteFile';

/**
 * Writes a file that the user has chosen in a dialog. When it cannot be written, an earlier file keeps its content, and
 * no part of a new one is left: VS Code itself truncates a file before it notices a full disk.
 * @throws system errors, and those of the file system provider
 */
export async function writeChosenFile(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
  if (uri.scheme !== 'file') return vscode.workspace.fs.writeFile(uri, bytes);
  const path = uri.fsPath;
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined) return overwrite(real, bytes);
  await createNew(join(await realpath(dirname(path)), basename(path)), bytes);
}

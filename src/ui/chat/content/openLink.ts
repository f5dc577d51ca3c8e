import { realpath } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../../base/l10n';
import { truncate } from '../../../base/text';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import { isInsideFolders } from '../../../node/fs/realPaths';
import { viewColumnBesideChat } from '../../../workbench/activeEditor';
import type { ShowNotice } from '../../../workbench/notice';
import { showNotification } from '../../../workbench/notice';
import { openExternalUrl } from '../../../workbench/openExternal';
import { asTextOrMedia } from '../../../workbench/textEditorOptions';
import { showWarningMessage } from '../../../workbench/windowMessages';
import { linkTarget } from './linkTarget';

/** Validates and opens links and file references of the chat. */

/** Relative paths start at `cwd`; `folders` are those of the workspace. All are absolute. */
interface LinkBase {
  readonly cwd: string;
  readonly folders: readonly string[];
}

/** Opens a link; shows why if it is refused. */
export async function openLink(href: string, from: LinkBase, showNotice: ShowNotice = showNotification): Promise<void> {
  const target = linkTarget(href, baseFolder(from));
  switch (target.type) {
    case 'web':
      // VS Code shows the complete URL and asks, unless the user trusts the domain.
      await openExternalUrl(target.url);
      return;
    case 'mail':
      if (await confirm(t('Compose an email?'), target.url, t('Compose Email'))) {
        await openExternalUrl(target.url);
      }
      return;
    case 'file':
      await openFile(target.path, from, target, showNotice);
      return;
    case 'refused': {
      const shown = truncate(escapeInvisibleInline(href), 200);
      showNotice({ text: t('Parley did not open “{0}”: {1}.', shown, target.reason), isWarning: true });
      return;
    }
  }
}

/**
 * Opens a file; outside the workspace only after confirmation.
 * @param path absolute, or relative to the session's folder
 * @param location 1-based
 */
export async function openFile(
  path: string,
  from: LinkBase,
  location: FilePosition = {},
  showNotice: ShowNotice = showNotification,
): Promise<void> {
  const file = await findExistingFile(path, baseFolder(from));
  if (typeof file !== 'string') return showNotice({ text: file.problem, isWarning: true });
  const isInside = await isInsideFolders(file, from.folders);
  if (!isInside && !(await confirm(t('Open a file outside the workspace?'), file, t('Open')))) return;
  await revealFile(vscode.Uri.file(file), location);
}

/** Undefined where no folder is open. */
function baseFolder({ cwd, folders }: LinkBase): string | undefined {
  return folders.length === 0 ? undefined : cwd;
}

async function findExistingFile(
  path: string,
  base: string | undefined,
): Promise<string | { readonly problem: string }> {
  if (/^[\\/]{2}/.test(path))
    return { problem: t('Could not open “{0}”: the file is on another computer.', truncate(path, 200)) };
  const absolute = isAbsolute(path) ? path : base && resolve(base, path);
  if (absolute === undefined) return { problem: t('Could not open “{0}”: no folder is open.', truncate(path, 200)) };
  try {
    // The real path decides, not the name of a link.
    return await realpath(absolute);
  } catch {
    return { problem: t('“{0}” does not exist.', truncate(absolute, 400)) };
  }
}

/** 1-based. */
interface FilePosition {
  readonly line?: number;
  readonly column?: number;
  readonly lastLine?: number;
}

async function revealFile(uri: vscode.Uri, location: FilePosition): Promise<void> {
  const { type } = await vscode.workspace.fs.stat(uri);
  if ((type & vscode.FileType.Directory) !== 0) {
    await vscode.commands.executeCommand('revealInExplorer', uri);
    return;
  }
  const at = new vscode.Position(Math.max(0, (location.line ?? 1) - 1), Math.max(0, (location.column ?? 1) - 1));
  const end = location.lastLine === undefined ? at : new vscode.Position(location.lastLine, 0);
  const selection = location.line === undefined ? {} : { selection: new vscode.Range(at, end) };
  try {
    await vscode.window.showTextDocument(uri, { preview: true, ...viewColumnBesideChat(), ...selection });
  } catch {
    // Not a text, such as an image: VS Code opens it or shows an error.
    await vscode.commands.executeCommand('vscode.open', uri, { ...viewColumnBesideChat(), ...asTextOrMedia(uri) });
  }
}

async function confirm(message: string, detail: string, yes: string): Promise<boolean> {
  const options = { modal: true, detail: escapeInvisibleInline(detail) };
  return (await showWarningMessage(message, options, yes)) === yes;
}

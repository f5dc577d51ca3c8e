import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import { plainLabel } from '../../base/untrustedText';
import { folderLabel } from '../../shared/text/folderLabel';
import type { WorkspaceRoot } from '../../shared/text/folderLabel';
import type { WorkspacePathIndex } from '../attachments/pathIndex';

interface FolderRow extends vscode.QuickPickItem {
  readonly path: string;
}

/** Lets the user select a folder of the workspace; ignored and empty folders are not listed. */
export async function pickFolder(
  roots: readonly WorkspaceRoot[],
  index: WorkspacePathIndex,
  current: string | undefined,
): Promise<string | undefined> {
  const below = index.folders().map((uri) => vscode.Uri.parse(uri));
  const paths = below.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath);
  const all = new Set([...roots.map(({ path }) => path), ...paths]);
  const rows = Array.from(all, (path): FolderRow => {
    const name = plainLabel(folderLabel(path, roots));
    return { path, label: `$(folder) ${name}`, ...(path === current && { description: t('current') }) };
  });
  const picked = await vscode.window.showQuickPick(
    rows.toSorted((a, b) => a.label.localeCompare(b.label)),
    { title: t('Select Folder'), placeHolder: t('Select the folder that the session works in') },
  );
  return picked?.path;
}

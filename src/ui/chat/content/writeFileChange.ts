import * as vscode from 'vscode';
import { t } from '../../../base/l10n';
import { applyMinimalEdit } from '../../../workbench/textDocuments';
import { withEol } from '../../../workbench/textEdits';
import type { CodeTarget } from './codeTarget';
import { requireInPlace } from './codeTarget';

/** A new text of a file. */
export interface FileChange extends Pick<CodeTarget, 'uri' | 'exists' | 'isInPlace'> {
  /** With `\n`; empty for a new file. */
  readonly before: string;
  readonly after: string;
}

/**
 * Writes a change through the editor. Unsaved changes of the user stay unsaved.
 * @throws Error with a sentence when the file is no longer as `before` says, or VS Code refused
 */
export async function writeFileChange(change: FileChange): Promise<void> {
  requireInPlace(change);
  const { uri, exists, before, after } = change;
  if (!exists) {
    const creation = new vscode.WorkspaceEdit();
    creation.createFile(uri, { contents: Buffer.from(after), overwrite: false, ignoreIfExists: false });
    if (!(await vscode.workspace.applyEdit(creation))) throw new Error(t('VS Code could not create the file'));
    return;
  }
  const document = await vscode.workspace.openTextDocument(uri);
  if (documentText(document) !== before) throw new Error(t('The file was changed in the meantime; try again'));
  const wasDirty = document.isDirty;
  const eol = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
  if (!(await applyMinimalEdit(document, withEol(after, eol)))) throw new Error(t('VS Code did not apply the edit'));
  requireInPlace(change);
  // Unsaved user changes stay unsaved.
  if (!wasDirty && !(await document.save())) throw new Error(t('The file could not be saved'));
}

/** The text with `\n`. */
export function documentText(document: vscode.TextDocument): string {
  return document.getText().replaceAll('\r\n', '\n');
}

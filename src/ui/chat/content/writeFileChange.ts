import * as vscode from 'vscode';
import { t } from '../../../base/l10n';
import { createNew } from '../../../node/fs/overwriteFile';
import type { NoteText } from '../../../workbench/editNotes';
import { EditNotes } from '../../../workbench/editNotes';
import { savedFile } from '../../../workbench/editorWrites';
import { applyMinimalEdit, clearDirtyState, saveOrKeepFile } from '../../../workbench/textDocuments';
import { withEol } from '../../../workbench/textEdits';
import { encodeNewText, isSavedExactly } from '../../../workbench/textForm';
import type { CodeTarget } from './codeTarget';
import { requireInPlace } from './codeTarget';

/** A new text of a file. */
export interface CodeChange extends Pick<CodeTarget, 'uri' | 'real' | 'exists'> {
  /** With `\n`; empty for a new file. */
  readonly before: string;
  readonly after: string;
}

/**
 * Writes a change through the editor. Unsaved changes of the user stay unsaved.
 * On failure the file and the editor are as before.
 * @param note of the agent's edit
 * @throws Error with a sentence when the file is no longer as `before` says, or VS Code refused; system errors
 */
export async function writeFileChange(change: CodeChange, note?: NoteText): Promise<void> {
  requireInPlace(change);
  const { uri, real, exists, before, after } = change;
  if (!exists) {
    const bytes = await encodeNewText(after, uri);
    if (!bytes) throw new Error(t('The encoding of new files lacks a character of the text; change “files.encoding”'));
    return createNew(real, bytes);
  }
  const document = await vscode.workspace.openTextDocument(uri);
  if (documentText(document) !== before) throw new Error(t('The file was changed in the meantime; try again'));
  if (!(await isSavedExactly(document)))
    throw new Error(
      t('A save would change other lines: the file has mixed line ends, or another encoding than its editor'),
    );
  const wasDirty = document.isDirty;
  const eol = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
  const notes = new EditNotes(document, note);
  if (!(await applyMinimalEdit(document, withEol(after, eol), real)))
    throw new Error(t('VS Code rejected the edit; try again'));
  notes.recordAgentText(withEol(after, eol));
  // Unsaved user changes stay unsaved.
  if (wasDirty || (await saveOrKeepFile(document, real, notes.recordTypedText))) return;
  const changed = documentText(document);
  if (changed === after && (await applyMinimalEdit(document, withEol(before, eol), savedFile(document))))
    await clearDirtyState(document, withEol(before, eol));
  requireInPlace(change);
  throw new Error(t('The file could not be saved; it is read-only, or the disk is full'));
}

/** The text with `\n`. */
export function documentText(document: vscode.TextDocument): string {
  return document.getText().replaceAll('\r\n', '\n');
}

import { basename } from 'node:path';
import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors';
import { t } from '../../../base/l10n';
import { escapeInvisibleInline } from '../../../base/untrustedText';
import type { Session } from '../../../session/session';
import { applyInPlace } from '../../../workbench/editorWrites';
import type { ShowNotice } from '../../../workbench/notice';
import { requireNoOtherUnsaved } from '../../../workbench/textDocuments';
import { AS_TEXT } from '../../../workbench/textEditorOptions';
import { firstChangedLine } from '../../../workbench/textEdits';
import type { ReadOnlyDocuments } from '../../../workbench/virtualDocuments';
import { closeDiffs } from '../../../workbench/virtualDocuments';
import { showInformationMessage, showWarningMessage } from '../../../workbench/windowMessages';
import { readWorkspaceFile } from '../../../workbench/workspaceFiles';
import type { Review } from '../../window';
import { codeEdit, isFileDeletion, insertLines } from './codeEdit';
import type { CodeEdit, Lines } from './codeEdit';
import type { CodeFromMessage, CodeTarget } from './codeTarget';
import { codeTarget, requireInPlace } from './codeTarget';
import type { CodeChange } from './writeFileChange';
import { documentText, writeFileChange } from './writeFileChange';

/** Bytes; VS Code opens no larger text. */
const MAX_DELETED = 64 * 1024 * 1024;

interface Change extends CodeChange, CodeTarget {
  readonly isCertain: boolean;
}

/** Applies code blocks as edits under review. */
export class CodeApplier {
  constructor(
    private readonly proposals: ReadOnlyDocuments,
    private readonly review: Review,
    private readonly showNotice: ShowNotice,
  ) {}

  /**
   * Shows a diff first where the file or location is ambiguous, or the file can run code later. Shows why nothing was
   * done; never rejects.
   */
  async apply(session: Session, block: CodeFromMessage): Promise<void> {
    const { code } = block;
    try {
      const target = await codeTarget(session.folders, block);
      if (!target) return;
      if ('problem' in target) return this.#warn(target.problem);
      requireNoOtherUnsaved(target.uri.fsPath);
      if (isFileDeletion(code)) return await this.#deleteFile(session.id, target, code);
      const change = await changeOf(target, code);
      if (change.before === change.after) {
        return this.showNotice({ text: t('{0} already contains this code.', fileName(target)) });
      }
      const isObvious = change.isCertain && target.protection === undefined;
      if (!isObvious && !(await confirmChange(change, this.proposals))) return;
      await this.review.edit(session.id, target.uri.fsPath, (note) => writeFileChange(change, note));
      await reveal(change);
    } catch (error) {
      this.#warn(t('Could not apply the code: {0}', escapeInvisibleInline(errorMessage(error))));
    }
  }

  /** Never leaves an empty file instead, and always asks. */
  async #deleteFile(sessionId: string, target: CodeTarget, code: string): Promise<void> {
    const name = fileName(target);
    if (!target.exists) return this.#warn(t('{0} does not exist. Nothing was deleted.', name));
    const { uri } = target;
    // Looks at the file, too: VS Code notices late what another program has written.
    const isWhole = async (): Promise<boolean> => {
      const document = await vscode.workspace.openTextDocument(uri);
      const texts = [await fileText(document), documentText(document)];
      return texts.every((text) => codeEdit(text, code)?.text === '');
    };
    const other = t('{0} was not deleted: its content does not match the patch.', name);
    if (!(await isWhole())) return this.#warn(other);
    const yes = t('Delete');
    const message = t('Delete {0}? The patch removes the entire file.', name);
    if ((await showWarningMessage(message, { modal: true }, yes)) !== yes) return;
    const deletion = new vscode.WorkspaceEdit();
    deletion.deleteFile(uri);
    const isDone = await this.review.edit(sessionId, uri.fsPath, async () => {
      requireInPlace(target);
      return (await isWhole()) ? applyInPlace(deletion, [target]) : undefined;
    });
    if (isDone === undefined) return this.#warn(other);
    if (!isDone) throw new Error(t('VS Code rejected the edit; try again'));
  }

  #warn(text: string): void {
    this.showNotice({ text, isWarning: true });
  }
}

/** With `\n`, in the encoding of its editor. */
async function fileText({ uri, encoding }: vscode.TextDocument): Promise<string> {
  const text = await vscode.workspace.decode(await readWorkspaceFile(uri, MAX_DELETED), { encoding });
  return text.replaceAll('\r\n', '\n');
}

async function changeOf(target: CodeTarget, code: string): Promise<Change> {
  if (!target.exists) {
    const edit = codeEdit('', code) ?? { text: withEnd(code), isCertain: false };
    return { ...target, before: '', after: edit.text, isCertain: edit.isCertain };
  }
  const document = await vscode.workspace.openTextDocument(target.uri);
  const before = documentText(document);
  const edit = codeEdit(before, code) ?? atCursor(document, code);
  return { ...target, before, after: edit.text, isCertain: edit.isCertain && target.isNamed };
}

/** No known location: replaces the selection, or inserts after the cursor's line, or at the end. */
function atCursor(document: vscode.TextDocument, code: string): CodeEdit {
  const editor = vscode.window.visibleTextEditors.find((each) => each.document === document);
  return { text: insertLines(documentText(document), code, editor && linesOf(editor)), isCertain: false };
}

function linesOf({ document, selection }: vscode.TextEditor): Lines {
  const { start, end, isEmpty } = selection;
  if (!isEmpty) return { start: start.line, end: end.character === 0 ? end.line : end.line + 1 };
  const next = document.lineAt(start.line).isEmptyOrWhitespace ? start.line : start.line + 1;
  return { start: next, end: next };
}

async function confirmChange(change: Change, proposals: ReadOnlyDocuments): Promise<boolean> {
  const { uri, after, protection, exists } = change;
  const name = fileName(change);
  const apply = t('Apply');
  const message =
    protection === undefined
      ? t('Apply this code to {0}? The editor shows a preview of the changes.', name)
      : t('Apply this code to {0}? The file {1}.', name, protection);
  const [before, proposed] = [exists ? uri : proposals.add(uri.path, ''), proposals.add(uri.path, after)];
  const title = t('{0} (proposed)', basename(uri.fsPath));
  await vscode.commands.executeCommand('vscode.diff', before, proposed, title, { preview: true, ...AS_TEXT });
  try {
    return (await showInformationMessage(message, apply, t('Cancel'))) === apply;
  } finally {
    for (const side of [before, proposed]) proposals.remove(side);
    await closeDiffs([proposed]);
  }
}

async function reveal({ uri, before, after }: Change): Promise<void> {
  const start = firstChangedLine(before, after) - 1;
  const selection = new vscode.Range(start, 0, start, 0);
  await vscode.window.showTextDocument(uri, { preview: true, preserveFocus: true, selection });
}

function fileName({ uri }: Pick<CodeTarget, 'uri'>): string {
  return escapeInvisibleInline(vscode.workspace.asRelativePath(uri));
}

function withEnd(code: string): string {
  return code === '' || code.endsWith('\n') ? code : `${code}\n`;
}

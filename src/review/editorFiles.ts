import * as vscode from 'vscode';
import { settlesWithin } from '../base/async';
import { ParleyError } from '../base/errors';
import { t } from '../base/l10n';
import { bytesOf, latin1, readContent, writeContent } from './content';
import { changesBetween, splitLines } from './lines';
import type { WorkingFiles } from './ports';
import type { Content } from './tracked';
import { sameContent } from './tracked';

/** Milliseconds in which VS Code reloads a file that changed on disk. */
const RELOAD_DEADLINE = 3_000;

/** Files through VS Code's buffers, byte for byte. */
export class EditorFiles implements WorkingFiles {
  async unsaved(path: string): Promise<Content | undefined> {
    const document = openDocument(path);
    return document?.isDirty ? encoded(document) : undefined;
  }

  disk(path: string): Promise<Content | 'unknown' | undefined> {
    return readContent(path);
  }

  async write(path: string, next: Content | undefined, expected: Content | undefined, how?: 'save'): Promise<void> {
    if (isDirtyElsewhere(path)) throw conflict(t('It is open with unsaved changes in an editor without text.'));
    const document = openDocument(path);
    const staysUnsaved = document?.isDirty === true && how !== 'save';
    const before = document?.isDirty ? await encoded(document) : await readContent(path);
    const isAsExpected = document?.isDirty
      ? before !== 'unknown' && before?.bytes === expected?.bytes
      : sameKnown(before, expected);
    if (!isAsExpected) throw conflict(t('It was changed meanwhile. Try again.'));
    // A stale buffer cannot be saved: then the disk alone is written, and VS Code reloads it.
    const isFresh = document?.isDirty || !document || (await followsDisk(document, expected));
    if (document && isFresh && next && next.mode !== '120000') {
      await this.#edit(document, next);
      if (staysUnsaved) return;
      await document.save();
    }
    // Line ends that an editor cannot hold together, and what formats on save: the bytes count.
    if (!sameKnown(await readContent(path), next)) await writeContent(path, next);
  }

  async writeUnsaved(path: string, next: Content): Promise<void> {
    await this.#edit(await vscode.workspace.openTextDocument(vscode.Uri.file(path)), next);
  }

  unsavedPaths(): readonly string[] {
    return vscode.workspace.textDocuments.filter((each) => isFile(each) && each.isDirty).map(({ uri }) => uri.fsPath);
  }

  async #edit(document: vscode.TextDocument, next: Content): Promise<void> {
    const text = await vscode.workspace.decode(bytesOf(next), { encoding: document.encoding });
    const [from, to] = [splitLines(document.getText()), splitLines(text)];
    const edit = new vscode.WorkspaceEdit();
    for (const change of changesBetween(from, to)) {
      const range = document.validateRange(new vscode.Range(change.from, 0, change.fromEnd, 0));
      edit.replace(document.uri, range, to.slice(change.to, change.toEnd).join(''));
    }
    if (edit.size === 0) return;
    if (!(await vscode.workspace.applyEdit(edit))) throw conflict(t('VS Code refused the edit. Try again.'));
  }
}

/** Waits until a clean document shows what is on disk; VS Code notices writes of others only after a moment. */
async function followsDisk(document: vscode.TextDocument, disk: Content | undefined): Promise<boolean> {
  if (!disk) return false;
  const { encoding } = document;
  const wanted = plainEnds(await vscode.workspace.decode(bytesOf(disk), { encoding }));
  const isFresh = (): boolean => plainEnds(document.getText()) === wanted;
  if (isFresh()) return true;
  let subscription: vscode.Disposable | undefined;
  const reloaded = new Promise<void>((resolve) => {
    subscription = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document && isFresh()) resolve();
    });
  });
  try {
    return await settlesWithin(reloaded, RELOAD_DEADLINE);
  } finally {
    subscription?.dispose();
  }
}

function plainEnds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}

/** The text document that VS Code has loaded for a file. */
export function openDocument(path: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => isFile(document) && document.uri.fsPath === path);
}

/** What saving the document would write. */
export async function encoded(document: vscode.TextDocument): Promise<Content> {
  const text = document.getText();
  const isPlain = document.encoding === 'utf8';
  const bytes = isPlain ? Buffer.from(text) : await vscode.workspace.encode(text, { encoding: document.encoding });
  return { mode: '100644', bytes: latin1(bytes) };
}

function isFile(document: vscode.TextDocument): boolean {
  return document.uri.scheme === 'file' && !document.isClosed;
}

/** A notebook or custom editor with unsaved changes has no text that could be edited. */
function isDirtyElsewhere(path: string): boolean {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .some(({ input, isDirty }) => {
      if (!isDirty) return false;
      const other = input instanceof vscode.TabInputNotebook || input instanceof vscode.TabInputCustom;
      return other && input.uri.fsPath === path;
    });
}

function sameKnown(found: Content | 'unknown' | undefined, content: Content | undefined): boolean {
  return found !== 'unknown' && sameContent(found, content);
}

function conflict(message: string): ParleyError {
  return new ParleyError('conflict', message);
}

import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { removeSaved, restoreSaved } from '../node/fs/overwriteFile';
import { readRegularFileSync } from '../node/fs/regularFile';
import { realUri } from './workspaceFiles';

/**
 * The only place that makes VS Code change and save files. It follows links, also one that has replaced a file or a folder above while a
 * question was open: then a file is written that nobody was asked about.
 */

/** A file that VS Code will write. */
export interface WriteTarget {
  readonly uri: vscode.Uri;
  /** The absolute path of the file to which the URI led when the write was decided, before any question: {@link savedFile}. */
  readonly real: string;
}

/** Absolute path of the file to which VS Code would save now. */
export function savedFile({ uri }: Pick<WriteTarget, 'uri'>): string {
  return realUri(uri).fsPath;
}

/** Whether no link has replaced the file or a folder above. */
export function isInPlace(target: WriteTarget): boolean {
  return savedFile(target) === target.real;
}

/**
 * Changes the text of editors, and deletes files, as one step that can be undone.
 * @param targets all files of the edit
 * @returns false when one is no longer in place, or VS Code did not apply the edit: nothing is changed then
 */
export async function applyInPlace(edit: vscode.WorkspaceEdit, targets: readonly WriteTarget[]): Promise<boolean> {
  // Not as a refactoring: VS Code would save every file by `files.refactoring.autoSave`, the user's unsaved text included.
  return targets.every(isInPlace) && vscode.workspace.applyEdit(edit);
}

/** Milliseconds between two looks during a save. */
const LOOK_MS = 20;
/** Bytes; of larger files no copy is kept. */
const MAX_KEPT = 50 * 1024 * 1024;

/**
 * VS Code resolves the path only after formatters and others that take part in the save, which may take seconds: a file outside to which
 * it has saved gets back what it had when a look found the link.
 * @returns false when the file is no longer in place, also after the save, or VS Code did not save it
 */
export async function saveInPlace(
  document: vscode.TextDocument | vscode.NotebookDocument,
  real: string,
): Promise<boolean> {
  const target = { uri: document.uri, real };
  if (!isInPlace(target)) return false;
  const elsewhere = new Map<string, Buffer | 'missing'>();
  const timer = setInterval(() => {
    const now = savedFile(target);
    if (now === real || elsewhere.has(now)) return;
    const bytes = existsSync(now) ? readRegularFileSync(now, MAX_KEPT) : 'missing';
    if (bytes) elsewhere.set(now, bytes);
  }, LOOK_MS);
  const isSaved = await Promise.resolve(document.save()).finally(() => clearInterval(timer));
  if (isSaved && 'encoding' in document && elsewhere.size > 0) {
    const saved = await vscode.workspace.encode(document.getText(), { encoding: document.encoding });
    for (const [path, bytes] of elsewhere) {
      const back = bytes === 'missing' ? removeSaved(path, saved) : restoreSaved(path, saved, bytes);
      await back.catch(() => undefined);
    }
  }
  return isSaved && isInPlace(target);
}

import * as vscode from 'vscode';
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

/** @returns false when the file is no longer in place, or VS Code did not save it */
export async function saveInPlace(
  document: vscode.TextDocument | vscode.NotebookDocument,
  real: string,
): Promise<boolean> {
  return isInPlace({ uri: document.uri, real }) && document.save();
}

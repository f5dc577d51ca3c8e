import * as vscode from 'vscode';
import type { NoteText } from '../../../workbench/editNotes';
import { EditNotes } from '../../../workbench/editNotes';
import { saveOrKeepFile } from '../../../workbench/textDocuments';
import { isSavedExactly } from '../../../workbench/textForm';
import type { Zod } from '../../toolServerTypes';
import { ToolError } from '../../toolServerTypes';
import { labelOf } from './workspaceFile';

/** Marks edits as made by an agent, so that review does not take them for the user's. */
export type AgentEdit = <T>(
  sessionId: string,
  paths: string | readonly string[],
  write: (note?: NoteText) => Promise<T>,
) => Promise<T>;

/** A file of an edit and the number of text edits in it. */
export interface ChangedFile {
  readonly path: string;
  readonly edits: number;
}

interface EditPlan {
  readonly files: ChangedFile[];
  /** Absolute. */
  readonly paths: readonly string[];
  /** Whether the edit also creates, renames or deletes files; VS Code does not say which. */
  readonly hasFileMoves: boolean;
}

export function editPlan(edit: vscode.WorkspaceEdit): EditPlan {
  const entries = edit.entries().filter(([, edits]) => edits.length > 0);
  return {
    files: entries.map(([uri, edits]) => ({ path: labelOf(uri), edits: edits.length })),
    paths: entries.map(([uri]) => uri.fsPath),
    hasFileMoves: edit.size > edit.entries().length,
  };
}

export function editFields(z: Zod) {
  return {
    files: z.array(z.object({ path: z.string(), edits: z.int() })),
    applied: z.boolean(),
    unsaved: z.array(z.string()).describe('Files that had unsaved changes of the user before: changed, but not saved'),
  };
}

export interface Applied {
  readonly files: ChangedFile[];
  readonly applied: boolean;
  readonly unsaved: string[];
}

/**
 * Applies an edit as one undoable step and saves the files, so that the agent sees the same on disk. A file with unsaved user changes is
 * edited but not saved.
 * @throws ToolError when VS Code refuses the edit; nothing is changed then
 */
export async function applyEdit(edit: vscode.WorkspaceEdit, sessionId: string, agentEdit: AgentEdit): Promise<Applied> {
  const { files, paths } = editPlan(edit);
  const dirty = new Set(vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map(({ uri }) => uri.fsPath));
  const edited = (): vscode.TextDocument[] =>
    vscode.workspace.textDocuments.filter(({ uri }) => paths.includes(uri.fsPath));
  await requireExactSaves(edit);
  await agentEdit(sessionId, paths, async (note) => {
    const before = new Map(edited().map((document) => [document, new EditNotes(document, note)]));
    // Not as a refactoring: VS Code would save every file by `files.refactoring.autoSave`, the user's unsaved text included.
    const isApplied = await vscode.workspace.applyEdit(edit);
    if (!isApplied)
      throw new ToolError('VS Code did not apply the edit.', 'A file may have changed meanwhile; try again.');
    for (const [document, notes] of before) notes.recordAgentText(document.getText());
    const changed = edited().filter(({ uri }) => !dirty.has(uri.fsPath));
    const saved = await Promise.all(
      changed.map((document) => saveOrKeepFile(document, before.get(document)?.recordTypedText)),
    );
    const failed = changed.filter((_, at) => !saved[at]).map(({ uri }) => labelOf(uri));
    if (failed.length > 0)
      throw new ToolError(
        `VS Code could not save ${failed.join(', ')}.`,
        'The edit is in the editors, unsaved. The file may be read-only, or the disk full; tell the user.',
      );
  });
  const unsaved = paths.filter((path) => dirty.has(path)).map((path) => labelOf(vscode.Uri.file(path)));
  return { files, applied: true, unsaved };
}

/** @throws ToolError when a save would change lines that the edit does not touch */
async function requireExactSaves(edit: vscode.WorkspaceEdit): Promise<void> {
  for (const [uri, edits] of edit.entries()) {
    if (edits.length === 0 || uri.scheme !== 'file') continue;
    // The edit may also create the file.
    const document = await vscode.workspace.openTextDocument(uri).then(
      (opened) => opened,
      () => undefined,
    );
    if (!document || (await isSavedExactly(document))) continue;
    throw new ToolError(
      `VS Code would change other lines of ${labelOf(uri)}: it has mixed line ends, or another encoding than its editor.`,
      'Nothing was changed. Ask the user to set "files.encoding" or to unify the line ends.',
    );
  }
}

/** For example `2 files: src/a.ts (3), src/b.ts (1)`. */
export function filesText(files: readonly ChangedFile[]): string {
  const names = files.map(({ path, edits }) => `${path} (${edits})`).join(', ');
  return `${files.length} ${files.length === 1 ? 'file' : 'files'}: ${names}`;
}

/** A sentence that names the unsaved files; empty when there are none. */
export function unsavedText(unsaved: readonly string[]): string {
  return unsaved.length === 0 ? '' : ` Not saved, because they had unsaved changes of the user: ${unsaved.join(', ')}.`;
}

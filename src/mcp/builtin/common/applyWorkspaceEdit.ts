import * as vscode from 'vscode';
import { createNew } from '../../../node/fs/overwriteFile';
import type { NoteText } from '../../../workbench/editNotes';
import { EditNotes } from '../../../workbench/editNotes';
import type { WriteTarget } from '../../../workbench/editorWrites';
import { applyInPlace, isInPlace, savedFile } from '../../../workbench/editorWrites';
import { applyMinimalEdit, clearDirtyState, saveOrKeepFile } from '../../../workbench/textDocuments';
import { isSavedExactly } from '../../../workbench/textForm';
import type { Zod } from '../../contract/toolServerTypes';
import { ToolError } from '../../contract/toolServerTypes';
import type { EditedFile, PlannedEdit } from './plannedEdit';
import { openIfThere, requireAllInPlace, requireUnchanged } from './plannedEdit';
import { labelOf } from './workspaceFile';

/** Marks edits as made by an agent, so that review does not take them for the user's. */
export type AgentEdit = <T>(
  sessionId: string,
  paths: string | readonly string[],
  write: (note?: NoteText) => Promise<T>,
) => Promise<T>;

export function editFields(z: Zod) {
  return {
    files: z.array(z.object({ path: z.string(), edits: z.int() })),
    applied: z.boolean(),
    unsaved: z.array(z.string()).describe('Files that had unsaved changes of the user before: changed, but not saved'),
  };
}

export interface Applied {
  readonly files: EditedFile[];
  readonly applied: boolean;
  readonly unsaved: string[];
}

/** A file that an edit creates. */
export interface NewFile extends WriteTarget {
  readonly bytes: Uint8Array;
}

/**
 * Applies an edit as one undoable step and saves the files, so that the agent sees the same on disk. A file with unsaved user changes is
 * edited but not saved.
 * @param created files that are written first
 * @throws ToolError when a file is not as it was when the edit was made, or VS Code refuses the edit; nothing is changed then
 */
export async function applyEdit(
  plan: PlannedEdit,
  sessionId: string,
  agentEdit: AgentEdit,
  created: readonly NewFile[] = [],
): Promise<Applied> {
  const { edit, files, paths } = plan;
  const dirty = new Set(vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map(({ uri }) => uri.fsPath));
  for (const [from, to] of plan.renamed) if (dirty.has(from)) dirty.add(to);
  requireAllInPlace([...plan.targets, ...created]);
  await requireExactSaves(edit);
  const all = [...paths, ...created.map(({ uri }) => uri.fsPath)];
  await agentEdit(sessionId, all, async (note) => {
    requireUnchanged(plan);
    for (const { real, bytes } of created) await createNew(real, bytes);
    if (paths.length > 0 || plan.moves.length > 0) await applyAndSave(plan, dirty, note);
  });
  const isUnsaved = (path: string): boolean => dirty.has(path) && !plan.renamed.has(path);
  const unsaved = paths.filter(isUnsaved).map((path) => labelOf(vscode.Uri.file(path)));
  return { files: [...files], applied: true, unsaved };
}

/** @param dirty paths that are not saved */
async function applyAndSave(
  { edit, targets, paths }: PlannedEdit,
  dirty: ReadonlySet<string>,
  note: NoteText | undefined,
): Promise<void> {
  const edited = (): vscode.TextDocument[] =>
    vscode.workspace.textDocuments.filter(({ uri }) => paths.includes(uri.fsPath));
  const realOf = new Map(targets.map(({ uri, real }) => [uri.fsPath, real]));
  const before = new Map(
    edited().map((document) => [document, { notes: new EditNotes(document, note), text: document.getText() }]),
  );
  if (!(await applyInPlace(edit, targets)))
    throw new ToolError('VS Code did not apply the edit.', 'A file may have changed meanwhile; try again.');
  for (const [document, { notes }] of before) notes.recordAgentText(document.getText());
  const changed = edited().filter(({ uri }) => !dirty.has(uri.fsPath));
  const failed: string[] = [];
  await Promise.all(
    changed.map(async (document) => {
      const after = document.getText();
      const { uri } = document;
      const real = realOf.get(uri.fsPath) ?? uri.fsPath;
      if (await saveOrKeepFile(document, real, before.get(document)?.notes.recordTypedText)) return;
      failed.push(labelOf(uri));
      const old = before.get(document)?.text;
      if (!isInPlace({ uri, real }) && old !== undefined) await takeBack(document, after, old);
    }),
  );
  if (failed.length > 0)
    throw new ToolError(
      `VS Code could not save ${failed.join(', ')}.`,
      'The edit is in the editors, unsaved. The file may be read-only, the disk full, or a link has replaced the file; tell the user.',
    );
}

/** A link has replaced the file: an automatic save would write the edit through it. */
async function takeBack(document: vscode.TextDocument, after: string, before: string): Promise<void> {
  if (document.getText() === after && (await applyMinimalEdit(document, before, savedFile(document))))
    await clearDirtyState(document, before);
}

/** @throws ToolError when a save would change lines that the edit does not touch */
async function requireExactSaves(edit: vscode.WorkspaceEdit): Promise<void> {
  for (const [uri, edits] of edit.entries()) {
    if (edits.length === 0) continue;
    // The edit may also create the file.
    const document = await openIfThere(uri);
    if (!document || uri.scheme !== 'file' || (await isSavedExactly(document))) continue;
    throw new ToolError(
      `VS Code would change other lines of ${labelOf(uri)}: it has mixed line ends, or another encoding than its editor.`,
      'Nothing was changed. Ask the user to set "files.encoding" or to unify the line ends.',
    );
  }
}

/** For example `2 files: src/a.ts (3), src/b.ts (1)`. */
export function filesText(files: readonly EditedFile[]): string {
  const names = files.map(({ path, edits }) => `${path} (${edits})`).join(', ');
  return `${files.length} ${files.length === 1 ? 'file' : 'files'}: ${names}`;
}

/** A sentence that names the unsaved files; empty when there are none. */
export function unsavedText(unsaved: readonly string[]): string {
  return unsaved.length === 0 ? '' : ` Not saved, because they had unsaved changes of the user: ${unsaved.join(', ')}.`;
}

import * as vscode from 'vscode';
import type { output as ZodOutput } from 'zod';
import { applyInPlace, saveInPlace } from '../../../workbench/editorWrites';
import type { Tool, Zod } from '../../contract/toolServerTypes';
import { tool, ToolError } from '../../contract/toolServerTypes';
import type { AgentEdit } from '../common/applyWorkspaceEdit';
import { requireAllInPlace } from '../common/plannedEdit';
import type { OpenedNotebook } from './notebookCells';
import { cellAt, openNotebook } from './notebookCells';

export function editTool(agentEdit: AgentEdit): Tool {
  return tool({
    name: 'edit',
    title: 'Edit a notebook',
    description:
      'Inserts, replaces and deletes cells of a notebook, all in one step that can be undone. Every index is one of read.',
    annotations: { destructiveHint: true },
    approval: 'policy',
    asksItself: true,
    input: editInput,
    output: (z) => z.object({ version: z.int(), cell_count: z.int(), saved: z.boolean() }),
    call: async ({ path, ops, version }, context) => {
      const { session, approve } = context;
      const file = await openNotebook(path, context);
      const { notebook, uri, label } = file;
      checkVersion(notebook, version, label);
      const asked = notebook.version;
      plan(notebook, ops);
      const title = `Edit ${label}: ${ops.map(opText).join(', ')}`;
      await approve({ title, paths: [uri.fsPath] });
      const isSaved = await agentEdit(session.id, uri.fsPath, () => {
        // The user may have edited the notebook meanwhile: the indices would name other cells.
        checkVersion(notebook, asked, label);
        return apply(file, plan(notebook, ops));
      });
      const { version: now, cellCount } = notebook;
      const unsaved = isSaved ? '' : ' It is not saved, because it had unsaved changes of the user.';
      return {
        text: `${label} has ${cellCount} cells now.${unsaved}`,
        structured: { version: now, cell_count: cellCount, saved: isSaved },
      };
    },
  });
}

function editInput(z: Zod) {
  return z.object({
    path: z.string().describe('File, relative to a workspace folder'),
    ops: z.array(opSchema(z)).min(1).max(100),
    version: z
      .int()
      .optional()
      .describe('The version that read returned. Nothing is changed if the notebook has another version'),
  });
}

function opSchema(z: Zod) {
  return z.object({
    op: z.enum(['insert', 'replace', 'delete']),
    index: z.int().min(0).describe('The cell; insert puts the new one before it, or at the end'),
    source: z.string().optional().describe('For insert and replace'),
    kind: z.enum(['code', 'markdown']).optional().describe('Of a new cell; code when absent'),
    language: z.string().optional().describe('Of a code cell; that of the other ones when absent'),
  });
}

type Op = ZodOutput<ReturnType<typeof opSchema>>;

function opText({ op, index }: Op): string {
  return `${op} cell ${index}`;
}

function checkVersion({ version }: vscode.NotebookDocument, requested: number | undefined, label: string): void {
  if (requested === undefined || requested === version) return;
  throw new ToolError(`${label} has changed: it is at version ${version}, not ${requested}.`, 'Read it again.');
}

/**
 * The edits; VS Code applies all indices to the original notebook.
 * @throws ToolError for an invalid operation
 */
function plan(notebook: vscode.NotebookDocument, ops: readonly Op[]): readonly vscode.NotebookEdit[] {
  const changed = ops.filter(({ op }) => op !== 'insert').map(({ index }) => index);
  const twice = changed.find((index, position) => changed.indexOf(index) !== position);
  if (twice !== undefined) throw new ToolError(`Cell ${twice} is named twice.`, 'Replace or delete it once.');
  // One edit per insertion point: VS Code does not keep the order of several.
  const inserted = ops.filter(({ op }) => op === 'insert');
  const insertions = [...new Set(inserted.map(({ index }) => index))].map((at) => {
    if (at > notebook.cellCount) cellAt(notebook, at);
    const cells = inserted.filter(({ index }) => index === at).map((op) => newCell(notebook, op));
    return vscode.NotebookEdit.insertCells(at, cells);
  });
  const changes = ops.filter(({ op }) => op !== 'insert').map((op) => changeOf(notebook, op));
  return [...changes, ...insertions];
}

function changeOf(notebook: vscode.NotebookDocument, op: Op): vscode.NotebookEdit {
  const cell = cellAt(notebook, op.index);
  const range = new vscode.NotebookRange(op.index, op.index + 1);
  if (op.op === 'delete') return vscode.NotebookEdit.deleteCells(range);
  return vscode.NotebookEdit.replaceCells(range, [toReplacement(cell, op)]);
}

function newCell(notebook: vscode.NotebookDocument, { source, kind = 'code', language }: Op): vscode.NotebookCellData {
  if (source === undefined) throw new ToolError('source is missing for insert.', 'Give the text of the new cell.');
  if (kind === 'markdown') {
    return new vscode.NotebookCellData(vscode.NotebookCellKind.Markup, source, language ?? 'markdown');
  }
  const other = notebook.getCells().find((cell) => cell.kind === vscode.NotebookCellKind.Code);
  const spoken = language ?? other?.document.languageId ?? 'python';
  return new vscode.NotebookCellData(vscode.NotebookCellKind.Code, source, spoken);
}

/** Fields that are not given stay unchanged, outputs too. */
function toReplacement(cell: vscode.NotebookCell, { source, kind, language }: Op): vscode.NotebookCellData {
  const { document, metadata, outputs } = cell;
  const kinds = { code: vscode.NotebookCellKind.Code, markdown: vscode.NotebookCellKind.Markup };
  const newKind = kind === undefined ? cell.kind : kinds[kind];
  const isSame = newKind === cell.kind;
  const spoken = language ?? (isSame ? document.languageId : kind === 'markdown' ? 'markdown' : 'python');
  const data = new vscode.NotebookCellData(newKind, source ?? document.getText(), spoken);
  data.metadata = metadata;
  if (isSame) data.outputs = [...outputs];
  return data;
}

/**
 * @returns whether it was saved: not if the user had unsaved changes in it.
 * @throws ToolError when VS Code refuses the edit
 */
async function apply(file: OpenedNotebook, edits: readonly vscode.NotebookEdit[]): Promise<boolean> {
  const { notebook, real } = file;
  requireAllInPlace([file]);
  const wasDirty = notebook.isDirty;
  const edit = new vscode.WorkspaceEdit();
  edit.set(notebook.uri, [...edits]);
  if (!(await applyInPlace(edit, [file]))) {
    throw new ToolError('VS Code did not apply the edit.', 'Read the notebook and try again.');
  }
  return !wasDirty && (await saveInPlace(notebook, real));
}

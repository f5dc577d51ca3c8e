import * as vscode from 'vscode';
import { createDeferred, settlesWithin } from '../../../base/async';
import type { JsonObject } from '../../../base/json';
import { canonicalJson } from '../../../base/json';
import { truncate } from '../../../base/text';
import type { Tool } from '../../contract/toolServerTypes';
import { tool, ToolError } from '../../contract/toolServerTypes';
import { RUN_LIMIT_MS } from '../common/backgroundRuns';
import { cellAt, cellSchema, cellText, decode, openNotebook, toCell } from './notebookCells';

/** Milliseconds until the first cell must have started: without a kernel none ever does. */
const START_TIMEOUT_MS = 10_000;

/** Outputs in a permission request, and UTF-16 units of each. */
const MAX_SHOWN_OUTPUTS = 50;
const MAX_SHOWN_OUTPUT = 2_000;
/** Types of outputs that VS Code shows without running something of them. */
const inert =
  /^(?:text\/(?:plain|markdown|latex)|image\/(?:png|jpeg|gif|webp)|application\/(?:json|vnd\.code\.notebook\.(?:error|stderr|stdout)))$/;

export function executeTool(): Tool {
  return tool({
    name: 'execute',
    title: 'Run cells',
    description: 'Runs code cells of a notebook with the kernel that the user has chosen, and tells their outputs',
    annotations: { destructiveHint: true, openWorldHint: true },
    approval: 'always',
    asksItself: true,
    timeout: RUN_LIMIT_MS,
    input: (z) =>
      z.object({
        path: z.string().describe('File, relative to a workspace folder'),
        cells: z.array(z.int().min(0)).min(1).max(100).describe('Their indices, from 0'),
      }),
    output: (z) => z.object({ cells: z.array(cellSchema(z)), finished: z.boolean() }),
    call: async ({ path, cells: indices }, context) => {
      const { signal, approve, waitForUser, progress } = context;
      const { notebook, label } = await openNotebook(path, context);
      const cells = [...new Set(indices)].toSorted((a, b) => a - b).map((index) => codeCell(notebook, index));
      const which = cells.map(({ index }) => index).join(', ');
      // The indices say nothing of it.
      const runs = cells.map(runOf);
      const scripts = scriptsOf(notebook, label);
      const title = `Run ${cells.length === 1 ? 'cell' : 'cells'} ${which} of ${label}`;
      await approve({ title, runs: [...runs, ...scripts.map(shortened)] });
      requireSameScripts(notebook, scripts, label);
      await vscode.window.showNotebookDocument(notebook, { preserveFocus: true });
      const isSame = (): boolean => canonicalJson(cells.map(runOf)) === canonicalJson(runs);
      if (!isSame()) throw new ToolError(`The cells of ${label} changed while the user was asked.`, 'Call it again.');
      progress(`Running cells ${which}`);
      // VS Code may ask for a kernel first.
      await run(notebook, cells, isSame, signal, waitForUser);
      const results = cells.map(toCell);
      const isFinished = cells.every(hasEnded);
      const text = results.map(cellText).join('\n\n');
      return { text: isFinished ? text : `Stopped.\n${text}`, structured: { cells: results, finished: isFinished } };
    },
  });
}

function codeCell(notebook: vscode.NotebookDocument, index: number): vscode.NotebookCell {
  const cell = cellAt(notebook, index);
  if (cell.kind === vscode.NotebookCellKind.Code) return cell;
  throw new ToolError(`Cell ${index} is text, which cannot be run.`, 'Leave it out.');
}

/** What running a cell runs, for the user. */
function runOf({ index, document }: vscode.NotebookCell): JsonObject {
  return { cell: index, language: document.languageId, code: document.getText() };
}

/** An output that runs scripts when the notebook is shown. */
type Script = { readonly cell: number; readonly output: string; readonly content: string };

/**
 * None if the user already sees the notebook.
 * @throws ToolError for more than a permission request can show
 */
function scriptsOf(notebook: vscode.NotebookDocument, label: string): readonly Script[] {
  if (vscode.window.visibleNotebookEditors.some((editor) => editor.notebook === notebook)) return [];
  const all = notebook.getCells().flatMap(({ index, outputs }) => {
    const active = outputs.flatMap(({ items }) => items).filter(({ mime }) => !inert.test(mime));
    return active.map((item) => ({ cell: index, output: item.mime, content: decode(item) }));
  });
  if (all.length <= MAX_SHOWN_OUTPUTS) return all;
  throw new ToolError(`${label} has ${all.length} outputs that may run scripts.`, 'Ask the user to open it first.');
}

function shortened(script: Script): Script {
  return { ...script, content: truncate(script.content, MAX_SHOWN_OUTPUT) };
}

/** @throws ToolError when other scripts than the approved ones would run */
function requireSameScripts(notebook: vscode.NotebookDocument, approved: readonly Script[], label: string): void {
  const now = scriptsOf(notebook, label);
  if (now.length === 0 || canonicalJson(now) === canonicalJson(approved)) return;
  throw new ToolError(`The outputs of ${label} changed while the user was asked.`, 'Call it again.');
}

function hasEnded({ executionSummary }: vscode.NotebookCell): boolean {
  return executionSummary?.success !== undefined || executionSummary?.timing !== undefined;
}

/**
 * Runs cells and waits until each has ended or one has failed: kernels then skip the rest.
 * @param isSame no cell has changed: kernels read the code of a cell when its turn comes
 * @throws ToolError when none started
 */
async function run(
  notebook: vscode.NotebookDocument,
  cells: readonly vscode.NotebookCell[],
  isSame: () => boolean,
  signal: AbortSignal,
  waitForUser: (order: Promise<void>) => Promise<void>,
): Promise<void> {
  const started = createDeferred<void>();
  const ended = createDeferred<void>();
  const remaining = new Set(cells);
  const stop = (): void => {
    void order('notebook.cell.cancelExecution', notebook, cells);
    ended.resolve();
  };
  const watching = vscode.workspace.onDidChangeNotebookDocument(({ notebook: changed, cellChanges }) => {
    if (changed !== notebook) return;
    if (!isSame()) stop();
    for (const { cell, executionSummary } of cellChanges) {
      if (!remaining.has(cell) || executionSummary === undefined) continue;
      started.resolve();
      if (!hasEnded(cell)) continue;
      remaining.delete(cell);
      if (remaining.size === 0 || executionSummary.success === false) ended.resolve();
    }
  });
  signal.addEventListener('abort', stop, { once: true });
  try {
    await waitForUser(order('notebook.cell.execute', notebook, cells));
    if (!(await settlesWithin(Promise.race([started.promise, ended.promise]), START_TIMEOUT_MS))) {
      stop();
      throw new ToolError('No cell began to run.', 'Ask the user to choose a kernel for the notebook.');
    }
    await ended.promise;
  } finally {
    watching.dispose();
    signal.removeEventListener('abort', stop);
  }
}

/** Only fixed commands, never one named by a model. */
async function order(
  command: 'notebook.cell.execute' | 'notebook.cell.cancelExecution',
  { uri }: vscode.NotebookDocument,
  cells: readonly vscode.NotebookCell[],
): Promise<void> {
  const ranges = cells.map(({ index }) => ({ start: index, end: index + 1 }));
  await vscode.commands.executeCommand(command, { ranges, document: uri });
}

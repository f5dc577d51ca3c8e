import * as vscode from 'vscode';
import type { SessionHandle } from '../../../session/sessionHandle';
import { isInWorkspace } from '../../../workbench/workspaceFiles';
import type { Tool, Zod } from '../../contract/toolServerTypes';
import { tool, ToolError } from '../../contract/toolServerTypes';
import { ReadableFiles } from '../common/readableFiles';
import { resolveWorkspaceFile, labelOf } from '../common/workspaceFile';

/** Characters of a selection in a result. */
const MAX_SELECTION = 20_000;
/** Minimum milliseconds between two files that an agent opens. */
const MIN_OPEN_INTERVAL_MS = 1_000;

/** Lines are 1-based. */
interface EditorRange {
  readonly path: string;
  readonly line: number;
  readonly end_line: number;
}

interface EditorLocation extends EditorRange {
  readonly selected_text: string;
}

export function editorStateTool(): Tool {
  return tool({
    name: 'state',
    title: 'State of the editor',
    description: 'The file that the user looks at and what is selected, what is visible, open, and not saved',
    annotations: { readOnlyHint: true },
    approval: 'free',
    input: (z) => z.object({}),
    output: stateOutput,
    call: async (_input, { session }) => {
      const editor = vscode.window.activeTextEditor;
      const files = new ReadableFiles(session);
      const active = editor && isOfWorkspace(editor.document) ? await toLocation(editor, files) : undefined;
      const structured = {
        ...(active && { active }),
        visible: vscode.window.visibleTextEditors.filter(({ document }) => isOfWorkspace(document)).map(visibleOf),
        tabs: tabs(),
        unsaved: vscode.workspace.textDocuments
          .filter((document) => document.isDirty && isOfWorkspace(document))
          .map(({ uri }) => labelOf(uri)),
      };
      const open = `Open: ${structured.tabs.join(', ') || 'nothing'}.`;
      const unsaved = structured.unsaved.length > 0 ? ` Not saved: ${structured.unsaved.join(', ')}.` : '';
      return { text: `${locationText(active)}\n${open}${unsaved}${files.note}`, structured };
    },
  });
}

function stateOutput(z: Zod) {
  return z.object({
    active: z.object({ path: z.string(), line: z.int(), end_line: z.int(), selected_text: z.string() }).optional(),
    visible: z.array(z.object({ path: z.string(), line: z.int(), end_line: z.int() })),
    tabs: z.array(z.string()),
    unsaved: z.array(z.string()),
  });
}

/** Only workspace files: the user may have a private file open in another editor. */
function isOfWorkspace({ uri }: vscode.TextDocument): boolean {
  return isInWorkspace(uri);
}

async function toLocation({ document, selection }: vscode.TextEditor, files: ReadableFiles): Promise<EditorLocation> {
  const text = document.getText(selection).slice(0, MAX_SELECTION);
  return {
    path: labelOf(document.uri),
    line: selection.start.line + 1,
    end_line: selection.end.line + 1,
    selected_text: text === '' || (await files.has(document.uri)) ? text : '',
  };
}

function visibleOf({ document, visibleRanges }: vscode.TextEditor): EditorRange {
  const first = visibleRanges[0]?.start.line ?? 0;
  const last = visibleRanges.at(-1)?.end.line ?? first;
  return { path: labelOf(document.uri), line: first + 1, end_line: last + 1 };
}

function tabs(): string[] {
  const all = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const uris = all.flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  return [...new Set(uris.filter(isInWorkspace).map(labelOf))];
}

/** {@link locationText} of the active editor. */
export async function selectionText(session: SessionHandle): Promise<string> {
  const editor = vscode.window.activeTextEditor;
  const files = new ReadableFiles(session);
  const active = editor && isOfWorkspace(editor.document) ? await toLocation(editor, files) : undefined;
  return locationText(active) + files.note;
}

/** `src/a.ts:3-5` with the selected lines, or a sentence that says nothing is selected. */
function locationText(active: EditorLocation | undefined): string {
  if (!active) return 'The user looks at no file of the workspace.';
  const { path, line, end_line: end, selected_text: text } = active;
  if (text === '') return `The user is at ${path}:${line}; nothing is selected.`;
  return `The user has selected ${path}:${line}-${end}:\n${text}`;
}

export function openTool(): Tool {
  let lastAt = 0;
  return tool({
    name: 'open',
    title: 'Open a file',
    description: 'Shows the user a line of a file. The focus stays where it is.',
    annotations: { readOnlyHint: true, idempotentHint: true },
    approval: 'free',
    input: (z) =>
      z.object({
        path: z.string().describe('File, relative to a workspace folder'),
        line: z.int().min(1).optional().describe('1-based'),
        preview: z.boolean().optional().describe('false: keep it open; true when absent'),
      }),
    output: (z) => z.object({ path: z.string(), line: z.int() }),
    call: async ({ path, line = 1, preview = true }, { session }) => {
      const { uri, label } = resolveWorkspaceFile(path, session);
      const now = performance.now();
      if (now - lastAt < MIN_OPEN_INTERVAL_MS)
        throw new ToolError('One file a second can be opened.', 'Wait, or open fewer files.');
      lastAt = now;
      const document = await vscode.workspace.openTextDocument(uri);
      const at = new vscode.Position(Math.min(line, document.lineCount) - 1, 0);
      await vscode.window.showTextDocument(document, {
        preserveFocus: true,
        preview,
        selection: new vscode.Range(at, at),
      });
      return { text: `Shown: ${label}:${at.line + 1}`, structured: { path: label, line: at.line + 1 } };
    },
  });
}

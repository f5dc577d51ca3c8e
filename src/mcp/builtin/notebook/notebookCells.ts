import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors';
import { lastChars } from '../../../base/text';
import type { ToolContext } from '../../../session/toolServer';
import type { Zod } from '../../contract/toolServerTypes';
import { ToolError } from '../../contract/toolServerTypes';
import { requireReadable } from '../common/readableFiles';
import type { WorkspaceFile } from '../common/workspaceFile';
import { resolveWorkspaceFile } from '../common/workspaceFile';

/** UTF-16 units of a cell's output in a result; the end is kept. */
const MAX_OUTPUT = 4_000;

/** Text MIME types of an output, best first. */
const TEXTS = [
  'application/vnd.code.notebook.error',
  'application/vnd.code.notebook.stderr',
  'application/vnd.code.notebook.stdout',
  'text/plain',
  'text/markdown',
  'application/json',
  'text/html',
];

export interface OpenedNotebook extends WorkspaceFile {
  readonly notebook: vscode.NotebookDocument;
}

/** @throws ToolError when it may not be read, is not a notebook, or cannot be opened */
export async function openNotebook(path: string, context: ToolContext): Promise<OpenedNotebook> {
  const file = resolveWorkspaceFile(path, context.session);
  await requireReadable(file.uri, context);
  try {
    return { ...file, notebook: await vscode.workspace.openNotebookDocument(file.uri) };
  } catch (error) {
    const message = `${file.label} cannot be opened as a notebook: ${errorMessage(error).replace(/\.$/, '')}.`;
    throw new ToolError(message, 'Check the path; an extension for its kind may be missing.', { cause: error });
  }
}

export function cellSchema(z: Zod) {
  return z.object({
    index: z.int().describe('From 0'),
    kind: z.enum(['code', 'markdown']),
    language: z.string(),
    source: z.string(),
    output_text: z.string().optional(),
    execution_order: z.int().optional(),
    success: z.boolean().optional(),
  });
}

export function toCell({ index, kind, document, outputs, executionSummary }: vscode.NotebookCell) {
  const output = outputs.map(outputText).filter(Boolean).join('\n');
  const { executionOrder, success } = executionSummary ?? {};
  return {
    index,
    kind: kind === vscode.NotebookCellKind.Code ? ('code' as const) : ('markdown' as const),
    language: document.languageId,
    source: document.getText(),
    ...(output !== '' && { output_text: lastChars(output, MAX_OUTPUT) }),
    ...(executionOrder !== undefined && { execution_order: executionOrder }),
    ...(success !== undefined && { success }),
  };
}

export function cellText({ index, kind, source, output_text: output }: ReturnType<typeof toCell>): string {
  return `[${index}] ${kind}\n${source}${output === undefined ? '' : `\n→ ${output}`}`;
}

/** The best text of an output, else its MIME type. */
function outputText({ items }: vscode.NotebookCellOutput): string {
  const best = TEXTS.flatMap((mime) => items.filter((item) => item.mime === mime))[0];
  if (best) return best.mime === TEXTS[0] ? errorText(decode(best)) : decode(best);
  return items.map(({ mime, data }) => `[${mime}, ${data.length} bytes]`).join(' ');
}

export function decode({ data }: vscode.NotebookCellOutputItem): string {
  return new TextDecoder().decode(data);
}

/** VS Code's error form: name, message and stack as JSON. */
function errorText(json: string): string {
  try {
    const { name, message, stack } = JSON.parse(json) as Partial<Record<'name' | 'message' | 'stack', unknown>>;
    return [`${String(name)}: ${String(message)}`, stack].filter((part) => typeof part === 'string').join('\n');
  } catch {
    return json;
  }
}

/** @throws ToolError when there is no such cell */
export function cellAt(notebook: vscode.NotebookDocument, index: number): vscode.NotebookCell {
  if (index < notebook.cellCount) return notebook.cellAt(index);
  throw new ToolError(
    `There is no cell ${index}: the notebook has ${notebook.cellCount}, counted from 0.`,
    'Read it again.',
  );
}

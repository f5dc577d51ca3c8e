import * as vscode from 'vscode';
import type { SessionHandle } from '../../../session/sessionHandle';
import type { Tool } from '../../contract/toolServerTypes';
import { tool, ToolError } from '../../contract/toolServerTypes';
import type { AgentEdit } from '../common/applyWorkspaceEdit';
import { applyEdit } from '../common/applyWorkspaceEdit';
import type { PlannedEdit } from '../common/plannedEdit';
import { EditPlanner } from '../common/plannedEdit';
import type { WorkspaceFile } from '../common/workspaceFile';
import { resolveWorkspaceFile, openDocument } from '../common/workspaceFile';
import { codeActions } from './codeActionTools';

export function formatTool(agentEdit: AgentEdit): Tool {
  return tool({
    name: 'format',
    title: 'Format files',
    description: "Formats files with the person's formatter, and sorts imports if asked",
    annotations: { destructiveHint: true, idempotentHint: true },
    approval: 'policy',
    asksItself: true,
    input: (z) =>
      z.object({
        paths: z.array(z.string()).min(1).max(50).describe('Files, relative to a workspace folder'),
        organize_imports: z.boolean().optional().describe('Also sort imports and remove unused ones'),
      }),
    output: (z) => z.object({ files: z.array(z.object({ path: z.string(), changed: z.boolean() })) }),
    call: async ({ paths, organize_imports: shouldOrganize = false }, { session, approve }) => {
      const named = paths.map((path) => resolveWorkspaceFile(path, session));
      const opened = await Promise.all(named.map(openFile));
      const absolute = opened.map(({ document }) => document.uri.fsPath);
      await approve({ title: `Format ${opened.map(({ label }) => label).join(', ')}`, paths: absolute });
      const files: { path: string; changed: boolean }[] = [];
      for (const document of opened) {
        files.push({ path: document.label, changed: await formatFile(document, shouldOrganize, session, agentEdit) });
      }
      const text = files.map(({ path, changed }) => `${path}: ${changed ? 'formatted' : 'unchanged'}`).join('\n');
      return { text, structured: { files } };
    },
  });
}

interface OpenedFile extends WorkspaceFile {
  readonly document: vscode.TextDocument;
}

async function openFile({ uri, real, label }: WorkspaceFile): Promise<OpenedFile> {
  const { document } = await openDocument({ uri, label });
  return { uri, real, label, document };
}

async function formatFile(
  file: OpenedFile,
  shouldOrganize: boolean,
  session: SessionHandle,
  agentEdit: AgentEdit,
): Promise<boolean> {
  const { document } = file;
  const before = document.getText();
  if (shouldOrganize) {
    const planner = new EditPlanner();
    const whole = new vscode.Range(0, 0, document.lineCount, 0);
    const [action] = await codeActions(document.uri, whole, 'source.organizeImports');
    if (action?.edit) await applyTo(file, await planner.plan(action.edit, [file]), session, agentEdit);
  }
  const planner = new EditPlanner();
  const edits = await vscode.commands.executeCommand<vscode.TextEdit[] | undefined>(
    'vscode.executeFormatDocumentProvider',
    document.uri,
    formattingOptions(document),
  );
  if (edits && edits.length > 0) {
    const edit = new vscode.WorkspaceEdit();
    edit.set(document.uri, edits);
    await applyTo(file, await planner.plan(edit, [file]), session, agentEdit);
  }
  return document.getText() !== before;
}

/** @throws ToolError when the edit changes other files, which the question did not name */
async function applyTo(
  { uri, label }: WorkspaceFile,
  plan: PlannedEdit,
  session: SessionHandle,
  agentEdit: AgentEdit,
): Promise<void> {
  if (plan.moves.length > 0 || plan.paths.some((path) => path !== uri.fsPath))
    throw new ToolError(`Formatting ${label} would also change other files.`, 'Nothing was changed in this step.');
  await applyEdit(plan, session.id, agentEdit);
}

/** The user's settings for this file; an open editor may have detected others. */
function formattingOptions({ uri, languageId }: vscode.TextDocument): vscode.FormattingOptions {
  const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
  const settings = vscode.workspace.getConfiguration('editor', { uri, languageId });
  const tabSize = editor?.options.tabSize ?? settings.get<number>('tabSize', 4);
  const insertSpaces = editor?.options.insertSpaces ?? settings.get<boolean>('insertSpaces', true);
  return { tabSize: Number(tabSize), insertSpaces: insertSpaces === true };
}

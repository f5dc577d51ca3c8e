import * as vscode from 'vscode';
import type { Tool, ToolServer, Zod } from '../../contract/toolServerTypes';
import { tool, ToolError } from '../../contract/toolServerTypes';
import type { AgentEdit } from '../common/applyWorkspaceEdit';
import { applyEdit, editFields, filesText, unsavedText } from '../common/applyWorkspaceEdit';
import { HandleStore } from '../common/handleStore';
import { EditPlanner } from '../common/plannedEdit';
import { ReadableFiles } from '../common/readableFiles';
import { shownEdits } from '../common/shownEdits';
import { findSymbol, MAX_NAME, symbolLocationFields } from '../common/symbolLocation';
import { diffProblems } from '../problems/problemBaselines';
import {
  allProblems,
  collectDiagnostics,
  problemText,
  readableProblems,
  waitForDiagnostics,
} from '../problems/workspaceDiagnostics';
import type { PreparedAction } from './codeActionTools';
import { actionsTool, applyTool } from './codeActionTools';
import { formatTool } from './formatTool';

/** Milliseconds that diagnostics get after a rename. */
const SETTLE_MS = 5_000;

/** Maximum number of changed files whose problems are compared. */
const MAX_COMPARED_FILES = 20;

/** Refactorings by language servers, each applied as one undoable step. */
export function refactorServer(agentEdit: AgentEdit): ToolServer {
  const prepared = new HandleStore<PreparedAction>('change');
  return {
    name: 'refactor',
    title: 'Refactor',
    description: 'Renames, quick fixes, refactorings and formatting by the language servers of the editor',
    instructions: 'Prefer rename to editing each place: it knows scopes and imports, also in files you have not read.',
    tools: [
      renameTool(prepared, agentEdit),
      actionsTool(prepared),
      applyTool(prepared, agentEdit),
      formatTool(agentEdit),
    ],
  };
}

function renameTool(prepared: HandleStore<PreparedAction>, agentEdit: AgentEdit): Tool {
  return tool({
    name: 'rename',
    title: 'Rename symbol',
    description:
      'Renames a symbol everywhere in the workspace. With preview it only says what would change, and apply does it.',
    annotations: { destructiveHint: true },
    approval: 'policy',
    asksItself: true,
    input: renameInput,
    output: renameOutput,
    call: async ({ new_name: newName, preview = false, ...location }, context) => {
      const { session, signal, approve } = context;
      const { document, position } = await findSymbol(location, context);
      const planner = new EditPlanner();
      const plan = await planner.plan(await renameEdit(document, position, newName));
      const title = [`Rename ${location.symbol} to ${newName} in ${filesText(plan.files)}`, ...plan.moves].join('; ');
      if (preview) {
        const change_id = prepared.add(session.id, { title, edit: plan });
        const text = `${title}: nothing is changed yet. Apply ${change_id} to do it.`;
        return { text, structured: { files: [...plan.files], applied: false, unsaved: [], change_id } };
      }
      // The arguments name the symbol only: a language server decides what changes, and where.
      const runs = [{ files: shownEdits(plan.edit) }];
      await approve({ title, paths: plan.paths, runs, always: plan.moves.length > 0 });
      const uris = plan.paths.slice(0, MAX_COMPARED_FILES).map((path) => vscode.Uri.file(path));
      const { value } = await collectDiagnostics(uris, SETTLE_MS, signal, async () => {
        const before = allProblems();
        const done = await applyEdit(plan, session.id, agentEdit);
        await waitForDiagnostics(uris, SETTLE_MS, signal);
        const added = await readableProblems(diffProblems(before, allProblems()).added, new ReadableFiles(session));
        return { done, problems: added.map(problemText) };
      });
      const { done: applied, problems } = value;
      const broken = problems.length === 0 ? '' : ` New problems:\n${problems.join('\n')}`;
      const text = `Renamed ${location.symbol} to ${newName} in ${filesText(applied.files)}.${unsavedText(applied.unsaved)}${broken}`;
      return { text, structured: { ...applied, problems_after: problems } };
    },
  });
}

function renameInput(z: Zod) {
  return z.object({
    ...symbolLocationFields(z),
    new_name: z.string().min(1).max(MAX_NAME).describe('The name it gets'),
    preview: z.boolean().optional().describe('true: change nothing yet'),
  });
}

function renameOutput(z: Zod) {
  return z.object({
    ...editFields(z),
    change_id: z.string().optional().describe('With preview: for apply, within five minutes'),
    problems_after: z.array(z.string()).optional().describe('Problems that were not there before'),
  });
}

async function renameEdit(
  document: vscode.TextDocument,
  position: vscode.Position,
  newName: string,
): Promise<vscode.WorkspaceEdit> {
  const edit = await vscode.commands
    .executeCommand<vscode.WorkspaceEdit | undefined>(
      'vscode.executeDocumentRenameProvider',
      document.uri,
      position,
      newName,
    )
    .then(undefined, (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ToolError(`It cannot be renamed: ${reason}.`, 'Choose another name or symbol.', { cause: error });
    });
  if (edit && edit.size > 0) return edit;
  throw new ToolError('No language server can rename this.', 'Edit the places by hand; code__references finds them.');
}

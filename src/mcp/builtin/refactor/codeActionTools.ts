import { inspect } from 'node:util';
import * as vscode from 'vscode';
import type { JsonObject } from '../../../base/json';
import type { Tool, Zod } from '../../contract/toolServerTypes';
import { tool, ToolError } from '../../contract/toolServerTypes';
import type { AgentEdit, Applied } from '../common/applyWorkspaceEdit';
import { applyEdit, editFields, filesText, unsavedText } from '../common/applyWorkspaceEdit';
import type { HandleStore } from '../common/handleStore';
import type { PlannedEdit } from '../common/plannedEdit';
import { EditPlanner } from '../common/plannedEdit';
import { openToRead } from '../common/readableFiles';
import { shownEdits } from '../common/shownEdits';
import { collectDiagnostics } from '../problems/workspaceDiagnostics';

/** A prepared code action with its edit, its command, or both. */
export interface PreparedAction {
  readonly title: string;
  readonly edit?: PlannedEdit;
  /** Only from a provider: a model cannot name commands. */
  readonly command?: vscode.Command;
}

/** Milliseconds that diagnostics get before their fixes are requested. */
const SETTLE_MS = 5_000;
/** Actions whose edits are resolved at once; the rest when applied. */
const MAX_RESOLVED = 50;
const MAX_TRIES = 3;

export function actionsTool(prepared: HandleStore<PreparedAction>): Tool {
  return tool({
    name: 'actions',
    title: 'Code actions',
    description: 'Quick fixes and refactorings that the language servers offer for lines of a file; apply does one',
    annotations: { readOnlyHint: true },
    approval: 'free',
    input: actionsInput,
    output: actionsOutput,
    call: async ({ path, line, end_line: end = line, kind }, context) => {
      const { document, label } = await openToRead(path, context);
      const { session, signal } = context;
      if (line > document.lineCount)
        throw new ToolError(`${label} has ${document.lineCount} lines.`, 'Choose another line.');
      const last = document.lineAt(Math.min(Math.max(end, line), document.lineCount) - 1);
      const range = new vscode.Range(new vscode.Position(line - 1, 0), last.range.end);
      // Quick fixes exist only after the problems are known.
      const listActions = async () => ({
        planner: new EditPlanner(),
        found: await codeActions(document.uri, range, kind),
      });
      const { value: listed } = await collectDiagnostics([document.uri], SETTLE_MS, signal, listActions);
      const actions = await Promise.all(
        listed.found.map(async (action) => {
          const { title, command } = action;
          const edit = action.edit && (await listed.planner.plan(action.edit));
          const change = { title, ...(edit && { edit }), ...(command && { command }) };
          return describedAction(prepared.add(session.id, change), action);
        }),
      );
      const none = `Nothing is offered for ${label}:${line}.`;
      const text =
        actions.length === 0 ? none : actions.map(({ action_id: id, title }) => `${id}  ${title}`).join('\n');
      return { text, structured: { actions } };
    },
  });
}

function describedAction(id: string, { title, kind, isPreferred, disabled }: vscode.CodeAction) {
  const described = { action_id: id, title, kind: kind?.value ?? '', preferred: isPreferred === true };
  return disabled ? { ...described, disabled: disabled.reason } : described;
}

function actionsInput(z: Zod) {
  return z.object({
    path: z.string().describe('File, relative to a workspace folder'),
    line: z.int().min(1).describe('1-based'),
    end_line: z.int().min(1).optional().describe('The same line when absent'),
    kind: z
      .string()
      .optional()
      .describe('Only of this kind, such as quickfix, refactor.extract, source.organizeImports'),
  });
}

function actionsOutput(z: Zod) {
  return z.object({
    actions: z.array(
      z.object({
        action_id: z.string(),
        title: z.string(),
        kind: z.string(),
        preferred: z.boolean(),
        disabled: z.string().optional(),
      }),
    ),
  });
}

/**
 * The actions of all providers; some have only a command.
 * @throws ToolError when the document changes during each try
 */
export async function codeActions(
  uri: vscode.Uri,
  range: vscode.Range,
  kind?: string,
): Promise<readonly vscode.CodeAction[]> {
  const found = await executeCodeActionProvider([uri, range, kind, MAX_RESOLVED]);
  return (found ?? []).map((action) => {
    if (typeof action.command !== 'string') return action as vscode.CodeAction;
    const made = new vscode.CodeAction(action.title);
    made.command = action as vscode.Command;
    return made;
  });
}

/** VS Code cancels the providers when the document changes meanwhile, also when it loads the file again. */
async function executeCodeActionProvider(
  args: readonly unknown[],
): Promise<(vscode.CodeAction | vscode.Command)[] | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      return await vscode.commands.executeCommand('vscode.executeCodeActionProvider', ...args);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== new vscode.CancellationError().name) throw error;
      if (tries === MAX_TRIES)
        throw new ToolError('The file changed while its code actions were computed.', 'Try again.', { cause: error });
    }
  }
}

export function applyTool(prepared: HandleStore<PreparedAction>, agentEdit: AgentEdit): Tool {
  return tool({
    name: 'apply',
    title: 'Apply a change',
    description: 'Applies a code action, or a rename that was previewed',
    annotations: { destructiveHint: true },
    approval: 'policy',
    asksItself: true,
    input: (z) => z.object({ id: z.string().describe('The action_id or change_id of an earlier answer') }),
    output: (z) => z.object({ ...editFields(z), ran_command: z.string().optional() }),
    call: async ({ id }, { session, approve }) => {
      const change = prepared.get(session.id, id);
      if (!change)
        throw new ToolError(`There is no change ${JSON.stringify(id)}.`, 'Ask for actions, or preview, again.');
      const plan = change.edit;
      const always = change.command !== undefined || (plan?.moves.length ?? 0) > 0;
      // The handle says nothing of it.
      const files = plan ? shownEdits(plan.edit) : [];
      const moves = plan && plan.moves.length > 0 && { moves: [...plan.moves] };
      const runs = [{ change: change.title, files, ...moves, ...(change.command && shownCommand(change.command)) }];
      await approve({ title: applyTitle(change), always, runs, ...(plan && { paths: plan.paths }) });
      prepared.remove(id);
      const none: Applied = { files: [], applied: true, unsaved: [] };
      const applied = plan ? await applyEdit(plan, session.id, agentEdit) : none;
      if (change.command) await run(change.command);
      const ran = change.command && { ran_command: change.command.command };
      const where = applied.files.length === 0 ? '' : ` in ${filesText(applied.files)}`;
      return {
        text: `Applied “${change.title}”${where}.${unsavedText(applied.unsaved)}`,
        structured: { ...applied, ...ran },
      };
    },
  });
}

/** Language servers compute the arguments from files of the workspace. */
function shownCommand({ command, arguments: args = [] }: vscode.Command): JsonObject {
  return args.length === 0 ? { command } : { command, arguments: plainArguments(args) };
}

/** Some hold objects of VS Code. */
function plainArguments(args: readonly unknown[]): unknown {
  try {
    return JSON.parse(JSON.stringify(args)) as unknown;
  } catch {
    return inspect(args);
  }
}

function applyTitle({ title, command }: PreparedAction): string {
  return command ? `${title} (runs the command ${command.command})` : title;
}

async function run({ command, arguments: args = [] }: vscode.Command): Promise<void> {
  await vscode.commands.executeCommand(command, ...(args as unknown[]));
}

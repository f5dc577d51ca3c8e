import * as vscode from 'vscode';
import type { JsonObject } from '../../../base/json';
import { asString, canonicalJson, isObject } from '../../../base/json';
import { truncate } from '../../../base/text';
import { taskLabel } from './findTask';
import type { ShellWord } from './taskShellLine';
import { shellArguments, shellKind, shellLine } from './taskShellLine';

interface TaskPlace {
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The program that a task runs, as VS Code would start it. May still contain variables of tasks.json. */
export interface TaskPlan extends TaskPlace {
  readonly file: string;
  readonly args: readonly string[];
  /** Node's own argument quoting would break cmd.exe lines. */
  readonly isVerbatim: boolean;
}

/**
 * Undefined for a task that only VS Code can run: a custom execution, or one with dependencies.
 * @param isAll false: without its dependencies
 */
export function taskCommandOf(task: vscode.Task, isAll = true): TaskPlan | undefined {
  const { execution } = task;
  if (isAll && (hasUnknownEntry(task) || writtenTasks(task).some((entry) => entry['dependsOn'] !== undefined)))
    return undefined;
  if (execution instanceof vscode.ProcessExecution) {
    const { process: file, args, options } = execution;
    return { file, args, isVerbatim: false, ...toExecutionContext(options, task) };
  }
  return execution instanceof vscode.ShellExecution ? shellPlan(execution, task) : undefined;
}

/** The command shown to the user; undefined if there is none. */
export function taskCommandText({ execution }: vscode.Task): string | undefined {
  if (execution instanceof vscode.ProcessExecution) return [execution.process, ...execution.args].join(' ');
  return execution instanceof vscode.ShellExecution ? shellTaskLine(execution, 'posix') : undefined;
}

/** For a question, which shows the whole command besides. */
export function taskTitle(task: vscode.Task): string {
  const command = taskCommandText(task);
  return `Run the task ${taskLabel(task)}${command === undefined ? '' : ` (${truncate(command, 200)})`}`;
}

function shellPlan(execution: vscode.ShellExecution, task: vscode.Task): TaskPlan {
  const { options } = execution;
  const file = options?.executable ?? (vscode.env.shell || '/bin/sh');
  const kind = shellKind(file);
  const line = shellTaskLine(execution, kind);
  // With `/s /c` cmd.exe removes the outer quotes only.
  const command = kind === 'cmd' ? `"${line}"` : line;
  const args = [...(options?.shellArgs ?? shellArguments(kind)), command];
  return { file, args, isVerbatim: kind === 'cmd', ...toExecutionContext(options, task) };
}

function shellTaskLine(
  { commandLine, command, args }: vscode.ShellExecution,
  kind: Parameters<typeof shellLine>[1],
): string {
  if (commandLine !== undefined) return commandLine;
  const words: readonly ShellWord[] = [command, ...(args ?? [])].filter((word) => word !== undefined);
  return shellLine(words, kind);
}

function toExecutionContext(
  options: vscode.ShellExecutionOptions | vscode.ProcessExecutionOptions | undefined,
  { scope }: vscode.Task,
): TaskPlace {
  const folder = isObject(scope)
    ? (scope as unknown as vscode.WorkspaceFolder)
    : vscode.workspace.workspaceFolders?.[0];
  const cwd = options?.cwd ?? folder?.uri.fsPath;
  return { env: options?.env ?? {}, ...(cwd !== undefined && { cwd }) };
}

/** The task's entries in tasks.json: the task API does not expose dependencies. */
export function writtenTasks(task: vscode.Task): readonly JsonObject[] {
  const { name, definition } = task;
  const folder = taskFolder(task);
  // Version 0.1.0 of tasks.json also has tasks of one system.
  const entries: unknown[] = ['tasks', 'linux.tasks', 'osx.tasks', 'windows.tasks'].flatMap((key) => {
    const written = vscode.workspace.getConfiguration('tasks', folder).inspect<unknown>(key);
    return [written?.globalValue, written?.workspaceValue, written?.workspaceFolderValue].flat();
  });
  // A task of an extension needs no label there.
  const keys = Object.keys(definition);
  const isSame = (entry: JsonObject): boolean =>
    keys.length > 0 &&
    keys.every((key) => canonicalJson(entry[key] ?? null) === canonicalJson(definition[key] ?? null));
  return entries.filter(isObject).filter((entry) => {
    const label = asString(entry['label']) ?? asString(entry['taskName']);
    return label === undefined ? isSame(entry) : label === name;
  });
}

/** Whether a task of tasks.json has an entry that was not found: it may depend on any other. */
export function hasUnknownEntry(task: vscode.Task): boolean {
  return task.source === 'Workspace' && writtenTasks(task).length === 0;
}

/** Undefined for a task of the user or of the whole workspace. */
export function taskFolder({ scope }: vscode.Task): vscode.Uri | undefined {
  return isObject(scope) ? (scope as unknown as vscode.WorkspaceFolder).uri : undefined;
}

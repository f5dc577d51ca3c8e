import * as vscode from 'vscode';
import { isObject } from '../../../base/json';
import type { ShellWord } from './taskShellLine';
import { shellArguments, shellKind, shellLine } from './taskShellLine';

/** The program that a task runs, as VS Code would start it. Variables of tasks.json may still stand in it. */
export interface TaskPlan {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  /** Node's own quoting of arguments would spoil those of cmd.exe. */
  readonly verbatim: boolean;
}

/** Undefined for a task that only VS Code can run: of an extension's own kind, or one that needs others first. */
export function taskCommandOf(task: vscode.Task): TaskPlan | undefined {
  const { execution } = task;
  if (hasDependencies(task)) return undefined;
  if (execution instanceof vscode.ProcessExecution) {
    const { process: file, args, options } = execution;
    return { file, args, verbatim: false, ...placeOf(options, task) };
  }
  return execution instanceof vscode.ShellExecution ? shellPlan(execution, task) : undefined;
}

/** What a user reads as the command of a task; undefined where it has none. */
export function commandText({ execution }: vscode.Task): string | undefined {
  if (execution instanceof vscode.ProcessExecution) return [execution.process, ...execution.args].join(' ');
  return execution instanceof vscode.ShellExecution ? lineOf(execution, 'posix') : undefined;
}

function shellPlan(execution: vscode.ShellExecution, task: vscode.Task): TaskPlan {
  const { options } = execution;
  const file = options?.executable ?? (vscode.env.shell || '/bin/sh');
  const kind = shellKind(file);
  const line = lineOf(execution, kind);
  // With `/s /c` cmd.exe takes off the outer quotes, and nothing else.
  const command = kind === 'cmd' ? `"${line}"` : line;
  const args = [...(options?.shellArgs ?? shellArguments(kind)), command];
  return { file, args, verbatim: kind === 'cmd', ...placeOf(options, task) };
}

function lineOf({ commandLine, command, args }: vscode.ShellExecution, kind: Parameters<typeof shellLine>[1]): string {
  if (commandLine !== undefined) return commandLine;
  const words: readonly ShellWord[] = [command, ...(args ?? [])].filter((word) => word !== undefined);
  return shellLine(words, kind);
}

function placeOf(
  options: vscode.ShellExecutionOptions | vscode.ProcessExecutionOptions | undefined,
  { scope }: vscode.Task,
): Pick<TaskPlan, 'cwd' | 'env'> {
  const folder = isObject(scope)
    ? (scope as unknown as vscode.WorkspaceFolder)
    : vscode.workspace.workspaceFolders?.[0];
  const cwd = options?.cwd ?? folder?.uri.fsPath;
  return { env: options?.env ?? {}, ...(cwd !== undefined && { cwd }) };
}

/** Tasks do not tell what they depend on: tasks.json does. */
function hasDependencies({ name, scope }: vscode.Task): boolean {
  const folder = isObject(scope) ? (scope as unknown as vscode.WorkspaceFolder).uri : undefined;
  const written = vscode.workspace.getConfiguration('tasks', folder).inspect<unknown>('tasks');
  const entries: unknown[] = [written?.globalValue, written?.workspaceValue, written?.workspaceFolderValue].flat();
  return entries.some((entry) => isObject(entry) && entry['label'] === name && entry['dependsOn'] !== undefined);
}

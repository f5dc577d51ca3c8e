import * as vscode from 'vscode';
import { isObject } from '../../../base/json';
import type { ShellWord } from './taskShellLine';
import { shellArguments, shellKind, shellLine } from './taskShellLine';

/** The program that a task runs, as VS Code would start it. May still contain variables of tasks.json. */
export interface TaskPlan {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  /** Node's own argument quoting would break cmd.exe lines. */
  readonly isVerbatim: boolean;
}

/** Undefined for a task that only VS Code can run: a custom execution, or one with dependencies. */
export function taskCommandOf(task: vscode.Task): TaskPlan | undefined {
  const { execution } = task;
  if (hasDependencies(task)) return undefined;
  if (execution instanceof vscode.ProcessExecution) {
    const { process: file, args, options } = execution;
    return { file, args, isVerbatim: false, ...toExecutionContext(options, task) };
  }
  return execution instanceof vscode.ShellExecution ? shellPlan(execution, task) : undefined;
}

/** The command shown to the user; undefined if there is none. */
export function commandText({ execution }: vscode.Task): string | undefined {
  if (execution instanceof vscode.ProcessExecution) return [execution.process, ...execution.args].join(' ');
  return execution instanceof vscode.ShellExecution ? shellTaskLine(execution, 'posix') : undefined;
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
): Pick<TaskPlan, 'cwd' | 'env'> {
  const folder = isObject(scope)
    ? (scope as unknown as vscode.WorkspaceFolder)
    : vscode.workspace.workspaceFolders?.[0];
  const cwd = options?.cwd ?? folder?.uri.fsPath;
  return { env: options?.env ?? {}, ...(cwd !== undefined && { cwd }) };
}

/** The task API does not expose dependencies, so tasks.json is read. */
function hasDependencies({ name, scope }: vscode.Task): boolean {
  const folder = isObject(scope) ? (scope as unknown as vscode.WorkspaceFolder).uri : undefined;
  const written = vscode.workspace.getConfiguration('tasks', folder).inspect<unknown>('tasks');
  const entries: unknown[] = [written?.globalValue, written?.workspaceValue, written?.workspaceFolderValue].flat();
  return entries.some((entry) => isObject(entry) && entry['label'] === name && entry['dependsOn'] !== undefined);
}

import * as vscode from 'vscode';
import type { JsonObject } from '../../../base/json';
import { asArray, asString, canonicalJson, isObject, omitUndefined } from '../../../base/json';
import type { ApprovalRequest } from '../../../session/toolServer';
import { ToolError } from '../../contract/toolServerTypes';
import { fetchTasks, taskLabel } from './findTask';
import { startSettings } from './startSettings';
import { hasUnknownEntry, taskCommandText, taskCommandOf, taskFolder, writtenTasks } from './taskCommand';
import { variableDefinitions } from './variableDefinitions';

/** Variables whose values do not change what runs; others come from settings, inputs, commands or the environment. */
const OPEN_VARIABLE =
  /\$\{(?!(?:workspaceFolder|workspaceFolderBasename|cwd|pathSeparator|\/|userHome)(?::[^}]{0,200})?\})/;

/** All that running a task runs, for the user and for the key of an approval. */
interface TaskRuns {
  readonly runs: readonly JsonObject[];
  /** Something of it is decided only when it runs: an approval covers no later run. */
  readonly isOpen: boolean;
}

/** The task, after all tasks that it depends on. */
export function taskRuns(task: vscode.Task, tasks: readonly vscode.Task[]): TaskRuns {
  const found = new Map<vscode.Task, readonly JsonObject[]>();
  const visit = (one: vscode.Task): void => {
    if (found.has(one)) return;
    found.set(one, []);
    const unknown: JsonObject[] = hasUnknownEntry(one) ? [{ task: taskLabel(one), dependsOn: UNKNOWN }] : [];
    for (const name of dependencies(one)) {
      const named = tasks.filter((other) => isNamed(other, name));
      if (named.length === 0) unknown.push({ task: name, command: UNKNOWN });
      named.forEach(visit);
    }
    found.delete(one);
    found.set(one, [...unknown, runOf(one), ...variablesOf(one)]);
  };
  visit(task);
  const runs = [...startSettings(taskFolder(task)), ...[...found.values()].flat()];
  return { runs, isOpen: !taskCommandOf(task) || runs.some((run) => OPEN_VARIABLE.test(JSON.stringify(run))) };
}

/** What the question about a task adds to its title. */
export function approvalOf({ runs, isOpen }: TaskRuns): Partial<ApprovalRequest> {
  return { runs, ...(isOpen && { always: true }) };
}

/**
 * VS Code looks dependencies up when the task runs.
 * @throws ToolError when the task would run something else than the user was shown
 */
export async function requireSameRuns(task: vscode.Task, { runs, isOpen }: TaskRuns): Promise<void> {
  if (!isOpen || canonicalJson(taskRuns(task, await fetchTasks()).runs) === canonicalJson(runs)) return;
  throw new ToolError(`${taskLabel(task)} changed while the user was asked.`, 'Call it again.');
}

const UNKNOWN = 'unknown: only the editor knows what it runs';

function runOf(task: vscode.Task): JsonObject {
  const { execution } = task;
  const { cwd, env = {} } = taskCommandOf(task, false) ?? {};
  const { executable, shellArgs } = (execution instanceof vscode.ShellExecution && execution.options) || {};
  return {
    task: taskLabel(task),
    command: taskCommandText(task) ?? UNKNOWN,
    ...omitUndefined({ folder: cwd, shell: executable, shellArguments: shellArgs }),
    ...(Object.keys(env).length > 0 && { variables: env }),
  };
}

/** Also of what the task API does not expose, such as the place of problems. */
function variablesOf(task: vscode.Task): readonly JsonObject[] {
  return variableDefinitions([runOf(task), task.definition, ...writtenTasks(task)], 'tasks', taskFolder(task));
}

/** Labels, or definitions as JSON, of the tasks that run before it. */
function dependencies(task: vscode.Task): readonly (string | JsonObject)[] {
  return writtenTasks(task).flatMap((entry) => {
    const all = entry['dependsOn'];
    return (Array.isArray(all) ? asArray(all) : [all]).filter((one) => typeof one === 'string' || isObject(one));
  });
}

function isNamed(task: vscode.Task, name: string | JsonObject): boolean {
  if (typeof name === 'string') return task.name === name || taskLabel(task) === name;
  const { definition } = task;
  return Object.entries(name).every(([key, value]) => canonicalJson(definition[key] ?? null) === canonicalJson(value));
}

/** The task with this label that a debug configuration runs, with all that it runs. */
export async function runsOfLabel(label: unknown): Promise<readonly JsonObject[]> {
  const name = asString(label);
  if (name === undefined) return label === undefined ? [] : [{ task: label, command: UNKNOWN }];
  const tasks = await fetchTasks();
  const named = tasks.filter((task) => isNamed(task, name));
  return named.length === 0 ? [{ task: name, command: UNKNOWN }] : named.flatMap((task) => taskRuns(task, tasks).runs);
}

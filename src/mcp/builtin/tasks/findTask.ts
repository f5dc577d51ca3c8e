import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors';
import { isObject } from '../../../base/json';
import { ToolError } from '../../contract/toolServerTypes';

/**
 * Tasks of tasks.json and of extensions.
 * @throws ToolError when they cannot be listed
 */
export async function fetchTasks(): Promise<readonly vscode.Task[]> {
  try {
    return await vscode.tasks.fetchTasks();
  } catch (error) {
    const message = `The tasks cannot be listed: ${errorMessage(error)}.`;
    throw new ToolError(message, 'Ask the user to look at tasks.json.', { cause: error });
  }
}

/** VS Code's own label such as `npm: test`, with the folder's name in a multi-root workspace. */
export function taskLabel({ source, name, scope }: vscode.Task): string {
  const label = source === 'Workspace' ? name : `${source}: ${name}`;
  const isMany = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  return isMany && isObject(scope) ? `${label} (${String(scope['name'])})` : label;
}

/**
 * Finds a task by its label, or by its bare name if that is unique.
 * @throws ToolError that lists the tasks
 */
export function findTask(tasks: readonly vscode.Task[], name: string): vscode.Task {
  const exact = tasks.filter((task) => taskLabel(task) === name);
  const found = exact.length > 0 ? exact : tasks.filter((task) => task.name === name);
  const [only] = found;
  if (only && found.length === 1) return only;
  const labels = (only ? found : tasks).slice(0, 20).map(taskLabel).join(', ');
  const many = `Several tasks are called ${JSON.stringify(name)}.`;
  const none = `There is no task ${JSON.stringify(name)}.`;
  throw new ToolError(only ? many : none, labels === '' ? 'The workspace has no tasks.' : `There is: ${labels}.`);
}

/** The named test task, else the default of the test group, else the only one. */
export function chooseTestTask(tasks: readonly vscode.Task[], name: string | undefined): vscode.Task | undefined {
  if (name !== undefined) return findTask(tasks, name);
  const tests = tasks.filter(({ group }) => group?.id === vscode.TaskGroup.Test.id);
  const chosen = tests.find(({ group }) => group?.isDefault === true);
  if (chosen || tests.length <= 1) return chosen ?? tests[0];
  const labels = tests.slice(0, 20).map(taskLabel).join(', ');
  throw new ToolError('Several tasks run tests.', `Name one of them as task: ${labels}.`);
}

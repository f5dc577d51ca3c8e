import { asArray, asObject, asString } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { firstLine, truncate } from '../../base/text';
import type { BackgroundTask, BackgroundTaskAction } from '../../shared/state/subagentState';

/** Tasks of one session; more are not listed. */
const MAX_TASKS = 100;
/** UTF-16 units. */
const MAX_TITLE = 200;

/** The complete list of background tasks, as quirks send it: ACP has none. */
export function translateBackgroundTasks(update: JsonObject): BackgroundTaskAction {
  const tasks = new Map<string, BackgroundTask>();
  for (const value of asArray(update['tasks'])) {
    const task = asObject(value);
    const taskId = asString(task?.['taskId']);
    if (!task || taskId === undefined || tasks.size >= MAX_TASKS) continue;
    const { kind } = task;
    const title = truncate(firstLine(asString(task['title']) ?? ''), MAX_TITLE);
    tasks.set(taskId, { taskId, kind: kind === 'command' || kind === 'subagent' ? kind : 'task', title });
  }
  return { type: 'backgroundTasksChanged', tasks: Array.from(tasks.values()) };
}

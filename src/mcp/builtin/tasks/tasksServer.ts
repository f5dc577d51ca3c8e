import type * as vscode from 'vscode';
import type { Logger } from '../../../base/logger';
import { truncate } from '../../../base/text';
import type { Tool, ToolServer, Zod } from '../../contract/toolServerTypes';
import { tool } from '../../contract/toolServerTypes';
import type { Run, BackgroundRuns } from '../common/backgroundRuns';
import { RUN_LIMIT_MS, RUN_WAIT_MS } from '../common/backgroundRuns';
import { findTask, fetchTasks, taskLabel } from './findTask';
import { runTask } from './runTask';
import { taskCommandText, taskTitle } from './taskCommand';
import type { TaskResult } from './taskProcess';
import { approvalOf, requireSameRuns, taskRuns } from './taskRuns';

const MAX_TASKS = 100;

export function tasksServer(started: BackgroundRuns<TaskResult>, log: Logger): ToolServer {
  return {
    name: 'tasks',
    title: 'Tasks',
    description: "The workspace's tasks: builds, watchers and scripts as the user has set them up",
    instructions: 'run answers with a run_id when the task takes long; ask status for its end.',
    tools: [listTool(), runTool(started, log), statusTool(started)],
  };
}

function listTool(): Tool {
  return tool({
    name: 'list',
    title: 'List tasks',
    description: 'The tasks that can be run in this workspace, with their commands',
    annotations: { readOnlyHint: true, idempotentHint: true },
    approval: 'free',
    input: (z) =>
      z.object({
        group: z.string().optional().describe('Only of this group: build, test, clean or rebuild'),
        limit: z.int().min(1).max(500).optional().describe(`At most so many; ${MAX_TASKS} when absent`),
      }),
    output: listOutput,
    call: async ({ group, limit = MAX_TASKS }) => {
      const all = (await fetchTasks()).filter((task) => group === undefined || task.group?.id === group);
      const tasks = all.slice(0, limit).map(describeTask);
      const lines = tasks.map(({ name, command }) => `${name}${command === undefined ? '' : `  ${command}`}`);
      const text = lines.length === 0 ? 'There are no such tasks.' : lines.join('\n');
      return { text, structured: { tasks, total: all.length, truncated: all.length > limit } };
    },
  });
}

function listOutput(z: Zod) {
  return z.object({
    tasks: z.array(
      z.object({
        name: z.string(),
        group: z.string().optional(),
        is_default: z.boolean(),
        is_background: z.boolean(),
        command: z.string().optional(),
        detail: z.string().optional(),
      }),
    ),
    total: z.int(),
    truncated: z.boolean(),
  });
}

function describeTask(task: vscode.Task) {
  const { group, isBackground, detail } = task;
  const command = taskCommandText(task);
  return {
    name: taskLabel(task),
    ...(group && { group: group.id }),
    is_default: group?.isDefault === true,
    is_background: isBackground,
    ...(command !== undefined && { command: truncate(command, 500) }),
    ...(detail !== undefined && { detail }),
  };
}

function runTool(started: BackgroundRuns<TaskResult>, log: Logger): Tool {
  return tool({
    name: 'run',
    title: 'Run a task',
    description: 'Runs a task of the workspace in a terminal that the user sees, and waits a while for its end',
    annotations: { destructiveHint: true, openWorldHint: true },
    approval: 'always',
    asksItself: true,
    timeout: RUN_LIMIT_MS,
    input: runInput,
    output: endOutput,
    call: async ({ name, timeout_ms: limit = RUN_LIMIT_MS, wait_ms: wait = RUN_WAIT_MS }, context) => {
      const { session, signal, progress, approve, waitForUser } = context;
      started.checkRoom(session.id);
      const tasks = await fetchTasks();
      const task = findTask(tasks, name);
      const label = taskLabel(task);
      const all = taskRuns(task, tasks);
      await approve({ title: taskTitle(task), ...approvalOf(all) });
      await requireSameRuns(task, all);
      // VS Code may ask for the task's inputs first.
      const running = await waitForUser(runTask(task, log));
      const run = started.add(session.id, running, task.isBackground ? undefined : limit);
      progress(`Running ${label}`);
      await started.wait(run, wait, signal);
      if (signal.aborted) started.stop(run);
      return endOf(run);
    },
  });
}

function runInput(z: Zod) {
  return z.object({
    name: z.string().min(1).describe('As list names it, such as npm: build'),
    timeout_ms: z.int().min(1_000).max(RUN_LIMIT_MS).optional().describe('Stop it then; ten minutes when absent'),
    wait_ms: waitField(z),
  });
}

function statusTool(started: BackgroundRuns<TaskResult>): Tool {
  return tool({
    name: 'status',
    title: 'Status of a task',
    description: 'Whether a task that was run has ended, its exit code, and the end of its output',
    annotations: { readOnlyHint: true },
    approval: 'free',
    input: (z) => z.object({ run_id: z.string(), wait_ms: waitField(z) }),
    output: endOutput,
    call: async ({ run_id: id, wait_ms: wait = 0 }, { session, signal }) => {
      const run = started.get(session.id, id);
      await started.wait(run, wait, signal);
      return endOf(run);
    },
  });
}

export function waitField(z: Zod) {
  return z.int().min(0).max(50_000).optional().describe('Wait so long for the end');
}

function endOutput(z: Zod) {
  return z.object({
    run_id: z.string(),
    status: z.enum(['running', 'succeeded', 'failed', 'stopped']),
    exit_code: z.int().optional(),
    problem: z.string().optional(),
    output_tail: z.string().optional().describe('Absent where VS Code does not tell it'),
  });
}

function endOf(run: Run<TaskResult>) {
  const { id, result, isOverTime } = run;
  const status = statusOf(result);
  const output = run.output();
  const problem = isOverTime ? 'it took too long' : result?.problem;
  const text = `${id}: ${status}${result?.exitCode === undefined ? '' : `, exit code ${result.exitCode}`}${
    problem === undefined ? '' : `, ${problem}`
  }${output === undefined ? '' : `\n${output}`}`;
  const structured = {
    run_id: id,
    status,
    ...(result?.exitCode !== undefined && { exit_code: result.exitCode }),
    ...(problem !== undefined && { problem }),
    ...(output !== undefined && { output_tail: output }),
  };
  return { text, structured };
}

function statusOf(result: TaskResult | undefined): 'running' | 'succeeded' | 'failed' | 'stopped' {
  if (!result) return 'running';
  if (result.exitCode === undefined) return 'stopped';
  return result.exitCode === 0 ? 'succeeded' : 'failed';
}

import type * as vscode from 'vscode';
import type { Logger } from '../../../base/logger';
import type { SessionHandle } from '../../../session/sessionHandle';
import type { ApprovalRequest } from '../../../session/toolServer';
import type { Tool, ToolServer, Zod } from '../../contract/toolServerTypes';
import { tool, ToolError } from '../../contract/toolServerTypes';
import type { RunningJob, BackgroundRuns } from '../common/backgroundRuns';
import { RUN_LIMIT_MS, RUN_WAIT_MS } from '../common/backgroundRuns';
import { resolveWorkspaceFile } from '../common/workspaceFile';
import type { LanguageModelTools } from '../ide/languageModelTools';
import { chooseTestTask, fetchTasks, taskLabel } from '../tasks/findTask';
import { taskTitle } from '../tasks/taskCommand';
import { approvalOf, requireSameRuns, taskRuns } from '../tasks/taskRuns';
import { waitField } from '../tasks/tasksServer';
import type { TestResult } from './runTests';
import { canRunInEditor, runInEditor, runTestTask } from './runTests';
import { testRunOutput, endOf } from './testRunOutput';

export function testsServer(
  testRuns: BackgroundRuns<TestResult>,
  languageModelTools: LanguageModelTools,
  log: Logger,
): ToolServer {
  return {
    name: 'tests',
    title: 'Tests',
    description: "Runs the workspace's tests: those that extensions have found, or the test task",
    instructions: 'run answers with a run_id; when its status is running, ask result for the end.',
    tools: [runTool(testRuns, languageModelTools, log), resultTool(testRuns)],
  };
}

function runTool(testRuns: BackgroundRuns<TestResult>, languageModelTools: LanguageModelTools, log: Logger): Tool {
  return tool({
    name: 'run',
    title: 'Run tests',
    description:
      'Runs tests that the editor has found, all or those of files and names; where it has found none, the task that runs the tests. Waits a while for the end.',
    annotations: { destructiveHint: true, openWorldHint: true },
    approval: 'policy',
    asksItself: true,
    timeout: RUN_LIMIT_MS,
    input: runInput,
    output: testRunOutput,
    call: async ({ wait_ms: wait = RUN_WAIT_MS, ...input }, context) => {
      const { session, signal, progress, approve, waitForUser } = context;
      testRuns.checkRoom(session.id);
      const { title, start, ...question } = await planOf(input, session, languageModelTools, log);
      await approve({ title, ...question });
      const run = testRuns.add(session.id, await waitForUser(start()), RUN_LIMIT_MS);
      progress(title);
      await testRuns.wait(run, wait, signal);
      if (signal.aborted) testRuns.stop(run);
      return endOf(run);
    },
  });
}

function runInput(z: Zod) {
  return z.object({
    files: z.array(z.string()).max(100).optional().describe('Only the tests in these files'),
    names: z.array(z.string().min(1)).max(100).optional().describe('Only tests whose name contains one of these'),
    task: z.string().min(1).optional().describe('Run this task instead of what the editor has found'),
    wait_ms: waitField(z),
  });
}

function resultTool(testRuns: BackgroundRuns<TestResult>): Tool {
  return tool({
    name: 'result',
    title: 'Result of tests',
    description: 'How a run of tests ended, or that it is still running',
    annotations: { readOnlyHint: true },
    approval: 'free',
    input: (z) => z.object({ run_id: z.string(), wait_ms: waitField(z) }),
    output: testRunOutput,
    call: async ({ run_id: id, wait_ms: wait = 0 }, { session, signal }) => {
      const run = testRuns.get(session.id, id);
      await testRuns.wait(run, wait, signal);
      return endOf(run);
    },
  });
}

interface TestPlan extends ApprovalRequest {
  readonly start: () => Promise<RunningJob<TestResult>>;
}

interface TestInput {
  readonly files?: readonly string[] | undefined;
  readonly names?: readonly string[] | undefined;
  readonly task?: string | undefined;
}

/** @throws ToolError when nothing can run the tests */
async function planOf(
  { files, names, task: name }: TestInput,
  session: SessionHandle,
  languageModelTools: LanguageModelTools,
  log: Logger,
): Promise<TestPlan> {
  const isChosen = files !== undefined || names !== undefined;
  const isInEditor = name === undefined && canRunInEditor(languageModelTools);
  if (isChosen && !isInEditor) {
    const message = 'This editor cannot run chosen tests: no extension has found any.';
    throw new ToolError(message, 'Leave out files and names to run the test task, or use a terminal.');
  }
  // A task runs all tests, so it is a fallback only when all were requested.
  const viaTask = isChosen ? undefined : await planOfTask(name, isInEditor, log);
  if (!isInEditor) return viaTask ?? fail();
  const paths = files?.map((path) => resolveWorkspaceFile(path, session));
  const choice = { ...(paths && { files: paths.map(({ uri }) => uri.fsPath) }), ...(names && { names }) };
  const what = [...(paths?.map(({ label }) => label) ?? []), ...(names ?? [])].join(', ') || 'all';
  const title = `Run tests: ${what}${viaTask ? `; if the editor has found none: ${viaTask.title}` : ''}`;
  return { ...viaTask, title, start: async () => runInEditor(languageModelTools, choice, viaTask?.start) };
}

/** @param isSpare Only a fallback when the editor finds no tests: errors are ignored. */
async function planOfTask(name: string | undefined, isSpare: boolean, log: Logger): Promise<TestPlan | undefined> {
  const tasks = await fetchTasks().catch((error: unknown) => {
    if (isSpare) return [];
    throw error;
  });
  const task = testTask(tasks, name, isSpare);
  if (!task) return undefined;
  const all = taskRuns(task, tasks);
  const start = async (): Promise<RunningJob<TestResult>> => {
    await requireSameRuns(task, all);
    return runTestTask(task, taskLabel(task), log);
  };
  return { title: taskTitle(task), ...approvalOf(all), start };
}

function testTask(tasks: readonly vscode.Task[], name: string | undefined, isSpare: boolean): vscode.Task | undefined {
  try {
    return chooseTestTask(tasks, name);
  } catch (error) {
    if (isSpare) return undefined;
    throw error;
  }
}

function fail(): never {
  const message = 'Nothing here runs tests: no extension has found any, and no task is in the test group.';
  throw new ToolError(message, 'Use a terminal, or ask the user how tests are run.');
}

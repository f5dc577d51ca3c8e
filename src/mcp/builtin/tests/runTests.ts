import type * as vscode from 'vscode';
import type { Logger } from '../../../base/logger';
import type { RunningJob } from '../common/backgroundRuns';
import type { LanguageModelTools } from '../ide/languageModelTools';
import { invokeLanguageModelTool, toolErrorReason, languageModelText } from '../ide/languageModelTools';
import { runTask } from '../tasks/runTask';
import type { TestReport } from './testReport';
import { readTestReport } from './testReport';

/** VS Code's own language model tool. */
const RUN_TESTS = 'runTests';

export type TestResult =
  | { readonly by: 'editor'; readonly report: TestReport }
  | { readonly by: 'task'; readonly task: string; readonly exitCode: number }
  | { readonly by: 'none'; readonly problem: string; readonly isStopped: boolean };

interface TestChoice {
  /** Absolute. */
  readonly files?: readonly string[];
  readonly names?: readonly string[];
}

export function canRunInEditor({ tools }: LanguageModelTools): boolean {
  return tools.some(({ name }) => name === RUN_TESTS);
}

/**
 * Runs tests that extensions have found.
 * @param otherwise runs instead when there are none
 */
export function runInEditor(
  tools: LanguageModelTools,
  { files, names }: TestChoice,
  otherwise: (() => Promise<RunningJob<TestResult>>) | undefined,
): RunningJob<TestResult> {
  const abort = new AbortController();
  let other: RunningJob<TestResult> | undefined;
  const input = { ...(files && { files }), ...(names && { testNames: names }) };
  const run = async (): Promise<TestResult> => {
    const text = languageModelText(await invokeLanguageModelTool(tools, RUN_TESTS, input, abort.signal));
    if (abort.signal.aborted) return { by: 'none', problem: 'it was stopped', isStopped: true };
    const report = readTestReport(text);
    if (report) return { by: 'editor', report };
    if (!otherwise) return { by: 'none', problem: text.trim() || 'the editor ran no tests', isStopped: false };
    other = await otherwise();
    if (abort.signal.aborted) other.stop();
    return other.done;
  };
  const done = run().catch((error: unknown): TestResult => ({
    by: 'none',
    problem: toolErrorReason(error),
    isStopped: abort.signal.aborted,
  }));
  const stop = (): void => {
    abort.abort();
    other?.stop();
  };
  return { done, stop, output: () => other?.output() };
}

export async function runTestTask(task: vscode.Task, label: string, log: Logger): Promise<RunningJob<TestResult>> {
  const running = await runTask(task, log);
  const done = running.done.then(({ exitCode, problem = 'it was stopped' }): TestResult => {
    if (exitCode === undefined) return { by: 'none', problem, isStopped: true };
    return { by: 'task', task: label, exitCode };
  });
  return { done, output: () => running.output(), stop: () => running.stop() };
}

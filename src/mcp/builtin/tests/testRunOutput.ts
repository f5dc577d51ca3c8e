import * as vscode from 'vscode';
import { assertNever } from '../../../base/assert';
import { truncate } from '../../../base/text';
import type { Zod } from '../../contract/toolServerTypes';
import type { Run } from '../common/backgroundRuns';
import { labelOf } from '../common/workspaceFile';
import type { TestResult } from './runTests';
import type { TestFailure } from './testReport';

/** Limits of a result: failures, and UTF-16 units of each text. */
const MAX_FAILURES = 50;
const MAX_TEXT = 2_000;

/** Output of `run` and `result`. */
export function testRunOutput(z: Zod) {
  return z.object({
    run_id: z.string(),
    status: z.enum(['running', 'passed', 'failed', 'stopped']),
    by: z.enum(['editor', 'task']).optional().describe('What ran them'),
    task: z.string().optional(),
    passed: z.int().optional(),
    failed: z.int().optional(),
    failures: z
      .array(
        z.object({
          name: z.string(),
          suite: z.string().optional(),
          path: z.string().optional(),
          line: z.int().optional(),
          message: z.string().optional(),
          expected: z.string().optional(),
          actual: z.string().optional(),
        }),
      )
      .optional(),
    truncated: z.boolean().optional().describe('There are more failures'),
    exit_code: z.int().optional(),
    problem: z.string().optional(),
    output_tail: z.string().optional(),
  });
}

export function endOf(run: Run<TestResult>) {
  const { id, result, isOverTime } = run;
  const output = run.output() ?? (result?.by === 'editor' ? result.report.output : undefined);
  const shared = { run_id: id, ...(output !== undefined && { output_tail: output }) };
  const withOutput = (text: string): string => (output === undefined ? text : `${text}\n${output}`);
  if (!result) {
    const text = withOutput(`${id}: the tests are running. Ask result for the end.`);
    return { text, structured: { ...shared, status: 'running' as const } };
  }
  const { text, ...ended } = isOverTime ? toStopped('it took too long') : withResult(result);
  return { text: withOutput(`${id}: ${text}`), structured: { ...shared, ...ended } };
}

function toStopped(problem: string) {
  return { text: `stopped, ${problem}`, status: 'stopped' as const, problem };
}

function withResult(end: TestResult) {
  switch (end.by) {
    case 'editor':
      return toEditorEnd(end);
    case 'task': {
      const { task, exitCode } = end;
      const status = exitCode === 0 ? ('passed' as const) : ('failed' as const);
      return { text: `${status}, ${task} ended with ${exitCode}`, status, by: end.by, task, exit_code: exitCode };
    }
    case 'none':
      return end.isStopped
        ? toStopped(end.problem)
        : { text: `failed: ${end.problem}`, status: 'failed' as const, problem: truncate(end.problem, MAX_TEXT) };
    default:
      return assertNever(end);
  }
}

function toEditorEnd({ by, report }: Extract<TestResult, { by: 'editor' }>) {
  const { passed, failed } = report;
  const failures = report.failures.slice(0, MAX_FAILURES).map(toItem);
  const lines = failures.map(failureText);
  return {
    text: [`${passed} passed, ${failed} failed`, ...lines].join('\n'),
    status: failed === 0 ? ('passed' as const) : ('failed' as const),
    by,
    passed,
    failed,
    failures,
    truncated: report.failures.length > MAX_FAILURES,
  };
}

function toItem({ name, suite, path, line, message, expected, actual }: TestFailure): TestFailure {
  const texts = { message, expected, actual };
  const cut = Object.entries(texts).flatMap(([key, text]) =>
    text === undefined ? [] : [[key, truncate(text, MAX_TEXT)]],
  );
  return {
    name,
    ...(suite !== undefined && { suite }),
    ...(path !== undefined && { path: labelOf(vscode.Uri.file(path)) }),
    ...(line !== undefined && { line }),
    ...(Object.fromEntries(cut) as Partial<TestFailure>),
  };
}

function failureText({ name, suite, path, line, message, expected, actual }: TestFailure): string {
  const where = path === undefined ? '' : ` at ${path}:${line ?? 1}`;
  const compared = expected === undefined ? '' : ` Expected ${expected}, got ${actual ?? ''}.`;
  return `failed: ${suite === undefined ? '' : `${suite} > `}${name}${where}: ${message ?? ''}${compared}`;
}

// Counts tests: reads the file of reporter.cjs and adds up the parts of a run.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const NO_TESTS = 'no tests were found';

/**
 * @typedef {{ passed: number, failed: number, skipped: number, lines: object[], problem?: string }} Report
 *   `problem`: why the run as a whole counts as failed although its tests may have passed
 */

/**
 * The file into which a process of tests reports. In a folder of the part, where `npm test` sees that tests still begin and end.
 * @param {string} folder for scripts that run no part
 */
export function reportFile(folder, name) {
  return join(process.env.HOST_TEST_REPORTS ?? folder, `${name}.ndjson`);
}

/** Reads a report. A run without an end, or without a test, is reported as a problem. */
export function readReport(file) {
  const lines = existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];
  const count = (event) => lines.filter((line) => line.event === event).length;
  const report = { passed: count('pass'), failed: count('fail'), skipped: count('skip'), lines };
  return { ...report, problem: findProblem(lines, report) };
}

/** Adds up the reports of several processes of one run. A process without a matching test is a problem only if all have none. */
export function joinReports(reports) {
  const sum = (key) => reports.reduce((total, report) => total + report[key], 0);
  const problems = reports.map(({ problem }) => problem).filter((problem) => problem && problem !== NO_TESTS);
  const counts = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
  const none = counts.passed + counts.failed + counts.skipped === 0 ? NO_TESTS : undefined;
  const lines = reports.flatMap((report) => report.lines);
  return { ...counts, lines, problem: problems.length > 0 ? problems.join('\n') : none };
}

function findProblem(lines, { passed, failed, skipped }) {
  if (lines.length === 0) return 'no test report was written: the tests did not start';
  if (lines.at(-1)?.event !== 'end') {
    const last = lines.findLast(({ event }) => event === 'test' || event === 'hook');
    return `the run broke off${last ? ` during or after "${last.title}"` : ' before its first test'}`;
  }
  if (passed + failed + skipped === 0) return NO_TESTS;
  return undefined;
}

/**
 * The slowest suites of all parts, hooks included, the slowest first. A suite is what one `describe` outside of others contains.
 * @param {{ name: string, suites?: { title: string, ms: number }[] }[]} parts
 * @returns {{ part: string, title: string, ms: number }[]}
 */
export function slowestSuites(parts, count) {
  const all = parts.flatMap(({ name, suites = [] }) => suites.map(({ title, ms }) => ({ part: name, title, ms })));
  return all.sort((one, other) => other.ms - one.ms).slice(0, count);
}

/** Prints failures with their stacks, at most `length` lines each, and with `all` every test. */
export function printReport({ lines }, { all = false, length = Infinity } = {}) {
  for (const line of lines) {
    if (all && line.event === 'pass') console.log(`  ✔ ${line.title} (${line.ms}ms)`);
    if (all && line.event === 'skip') console.log(`  - ${line.title}`);
    if (line.event === 'fail') {
      const text = failure(line).split('\n').slice(0, length).join('\n');
      console.log(`  ✘ ${line.title}\n${indent(text)}`);
    }
    // Where a failed test looked: often the only trace of a failure that comes once in many runs.
    if (line.event === 'seen') console.log(indent(`what it saw:\n${line.text}`));
  }
}

function failure(line) {
  const compared = line.expected === undefined ? '' : `\nexpected: ${line.expected}\nactual:   ${line.actual}`;
  return line.stack.includes(line.message) ? line.stack + compared : `${line.message}${compared}\n${line.stack}`;
}

function indent(text) {
  return text.replaceAll(/^/gm, '      ');
}

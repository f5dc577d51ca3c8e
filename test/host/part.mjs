// Runs one part of the tests in a process of its own, and ends it if it hangs.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { joinReports, readReport } from './report.mjs';
import { node } from './run.mjs';

/**
 * @typedef {{ passed: number, failed: number, skipped: number, problem?: string, failures?: { title: string, message: string }[], suites?: { title: string, ms: number }[], processor?: number }} Result
 */

/** What is kept of a report. */
export function toResult({ passed, failed, skipped, problem, lines }) {
  const only = (...wanted) => lines.filter(({ event }) => wanted.includes(event));
  return { passed, failed, skipped, problem, failures: only('fail', 'seen'), suites: only('suite') };
}

/**
 * Runs the script of a part to its end, or ends it and all its processes when it is silent for too long: it prints nothing, and no
 * test begins or ends in the files that it writes into `$HOST_TEST_REPORTS`.
 * @param {string[]} args The script and its arguments; it writes its result into `<folder>.json`.
 * @param {{ folder: string, limit: number, show?: boolean, env?: Record<string, string> }} options `folder`: for the reports of its tests, emptied before;
 *   `limit`: milliseconds of silence; `show`: prints the output at once instead of returning it; `env`: further variables
 * @returns {Promise<{ output: string, result: Result }>}
 */
export async function runPartProcess(args, { folder, limit, show = false, env: more }) {
  const file = `${folder}.json`;
  rmSync(file, { force: true });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, HOST_TEST_REPORTS: folder, ...more };
  const sign = () => reportsIn(folder).reduce((sum, report) => sum + statSync(report).size, 0);
  const { output, wasSilent } = await node(args, { env, show, silence: { limit, sign } });
  if (existsSync(file)) return { output, result: JSON.parse(readFileSync(file, 'utf8')) };
  const { problem, ...rest } = toResult(joinReports(reportsIn(folder).map(readReport)));
  const why = wasSilent ? `it was ended after ${limit / 1000} s of silence` : 'its process ended without a result';
  return { output, result: { ...rest, problem: [why, problem?.replaceAll('\n', '; ')].filter(Boolean).join(': ') } };
}

function reportsIn(folder) {
  return readdirSync(folder).map((name) => join(folder, name));
}

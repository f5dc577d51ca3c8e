// Runs built tests with mocha in separate Node processes and returns the report.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium } from './chromium.mjs';
import { joinReports, readReport, reportFile } from './report.mjs';
import { node, root } from './run.mjs';
import { makeTemporaryFolder, removeFolder } from './workspace.mjs';

/**
 * @typedef {{ jobs?: number, filesPerProcess?: number, env?: Record<string, string>, ownHome?: boolean, require?: string[], where?: (text: string) => boolean, first?: (text: string) => boolean }} MochaOptions
 *   jobs: number of processes that run in parallel; filesPerProcess: then a new process starts (default: all files in one);
 *   ownHome: with an empty home folder;
 *   require: modules with hooks around all tests; where and first: by their built text, the files to run, and those that run before the others
 */

/**
 * With `$HOST_TEST_HALF`, 1 or 2, runs every second file only.
 * @param {string[]} places Folders below out/test (all `*.test.js` in them), or "." for test files directly in out/test.
 * @param {MochaOptions} [options]
 */
export async function runMocha(places, options = {}) {
  const { where = () => true, first = () => false } = options;
  const found = places.flatMap(testFiles).map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const chosen = found.filter(({ text }) => where(text));
  // Stable: the order of names stays.
  const ordered = chosen.toSorted((one, other) => Number(first(other.text)) - Number(first(one.text)));
  const half = Number(process.env.HOST_TEST_HALF ?? 0);
  const files = ordered.filter((_, index) => half === 0 || index % 2 === half - 1).map(({ file }) => file);
  if (files.length === 0)
    return { passed: 0, failed: 0, skipped: 0, lines: [], problem: `no tests in ${places.join(', ')}` };
  const size = options.filesPerProcess ?? files.length;
  const groups = splitFiles(files, size);
  const show = groups.length === 1;
  const folder = await makeTemporaryFolder('report');
  const home = options.ownHome ? { HOME: folder, XDG_CONFIG_HOME: folder } : {};
  const how = { ...options, env: { ...home, ...options.env } };
  const reports = [];
  const work = async () => {
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      reports.push(await runProcess(group, reportFile(folder, groups.length), how, show));
    }
  };
  try {
    await Promise.all(Array.from({ length: options.jobs ?? 1 }, work));
    return joinReports(reports);
  } finally {
    await removeFolder(folder);
  }
}

/** Milliseconds for what is left after the last test, on a machine whose cores are all busy. */
const EXIT_MS = 60_000;

function splitFiles(files, size) {
  return Array.from({ length: Math.ceil(files.length / size) }, (_, index) =>
    files.slice(index * size, (index + 1) * size),
  );
}

/** @param {MochaOptions} options */
async function runProcess(files, report, options, show) {
  const args = [join(root, 'node_modules/mocha/bin/mocha.js')];
  args.push('--reporter', join(root, 'test/host/reporter.cjs'), '--reporter-option', `exits=${EXIT_MS}`);
  // It would select tests of one process only.
  if (!show) args.push('--forbid-only');
  for (const file of options.require ?? []) args.push('--require', file);
  if (process.env.MOCHA_GREP) args.push('--grep', process.env.MOCHA_GREP);
  const env = { ...process.env, CHROMIUM_PATH: findChromium() ?? '', HOST_TEST_REPORT: report, ...options.env };
  const { code, output } = await node([...args, ...files], { env, show });
  const result = readReport(report);
  const isEmpty = code === 0 && result.passed + result.skipped === 0;
  if (!show && !isEmpty) console.log(output.trimEnd());
  const unexplained = code !== 0 && result.failed === 0 ? `mocha ended with code ${code}` : undefined;
  return { ...result, problem: result.problem ?? unexplained };
}

function testFiles(place) {
  const folder = join(root, 'out', 'test', place);
  if (!existsSync(folder)) return [];
  /** @type {string[]} */
  const names = readdirSync(folder, { recursive: place !== '.' });
  return names
    .filter((name) => name.endsWith('.test.js'))
    .sort()
    .map((name) => join(folder, name));
}

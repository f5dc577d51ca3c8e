// Runs built tests with mocha in a separate Node process and returns the report.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium } from './chromium.mjs';
import { readReport } from './report.mjs';
import { node, root } from './run.mjs';
import { makeTemporaryFolder, removeFolder } from './workspace.mjs';

/**
 * @param {string[]} places Folders below out/test (all `*.test.js` in them), or "." for test files directly in out/test.
 * @param {{ jobs?: number, env?: Record<string, string>, require?: string[] }} [options] jobs: number of files that run in
 *   parallel, each in a separate process; require: modules with hooks around all tests
 */
export async function runMocha(places, options = {}) {
  const files = places.flatMap(testFiles);
  if (files.length === 0)
    return { passed: 0, failed: 0, skipped: 0, lines: [], problem: `no tests in ${places.join(', ')}` };
  const folder = await makeTemporaryFolder('report');
  const report = join(folder, 'report.ndjson');
  // Node's option comes first: as mocha's option, it would make mocha start a second process that does not receive our signals.
  const args = ['--enable-source-maps', join(root, 'node_modules/mocha/bin/mocha.js')];
  args.push('--reporter', join(root, 'test/host/reporter.cjs'));
  if (options.jobs) args.push('--parallel', '--jobs', String(options.jobs));
  for (const file of options.require ?? []) args.push('--require', file);
  if (process.env.MOCHA_GREP) args.push('--grep', process.env.MOCHA_GREP);
  const env = { ...process.env, CHROMIUM_PATH: findChromium() ?? '', HOST_TEST_REPORT: report, ...options.env };
  try {
    const { code } = await node([...args, ...files], { env, show: true });
    const result = readReport(report);
    const unexplained = code !== 0 && result.failed === 0 ? `mocha ended with code ${code}` : undefined;
    return { ...result, problem: result.problem ?? unexplained };
  } finally {
    await removeFolder(folder);
  }
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

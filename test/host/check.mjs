// Types, lint and format of the whole project; each counts as one test.
import { printReport } from './report.mjs';
import { npm, reason, seconds } from './run.mjs';

const checks = ['types', 'lint', 'format'];

/** @returns {Promise<import('./report.mjs').Report>} */
export async function runCheck() {
  const results = await Promise.all(checks.map(runOne));
  const lines = results.filter((line) => line !== undefined);
  return { passed: checks.length - lines.length, failed: lines.length, skipped: 0, lines };
}

/** @returns {Promise<object | undefined>} the line of a report about its failure */
async function runOne(name) {
  const start = performance.now();
  try {
    await npm(['run', '--silent', `check:${name}`]);
    console.log(`  ✔ ${name} (${seconds(start)} s)`);
    return undefined;
  } catch (error) {
    const failure = { event: 'fail', title: `npm run check:${name}`, message: reason(error), stack: '' };
    printReport({ lines: [failure] });
    return failure;
  }
}

// Types, lint and format of the whole project; each counts as one test.
import { npm, reason, seconds } from './run.mjs';

const checks = ['types', 'lint', 'format'];

/** @returns {Promise<import('./report.mjs').Report>} */
export async function runCheck() {
  const results = await Promise.all(checks.map(runOne));
  const failed = results.filter((ok) => !ok).length;
  return { passed: checks.length - failed, failed, skipped: 0, lines: [] };
}

async function runOne(name) {
  const start = performance.now();
  try {
    await npm(['run', '--silent', `check:${name}`]);
    console.log(`  ✔ ${name} (${seconds(start)} s)`);
    return true;
  } catch (error) {
    console.log(`  ✘ ${name} (npm run check:${name})\n${reason(error)}`);
    return false;
  }
}

// npm test [part...]: installs what is missing, runs the parts, sums up. Without a part: all.
import { prepare } from './prepare.mjs';
import { reason, seconds } from './run.mjs';

/** In this order. `needs`: what must be installed; each part gives back a report. */
const parts = {
  check: { needs: [], run: async () => (await import('./check.mjs')).runCheck() },
  unit: { needs: [], built: true, run: () => mocha(['unit', '.']) },
  conformance: { needs: ['agents'], built: true, run: () => mocha(['conformance'], { timeout: 30_000 }) },
  replay: { needs: [], built: true, run: () => mocha(['replay']) },
  page: { needs: ['chromium'], built: true, run: () => mocha(['page'], { timeout: 60_000 }) },
  integration: {
    needs: ['chromium', 'host', 'agents'],
    built: true,
    run: async () => (await import('./integration.mjs')).runIntegration(),
  },
  e2e: { needs: ['chromium', 'host', 'agents'], built: true, run: async () => (await import('./e2e.mjs')).runE2e() },
};

async function mocha(places, options) {
  return (await import('./mocha.mjs')).runMocha(places, options);
}

/** @returns {Promise<object[]>} one result per part */
async function runParts(names) {
  const needs = new Set(names.flatMap((name) => parts[name].needs));
  const missing = await prepare('root', ...needs);
  if (names.some((name) => parts[name].built)) await (await import('./build.mjs')).build('--tests');
  const results = [];
  for (const name of names) {
    console.log(`\n=== ${name}`);
    const start = performance.now();
    const result = await runPart(name, missing);
    if (result.why) console.log(`${name} cannot run on this machine: ${result.why}`);
    if (result.problem) console.log(`${name}: ${result.problem}`);
    results.push({ name, ...result, time: seconds(start) });
  }
  return results;
}

async function runPart(name, missing) {
  const lacking = parts[name].needs.filter((need) => missing[need]);
  if (lacking.length > 0)
    return { passed: 0, failed: 0, skipped: 1, why: lacking.map((need) => missing[need]).join('\n') };
  try {
    return await parts[name].run();
  } catch (error) {
    return { passed: 0, failed: 0, skipped: 0, problem: reason(error) };
  }
}

/** Prints the table and the last line. @returns {boolean} whether all is well */
function sumUp(results) {
  const row = (...cells) =>
    console.log(
      cells.map((cell, index) => (index === 0 ? String(cell).padEnd(12) : String(cell).padStart(9))).join(''),
    );
  console.log('');
  row('part', 'passed', 'failed', 'skipped', 'seconds');
  const sums = { passed: 0, failed: 0, skipped: 0 };
  for (const result of results) {
    // A part that broke counts as one failure when no test of it failed.
    const failed = result.failed || (result.problem ? 1 : 0);
    row(result.name, result.passed, failed, result.skipped, result.time);
    sums.passed += result.passed;
    sums.failed += failed;
    sums.skipped += result.skipped;
  }
  for (const { name, problem, why } of results)
    if (problem ?? why) console.log(`${name}: ${(problem ?? why).split('\n')[0]}`);
  const skipsFail = process.env.CI === 'true' && sums.skipped > 0;
  if (skipsFail) console.log('CI=true: what is skipped counts as failed.');
  console.log(`${sums.passed} passed, ${sums.failed} failed, ${sums.skipped} skipped`);
  return sums.failed === 0 && !skipsFail;
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  console.error(`There is no part "${unknown.join('", "')}". Parts: ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}
const results = await runParts(asked.length > 0 ? asked : Object.keys(parts));
process.exitCode = sumUp(results) ? 0 : 1;

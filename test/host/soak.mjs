// npm run soak [-- --minutes N --seed S --snapshot FILE]: unusual users and agents in a real extension host; the same seed gives the same
// actions.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { prepare } from './prepare.mjs';
import { root } from './run.mjs';

const { values } = parseArgs({
  options: { minutes: { type: 'string' }, seed: { type: 'string' }, snapshot: { type: 'string' } },
});
const minutes = Number(values.minutes ?? 5);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 30));
if (!(minutes > 0) || !Number.isSafeInteger(seed))
  throw new Error('--minutes must be a number above 0, and --seed a whole number');

const report = join(root, 'out', 'soak.txt');
Object.assign(process.env, { PARLEY_SOAK_MINUTES: minutes, PARLEY_SOAK_SEED: seed, PARLEY_SOAK_REPORT: report });
if (values.snapshot) process.env.PARLEY_SOAK_SNAPSHOT = resolve(values.snapshot);
process.env.MOCHA_GREP = 'a soak in the extension host';
process.env.HOST_TEST_TIMEOUT ??= String(minutes * 60_000 + 600_000);
const missing = Object.values(await prepare('root', 'chromium', 'host'));
for (const why of missing) console.error(why);
if (missing.length > 0) process.exit(1);
rmSync(report, { force: true });
await build('--tests');
const { runIntegration } = await import('./integration.mjs');
const { passed, failed, problem } = await runIntegration();
if (existsSync(report)) console.log(readFileSync(report, 'utf8').trimEnd());
console.log(`${minutes} min, seed ${seed}: ${passed} passed, ${failed} failed`);
if (problem) console.log(problem);
process.exitCode = failed > 0 || problem ? 1 : 0;

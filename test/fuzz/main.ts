// npm run fuzz -- [--minutes N] [--seed S] [--target NAME]: odd input for every part that reads what others wrote, for N minutes in
// all (default 1). Prints the seed, the cases of each target, and every failure with its seed and its smallest input.
import { parseArgs } from 'node:util';
import { CommandRunTarget } from './commandRunTarget';
import { MarkdownTarget } from './markdownTarget';
import { pureTargets } from './pureTargets';
import { ReviewTarget } from './reviewTarget';
import { fuzz } from './runner';
import type { Target } from './target';
import { Watchdog } from './watchdog';
import { WireTarget } from './wireTarget';

/** Seconds that one case may take before it counts as hung. */
const HUNG = 60;

function readOptions(): { minutes: number; seed: number; targets: readonly Target[] } {
  const { values } = parseArgs({
    options: { minutes: { type: 'string' }, seed: { type: 'string' }, target: { type: 'string' } },
  });
  const minutes = Number(values.minutes ?? 1);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 30));
  const all = [...pureTargets, new ReviewTarget(), new WireTarget(), new MarkdownTarget(), new CommandRunTarget()];
  const targets = values.target === undefined ? all : all.filter(({ name }) => name === values.target);
  if (!(minutes > 0)) throw new Error('--minutes must be a number above 0');
  if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number');
  if (targets.length === 0)
    throw new Error(`There is no target "${values.target}". Targets: ${all.map(({ name }) => name).join(', ')}`);
  return { minutes, seed: seed | 0, targets };
}

async function main(): Promise<void> {
  const { minutes, seed, targets } = readOptions();
  console.log(`seed ${seed}, ${minutes} min for ${targets.length} targets`);
  const watchdog = new Watchdog(HUNG);
  const share = (minutes * 60_000) / targets.length;
  let [sum, failed] = [0, 0];
  for (const target of targets) {
    watchdog.watch(target.name);
    const end = Date.now() + share;
    const { cases, failures } = await fuzz(target, {
      seed,
      goesOn: () => Date.now() < end,
      beat: (batch) => watchdog.beat(batch),
    });
    sum += cases;
    failed += failures.length;
    console.log(`${target.name.padEnd(16)} ${String(cases).padStart(8)} cases, ${failures.length} failures`);
    for (const failure of failures) console.log(`\n${failure}\n`);
  }
  await watchdog.stop();
  console.log(`${sum} cases, ${failed} failures, seed ${seed}`);
  process.exitCode = failed === 0 ? 0 : 1;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

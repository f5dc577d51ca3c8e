// npm run fuzz -- [--minutes N | --cases N] [--seed S] [--target NAME]: unusual input for every part that reads foreign data, for N minutes
// in total (default 1) or N cases each. Prints the seed, the cases of each target, and every failure with its seed and smallest input.
import { parseArgs } from 'node:util';
import { BytesSurviveTarget } from './bytesSurviveTarget';
import { ClockTarget } from './clockTarget';
import { CommandRunTarget } from './commandRunTarget';
import { MarkdownTarget } from './markdownTarget';
import { OverlapTarget } from './overlapTarget';
import { pureTargets } from './pureTargets';
import { ReviewModelTarget } from './reviewModelTarget';
import { ReviewTarget } from './reviewTarget';
import { fuzz } from './runner';
import type { Target } from './target';
import { Watchdog } from './watchdog';
import { WireTarget } from './wireTarget';

/** Seconds after which a case counts as hung. */
const HUNG = 60;

interface Options {
  readonly minutes: number;
  /** Cases per target, instead of minutes. */
  readonly cases: number | undefined;
  readonly seed: number;
  readonly targets: readonly Target[];
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string' },
      cases: { type: 'string' },
      seed: { type: 'string' },
      target: { type: 'string' },
    },
  });
  const minutes = Number(values.minutes ?? 1);
  const cases = values.cases === undefined ? undefined : Number(values.cases);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 30));
  const all = [
    ...pureTargets,
    new ClockTarget(),
    new ReviewTarget(),
    new ReviewModelTarget(),
    new OverlapTarget(),
    new WireTarget(),
    new MarkdownTarget(),
    new CommandRunTarget(),
    new BytesSurviveTarget(),
  ];
  const targets = values.target === undefined ? all : all.filter(({ name }) => name === values.target);
  if (!(minutes > 0)) throw new Error('--minutes must be a number above 0');
  if (cases !== undefined && !(cases > 0)) throw new Error('--cases must be a number above 0');
  if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number');
  if (targets.length === 0)
    throw new Error(`There is no target "${values.target}". Targets: ${all.map(({ name }) => name).join(', ')}`);
  return { minutes, cases, seed: seed | 0, targets };
}

async function main(): Promise<void> {
  const { minutes, cases: wanted, seed, targets } = readOptions();
  const amount = wanted === undefined ? `${minutes} min` : `${wanted} cases each`;
  console.log(`seed ${seed}, ${amount} for ${targets.length} targets`);
  const watchdog = new Watchdog(HUNG);
  const share = (minutes * 60_000) / targets.length;
  let [sum, failed] = [0, 0];
  for (const target of targets) {
    watchdog.watch(target.name);
    const end = Date.now() + share;
    const { cases, failures } = await fuzz(target, {
      seed,
      goesOn: (done) => (wanted === undefined ? Date.now() < end : done < wanted),
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

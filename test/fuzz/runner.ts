import * as fc from 'fast-check';
import type { Target } from './target';

/** Cases per seed of fast-check; the next batch has the next seed. */
const BATCH = 100;
/** Limit of different failures per target; more would only repeat them. */
const ENOUGH = 3;

/** Characters of an input or an error that are printed. */
const LONGEST = 4_000;

export interface FuzzOptions {
  /** Seed of the first batch. */
  readonly seed: number;
  /** Whether to run another batch after this many cases. */
  goesOn(cases: number): boolean;
  /** Called at the start of each case. */
  beat?(batchSeed: number): void;
}

export interface FuzzResult {
  readonly cases: number;
  /** Each with its seed and smallest input. */
  readonly failures: readonly string[];
}

/** Runs a target in batches; continues after a failure. */
export async function fuzz(target: Target, options: FuzzOptions): Promise<FuzzResult> {
  const failures: string[] = [];
  let cases = 0;
  await target.open?.();
  try {
    for (let seed = options.seed; options.goesOn(cases) && failures.length < ENOUGH; seed++) {
      const property = target.property();
      const details = await fc.check(
        withBeat(property, () => options.beat?.(seed)),
        { seed, numRuns: target.batch ?? BATCH },
      );
      cases += details.numRuns;
      if (details.failed) failures.push(failureText(details));
    }
  } finally {
    await target.close?.();
  }
  return { cases, failures };
}

/** The seed and path that reproduce the failure, the smallest input, and the error. */
function failureText(details: fc.RunDetails<unknown[]>): string {
  const error = details.errorInstance;
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return [
    `seed ${details.seed}, case ${details.numRuns}, path "${details.counterexamplePath}", made smaller ${details.numShrinks} times`,
    `input: ${fc.stringify(details.counterexample).slice(0, LONGEST)}`,
    what.slice(0, LONGEST),
  ].join('\n');
}

type Property = ReturnType<Target['property']>;

/** fast-check provides the hook only for its own properties, which all of these are. */
function withBeat(property: Property, beat: () => void): Property {
  const hooked = property as Property & { beforeEach(hook: () => void): Property };
  return hooked.beforeEach(beat);
}

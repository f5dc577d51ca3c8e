import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ahead } from './ahead';
import type { BenchOptions } from './bench';
import type { Check } from './check';
import { MUTATIONS } from './mutations';
import { CHECKS, checksFor, isNoticed, play, proofsOf, scenarioNames } from './run';
import type { Evidence } from './wire';

/** Input of the document. */
export interface CheckResult {
  readonly id: string;
  readonly passed: boolean;
  /** Number of detected broken clients. */
  readonly broken: number;
}

/** Options of a bench that exist only while tests run. */
type More = () => Pick<BenchOptions, 'more' | 'editor'>;

/** Some, so that a run of one test does not play them all. */
const PLAYS_AHEAD = 10;

/** Mocha tests: every check on the unbroken client, and on deliberately broken clients. */
export function conformanceSuite(where: Check['where'], more: More = () => ({})): void {
  const checks = CHECKS.filter((check) => check.where === where);
  // A window plays one scenario after the other.
  const ahead = where === 'host' ? 0 : PLAYS_AHEAD;
  const played = new Map<string, Promise<Evidence>>();
  const seen = (scenario: string): Promise<Evidence> => {
    const evidence = played.get(scenario) ?? play(scenario, more());
    played.set(scenario, evidence);
    return evidence;
  };
  const judged = new Map<string, boolean>();
  const noticed = new Map<string, number>();

  describe('the client', () => {
    before(async function () {
      // Most checks concern all scenarios: the first check would have to play them all within its timeout.
      const names = scenarioNames(where);
      this.timeout(this.timeout() * names.length);
      // Checks that need the scenario report its failure.
      const plays = new Ahead(
        names.map((scenario) => () => seen(scenario)),
        ahead,
      );
      for (const index of names.keys()) await plays.result(index).catch(() => undefined);
    });
    for (const check of checks) {
      it(`${check.id}: ${check.sentence}`, async () => {
        judged.set(check.id, false);
        let count = 0;
        for (const scenario of scenarioNames(where).filter((name) => checksFor(name, where).includes(check))) {
          const finding = check.judge(await seen(scenario));
          assert.deepEqual(finding.wrong, [], `in the scenario "${scenario}"`);
          count += finding.judged;
        }
        assert.ok(count > 0, 'there was nothing to judge');
        judged.set(check.id, true);
      });
    }
    shared(checks, where, seen);
  });

  describe('detects a broken client that', () => {
    it('has an example for every check', () => {
      const proven = new Set(MUTATIONS.map(({ check }) => check));
      assert.deepEqual(
        checks.filter(({ id }) => !proven.has(id)).map(({ id }) => id),
        [],
      );
    });
    const proofs = proofsOf(MUTATIONS, where);
    const plays = new Ahead(
      proofs.map(
        ([mutation, check]) =>
          () =>
            isNoticed(mutation, check, more()),
      ),
      ahead,
    );
    after(() => plays.settle());
    for (const [index, [mutation, check]] of proofs.entries()) {
      it(`${mutation.does} (${check.id})`, async () => {
        assert.deepEqual(check.judge(await seen(mutation.scenario)).wrong, [], 'the client as it is');
        assert.ok(await plays.result(index), 'nobody noticed');
        noticed.set(check.id, (noticed.get(check.id) ?? 0) + 1);
      });
    }
  });

  after(() => {
    if (judged.size < checks.length) return;
    const results = checks.map(({ id }): CheckResult => {
      return { id, passed: judged.get(id) === true, broken: noticed.get(id) ?? 0 };
    });
    writeResults(where, results);
  });
}

/** Rules of every scenario are checked in the other scenarios too, without their own row. */
function shared(checks: readonly Check[], where: Check['where'], seen: (scenario: string) => Promise<Evidence>): void {
  if (where === 'node') return;
  const everywhere = CHECKS.filter((check) => !checks.includes(check));
  for (const scenario of scenarioNames(where)) {
    it(`passes every general check in "${scenario}"`, async () => {
      const evidence = await seen(scenario);
      for (const check of everywhere.filter(
        ({ scenarios }) => scenarios === undefined || scenarios.includes(scenario),
      )) {
        assert.deepEqual(check.judge(evidence).wrong, [], check.id);
      }
    });
  }
}

/** Below `out`, which is temporary: `npm run docs:conformance` generates the document from it. */
export function resultsFolder(): string {
  return join(process.env['PARLEY_ROOT'] ?? rootAbove(__dirname), 'out', 'conformance');
}

export function writeResults(name: string, results: unknown): void {
  mkdirSync(resultsFolder(), { recursive: true });
  writeFileSync(join(resultsFolder(), `${name}.json`), `${JSON.stringify(results, undefined, 2)}\n`);
}

/** The project folder: the bundles are in `out/test`. */
export function rootAbove(folder: string): string {
  const at = folder.lastIndexOf(join('out', 'test'));
  if (at < 0) throw new Error(`${folder} is not below out/test.`);
  return folder.slice(0, at);
}

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchOptions } from './bench';
import type { Check } from './check';
import { MUTATIONS } from './mutations';
import { CHECKS, checksFor, isNoticed, play, proofsOf, scenarioNames } from './run';
import type { Evidence } from './wire';

/** What the document is made of. */
export interface CheckResult {
  readonly id: string;
  readonly passed: boolean;
  /** How many broken clients were noticed. */
  readonly broken: number;
}

/** Options of a bench that exist only while tests run. */
type More = () => Pick<BenchOptions, 'more' | 'editor'>;

/** Mocha tests: every check on the client as it is, and on clients that are broken on purpose. */
export function conformanceSuite(where: Check['where'], more: More = () => ({})): void {
  const checks = CHECKS.filter((check) => check.where === where);
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
      // Most checks are about all scenarios: the first one would have to play them all within the time of one.
      const names = scenarioNames(where);
      this.timeout(this.timeout() * names.length);
      // What goes wrong is for the checks to say that need it.
      // In sequence, as in a window.
      for (const scenario of names) await seen(scenario).catch(() => undefined);
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

  describe('a broken client is noticed that', () => {
    it('is there for every check', () => {
      const proven = new Set(MUTATIONS.map(({ check }) => check));
      assert.deepEqual(
        checks.filter(({ id }) => !proven.has(id)).map(({ id }) => id),
        [],
      );
    });
    for (const [mutation, check] of proofsOf(MUTATIONS, where)) {
      it(`${mutation.does} (${check.id})`, async () => {
        assert.deepEqual(check.judge(await seen(mutation.scenario)).wrong, [], 'the client as it is');
        assert.ok(await isNoticed(mutation, check, more()), 'nobody noticed');
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

/** Rules that hold everywhere are judged in the other scenarios too, without a line of their own. */
function shared(checks: readonly Check[], where: Check['where'], seen: (scenario: string) => Promise<Evidence>): void {
  if (where === 'node') return;
  const everywhere = CHECKS.filter((check) => !checks.includes(check));
  for (const scenario of scenarioNames(where)) {
    it(`keeps the rules of every conversation in "${scenario}"`, async () => {
      const evidence = await seen(scenario);
      for (const check of everywhere.filter(
        ({ scenarios }) => scenarios === undefined || scenarios.includes(scenario),
      )) {
        assert.deepEqual(check.judge(evidence).wrong, [], check.id);
      }
    });
  }
}

/** Below `out`, where nothing is kept: `npm run docs:conformance` makes the document of it. */
export function resultsFolder(): string {
  return join(process.env['PARLEY_ROOT'] ?? rootAbove(__dirname), 'out', 'conformance');
}

export function writeResults(name: string, results: unknown): void {
  mkdirSync(resultsFolder(), { recursive: true });
  writeFileSync(join(resultsFolder(), `${name}.json`), `${JSON.stringify(results, undefined, 2)}\n`);
}

/** The project's folder: the bundles lie in `out/test`. */
export function rootAbove(folder: string): string {
  const at = folder.lastIndexOf(join('out', 'test'));
  if (at < 0) throw new Error(`${folder} is not below out/test.`);
  return folder.slice(0, at);
}

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { errorMessage } from '../../../src/base/errors';
import { killAt, operationKinds } from './killPoints';
import type { KillOutcome } from './killRow';
import { KILL_ROWS } from './killRows';

const ROLE = 'killed-window';
/** Programs that the killed process had started may still write. */
const PATIENTLY = { recursive: true, force: true, maxRetries: 10 };

/** In a process started by {@link playKills}: runs the operation until the kill. False in any other process. */
export function runAsKilled(): boolean {
  const [, , role, name = '', number = '', base = ''] = process.argv;
  if (role !== ROLE) return false;
  const row = KILL_ROWS[name];
  assert.ok(row, name);
  void row
    .run(base, () => killAt(Number(number)))
    .then(() => process.stdout.write(JSON.stringify(operationKinds()), () => process.exit(0)));
  return true;
}

/** @returns the kinds of its operations; undefined if it was killed. */
async function runOnce(
  program: string,
  name: string,
  number: number,
  base: string,
): Promise<readonly string[] | undefined> {
  const child = spawn(process.execPath, [program, ROLE, name, String(number), base], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (child.signalCode === 'SIGKILL') return undefined;
  assert.equal(child.exitCode, 0);
  return JSON.parse(output) as string[];
}

/** How often the next start found which outcome. */
export type KillResult = Readonly<Record<KillOutcome, number>>;

/**
 * Kills an operation at its steps, and starts anew after each.
 * @param program of the child process, which calls {@link runAsKilled}
 * @param choose the numbers of the steps to play, by their kinds; all by default
 * @throws AssertionError that names the step after which something was lost
 */
export async function playKills(
  program: string,
  name: string,
  choose = (kinds: readonly string[]): readonly number[] => [...kinds.keys()],
): Promise<KillResult> {
  const row = KILL_ROWS[name];
  assert.ok(row, name);
  const result = { before: 0, after: 0, told: 0 };
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'parley-kills-')));
  const [base, fresh] = [join(folder, 'base'), join(folder, 'fresh')];
  /** Adds the outcome to the result if the step was reached. */
  const play = async (number: number): Promise<readonly string[] | undefined> => {
    await rm(base, PATIENTLY);
    await cp(fresh, base, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    const kinds = await runOnce(program, name, number, base);
    try {
      const outcome = await row.check(base);
      if (kinds) assert.equal(outcome, 'after');
      else {
        assert.ok(outcome !== 'told' || row.told !== undefined, 'the page does not say what a part shows');
        result[outcome]++;
      }
      return kinds;
    } catch (error) {
      throw new Error(`${name}, killed at step ${number}: ${errorMessage(error)}`, { cause: error });
    }
  };
  try {
    await mkdir(base);
    await row.prepare(base);
    await cp(base, fresh, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    const kinds = await play(Number.MAX_SAFE_INTEGER);
    assert.ok(kinds, 'it ends');
    for (const number of choose(kinds)) await play(number);
    return result;
  } finally {
    await rm(folder, PATIENTLY);
  }
}

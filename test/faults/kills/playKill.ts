import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { errorMessage } from '../../../src/base/errors';
import { killAt, operationCount } from './killPoints';
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
    .then(() => process.stdout.write(String(operationCount()), () => process.exit(0)));
  return true;
}

async function runOnce(program: string, name: string, number: number, base: string): Promise<number | undefined> {
  const child = spawn(process.execPath, [program, ROLE, name, String(number), base], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (child.signalCode === 'SIGKILL') return undefined;
  assert.equal(child.exitCode, 0);
  return Number(output);
}

/** How often the next start found which outcome. */
export type KillResult = Readonly<Record<KillOutcome, number>>;

/**
 * Kills an operation at its steps, and starts anew after each.
 * @param program of the child process, which calls {@link runAsKilled}
 * @param isPlayed whether the step with this number is played
 * @throws AssertionError that names the step after which something was lost
 */
export async function playKills(
  program: string,
  name: string,
  isPlayed: (number: number) => boolean = () => true,
): Promise<KillResult> {
  const row = KILL_ROWS[name];
  assert.ok(row, name);
  const result = { before: 0, after: 0, told: 0 };
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'parley-kills-')));
  const [base, fresh] = [join(folder, 'base'), join(folder, 'fresh')];
  try {
    await mkdir(base);
    await row.prepare(base);
    await cp(base, fresh, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    for (let number = 0; ; number++) {
      if (!isPlayed(number)) continue;
      await rm(base, PATIENTLY);
      await cp(fresh, base, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
      const isEnded = (await runOnce(program, name, number, base)) !== undefined;
      try {
        const outcome = await row.check(base);
        if (isEnded) {
          assert.equal(outcome, 'after');
          return result;
        }
        assert.ok(outcome !== 'told' || row.told !== undefined, 'the page does not say what a part shows');
        result[outcome]++;
      } catch (error) {
        throw new Error(`${name}, killed at step ${number}: ${errorMessage(error)}`, { cause: error });
      }
    }
  } finally {
    await rm(folder, PATIENTLY);
  }
}

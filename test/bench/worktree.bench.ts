// Cost of a worktree that includes the user's changes, compared with a plain `git worktree add` of the same repository in the same run.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nullLogger } from '../../src/base/logger';
import { Git } from '../../src/node/gitCommand';
import { RepositoryWorktrees } from '../../src/worktrees/repositoryWorktrees';
import { runGit } from '../kit/runGit';
import { recordGoal } from './goals';
import { ms, table } from './measure';

const FILES = 20_000;
const PER_FOLDER = 50;
const ROUNDS = 3;
/** Files that differ from the commit, half of them untracked. */
const CHANGED = 200;
const MAX_RATIO = 1.5;
/** Asked of a quiet machine, for docs/bench.md. */
const GOAL_RATIO = 0.8;

async function main(): Promise<void> {
  const base = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  try {
    const folder = join(base, 'work');
    const run = (...args: string[]): string => runGit(folder, ...args);
    await mkdir(folder);
    run('init', '-q');
    for (let at = 0; at < FILES; at++) await write(folder, `src/${Math.floor(at / PER_FOLDER)}/${at}.ts`, at);
    run('add', '-A');
    run('commit', '-qm', 'all');
    for (let at = 0; at < CHANGED / 2; at++) {
      await write(folder, `src/${at}/${at * PER_FOLDER}.ts`, -at - 1);
      await write(folder, `new/${at}.ts`, at);
    }
    const git = new Git('git', join(base, 'git'));
    const worktrees = await RepositoryWorktrees.open(git, nullLogger, join(base, 'storage'), 'bench', [folder]);
    const [plain, ours]: [number[], number[]] = [[], []];
    // Interleaved, so that load peaks of the machine affect all of them.
    for (let round = 0; round < ROUNDS; round++) {
      const path = join(base, `plain-${round}`);
      plain.push(await timed(async () => void run('worktree', 'add', '-q', path, '-b', `plain-${round}`)));
      run('worktree', 'remove', '--force', path);
      let id = '';
      ours.push(
        await timed(async () => {
          id = (await worktrees.create({ folder, text: `round ${round}`, include: [] })).worktree.id;
        }),
      );
      await worktrees.discard(id);
    }
    const ratio = median(ours) / median(plain);
    table(
      `A worktree of ${FILES.toLocaleString('en')} files, ${CHANGED} of them changed or new (median of ${ROUNDS})`,
      [
        ['git worktree add', 'with the work of the user', 'ratio'],
        [ms(median(plain)), ms(median(ours)), `x ${ratio.toFixed(2)} (at most ${MAX_RATIO} and the copy)`],
      ],
    );
    recordGoal({ row: 'a worktree', what: 'to git worktree add', figure: ratio, most: GOAL_RATIO, unit: 'x' });
    if (ratio > MAX_RATIO) process.exitCode = 1;
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

async function write(folder: string, name: string, at: number): Promise<void> {
  await mkdir(join(folder, name, '..'), { recursive: true });
  await writeFile(join(folder, name), `export const value = ${at};\n${'// text of a usual length\n'.repeat(40)}`);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

void main();

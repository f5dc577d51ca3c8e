import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
// Cost of a checkpoint before a prompt, compared with `git status` of the same repository in the same run.
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { nullLogger } from '../../src/base/logger';
import { Git } from '../../src/node/gitCommand';
import { ShadowRepository } from '../../src/review/git/shadowRepository';
import { runGit } from '../kit/runGit';
import { ms, table } from './measure';

const SIZES = [1_000, 20_000, 100_000];
const PER_FOLDER = 50;
const ROUNDS = 5;
/** Files that change between two prompts. */
const CHANGED = 20;

async function main(): Promise<void> {
  console.log(
    `${availableParallelism()} cores, load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}`,
  );
  const rows: string[][] = [];
  for (const size of SIZES) rows.push(await measureSize(size));
  table(`Files recorded before a prompt (${CHANGED} changed since the last; median of ${ROUNDS})`, [
    [
      'files',
      'git status',
      'first prompt',
      'later prompts wait',
      'x status',
      'all of it',
      'x status',
      'scan after a turn',
      'x status',
    ],
    ...rows,
  ]);
}

async function measureSize(size: number): Promise<string[]> {
  const base = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  try {
    const folder = join(base, 'work');
    await makeRepository(folder, size);
    const storage = join(base, 'storage');
    await mkdir(storage);
    const git = new Git('git', storage);
    await git.available();
    const shadowRepository = new ShadowRepository(git, nullLogger, storage, folder);
    status(folder);
    const first = await timed(() => shadowRepository.snapshot());
    const recorded: number[] = [];
    const statuses: number[] = [];
    const later: number[] = [];
    const scans: number[] = [];
    // Interleaved, so that load peaks of the machine affect all of them.
    for (let round = 0; round < ROUNDS; round++) {
      await change(folder, round);
      scans.push(await timed(() => shadowRepository.changedPaths()));
      statuses.push(await timed(async () => status(folder)));
      const start = performance.now();
      const { tree } = await shadowRepository.record();
      recorded.push(performance.now() - start);
      await tree;
      later.push(performance.now() - start);
    }
    const floor = median(statuses);
    const against = (times: readonly number[]): string => `x ${(median(times) / floor).toFixed(2)}`;
    const shown = [recorded, later, scans].flatMap((times) => [ms(median(times)), against(times)]);
    return [size.toLocaleString('en'), ms(floor), ms(first), ...shown];
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

async function makeRepository(folder: string, size: number): Promise<void> {
  for (let at = 0; at < size; at += PER_FOLDER) {
    const place = join(folder, `area${Math.floor(at / 2_500)}`, `part${at / PER_FOLDER}`);
    await mkdir(place, { recursive: true });
    const names = Array.from({ length: Math.min(PER_FOLDER, size - at) }, (_, index) => at + index);
    await Promise.all(names.map((name) => writeFile(join(place, `file${name}.ts`), source(name, 'first'))));
  }
  runGit(folder, 'init', '-q');
  runGit(folder, 'add', '-A');
  runGit(folder, 'commit', '-qm', 'files');
  runGit(folder, 'gc', '-q');
}

async function change(folder: string, round: number): Promise<void> {
  for (let at = 0; at < CHANGED; at++) {
    await writeFile(join(folder, 'area0', `part${at}`, `file${at * PER_FOLDER}.ts`), source(at, `round ${round}`));
  }
}

function source(name: number, word: string): string {
  return Array.from({ length: 20 }, (_, line) => `export const value${name}_${line} = '${word} ${line}';\n`).join('');
}

function status(folder: string): void {
  runGit(folder, 'status', '--porcelain', '--untracked-files=all');
}

async function timed(job: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await job();
  return performance.now() - start;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

void main();

// npm run faults [-- PATTERN]: runs the cells `fault@moment`, all or those that match, and the kills of the extension host, with `kills` or
// `kills@NAME` only these; after a complete run writes docs/faults.md.
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Cell, Outcome } from './faults';
import { DAMAGED_FILES, allCells, faultPage } from './faults';
import { killPage } from './kills/killRow';
import { KILL_ROWS } from './kills/killRows';
import { playKills, runAsKilled } from './kills/playKill';
import { playCell, useTemporaryFolder, warmUp } from './playCell';

/** Number of parallel processes; most cells wait for half of their time. */
const PLAYERS = 3;

type Played = { readonly name: string; readonly ms: number } & (
  | { readonly outcome: Outcome }
  | { readonly problem: string }
);

const nameOf = ({ fault, moment }: Cell): string => `${fault}@${moment}`;

/** Runs the cells that the parent process names, in sequence. */
async function player(): Promise<void> {
  const restore = useTemporaryFolder();
  await warmUp();
  const cells = new Map(allCells().map((cell) => [nameOf(cell), cell]));
  process.on('message', (name: string) => {
    const cell = cells.get(name);
    if (cell) void play(cell).then((played) => process.send?.(played));
    else {
      restore();
      process.disconnect();
    }
  });
  process.send?.(null);
}

async function play(cell: Cell): Promise<Played> {
  const start = performance.now();
  const name = nameOf(cell);
  const ms = (): number => Math.round(performance.now() - start);
  try {
    return { outcome: await playCell(cell), name, ms: ms() };
  } catch (error) {
    return { problem: error instanceof Error ? (error.stack ?? error.message) : String(error), name, ms: ms() };
  }
}

/** Sends cells to one process until none is left. */
async function command(child: ChildProcess, waiting: string[], note: (played: Played) => void): Promise<void> {
  child.on('message', (played: Played | null) => {
    if (played) note(played);
    child.send(waiting.shift() ?? 'end');
  });
  await once(child, 'exit');
}

/** Kills the extension host at each step of each operation. */
async function playAllKills(pattern = ''): Promise<boolean> {
  let isPassed = true;
  for (const name of Object.keys(KILL_ROWS).filter((each) => each.includes(pattern))) {
    try {
      const { before, after, told } = await playKills(__filename, name);
      console.log(`ok   ${name}: ${before} steps as before, ${told} with a part, ${after} as after`);
    } catch (error) {
      isPassed = false;
      console.log(`FAIL ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return isPassed;
}

async function main(pattern: string): Promise<boolean> {
  if (pattern.startsWith('kills')) return playAllKills(pattern.slice('kills@'.length));
  if (pattern === '' && !(await playAllKills())) return false;
  const names = allCells()
    .map(nameOf)
    .filter((name) => new RegExp(pattern).test(name));
  const waiting = [...names];
  const outcomes = new Map<string, Outcome>();
  const note = (played: Played): void => {
    if ('outcome' in played) outcomes.set(played.name, played.outcome);
    const result =
      'outcome' in played ? `ok   ${played.name}: ${played.outcome}` : `FAIL ${played.name}: ${played.problem}`;
    console.log(`${result} (${played.ms} ms)`);
  };
  const start = performance.now();
  const players = Array.from({ length: PLAYERS }, () => fork(__filename, ['--player']));
  await Promise.all(players.map((child) => command(child, waiting, note)));
  console.log(
    `${outcomes.size} of ${names.length} cells passed in ${Math.round((performance.now() - start) / 1000)} s`,
  );
  if (outcomes.size === allCells().length) {
    const page = faultPage((cell) => outcomes.get(nameOf(cell)) ?? 'error') + killPage(KILL_ROWS);
    const [, ...rest] = readFileSync('docs/faults.md', 'utf8').split(DAMAGED_FILES);
    writeFileSync('docs/faults.md', [page, ...rest].join(DAMAGED_FILES));
    console.log(`\n${page}`);
  }
  return outcomes.size === names.length;
}

const [argument = ''] = process.argv.slice(2);
if (argument === '--player') void player();
else if (!runAsKilled()) void main(argument).then((isPassed) => (process.exitCode = isPassed ? 0 : 1));

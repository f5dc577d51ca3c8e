// Memory of sessions in the extension host: what many leave, each opened, used with a real agent process, and closed; and what long
// ones take that are open at the same time.
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SessionBench } from '../unit/session/sessionBench';
import { recordGoal } from './goals';
import { longConversation } from './longSession';
import { table } from './measure';

const WARM_UP = 150;
const SESSIONS = 200;
/** Ratio of heap after to heap before, and retained bytes per session: its title in the list and its summary in the session store. */
const BUDGET = { ratio: 1.1, each: 8 * 1024 };

/** Long sessions that are open in one window at the same time. */
const OPEN = 20;
const ENTRIES = 5_000;
/** Rounds before: caches and compiled code have their size after them. */
const OPEN_WARM_UPS = 2;
/** Bytes that they may take beyond an empty window. */
const OPEN_BUDGET = 300 * 2 ** 20;
/** MiB that are asked, for docs/bench.md. */
const OPEN_GOAL = 75;

/** Collections of garbage before the heap is read, and the milliseconds after each. */
const COLLECTIONS = 5;
const PAUSE_MS = 100;

const SCRIPT = [
  'thought Looking at it.',
  'tool t1 read Read a file',
  'update t1 completed what stands in it',
  'diff src/a.ts | one => two',
  'chunks 200 64',
];

async function use(bench: SessionBench, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const session = bench.sessions.newChat();
    await bench.send(...SCRIPT);
    await bench.sessions.close(session);
  }
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes in use once everything is written. What weak references and timers hold for a moment needs several collections. */
async function used(bench: SessionBench): Promise<number> {
  await bench.sessions.flush();
  for (let pass = 0; pass < COLLECTIONS; pass++) {
    collect();
    await setTimeout(PAUSE_MS);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function verdict(isKept: boolean, budget: string): string {
  if (!isKept) process.exitCode = 1;
  return `${isKept ? 'ok' : 'OVER'} (budget ${budget})`;
}

async function oneAfterTheOther(bench: SessionBench): Promise<void> {
  await use(bench, WARM_UP);
  const before = await used(bench);
  await use(bench, SESSIONS);
  const after = await used(bench);
  const resources = process.getActiveResourcesInfo().length;
  const [ratio, each] = [after / before, (after - before) / SESSIONS];
  const isKept = ratio <= BUDGET.ratio && each <= BUDGET.each;
  table(`${SESSIONS} sessions with an agent, one after the other, without VS Code`, [
    ['heap before', 'after', 'ratio', 'a session', 'open resources', ''],
    [
      mb(before),
      mb(after),
      `x ${ratio.toFixed(2)}`,
      `${(each / 1024).toFixed(1)} KiB`,
      String(resources),
      verdict(isKept, `x ${BUDGET.ratio}, ${BUDGET.each / 1024} KiB a session`),
    ],
  ]);
}

async function openLong(bench: SessionBench, round: number): Promise<void> {
  for (let at = 0; at < OPEN; at++) {
    const session = bench.sessions.open.create(`long${round}-${at}`);
    for (const action of longConversation(ENTRIES)) session.dispatch(action);
    await bench.sessions.flush();
  }
}

async function closeAll(bench: SessionBench): Promise<void> {
  for (const session of bench.sessions.allOpen()) await bench.sessions.close(session);
}

async function atTheSameTime(bench: SessionBench): Promise<void> {
  for (let round = 0; round < OPEN_WARM_UPS; round++) {
    await openLong(bench, round);
    await closeAll(bench);
  }
  const before = await used(bench);
  await openLong(bench, OPEN_WARM_UPS);
  const open = (await used(bench)) - before;
  // The list is not kept: it would hold the sessions.
  const count = bench.sessions.allOpen().filter(({ state }) => state.entries.count === ENTRIES).length;
  if (count !== OPEN) throw new Error(`${count} of ${OPEN} long sessions are open`);
  await closeAll(bench);
  const closed = (await used(bench)) - before;
  const size = { figure: open / 2 ** 20, most: OPEN_GOAL, unit: 'MiB' } as const;
  recordGoal({ row: '20 sessions of 5,000 entries', what: 'heap of the host', ...size });
  table(`${OPEN} sessions of ${ENTRIES.toLocaleString('en')} entries at the same time, without VS Code`, [
    ['all open', '', 'all closed', ''],
    [
      mb(open),
      verdict(open <= OPEN_BUDGET, mb(OPEN_BUDGET)),
      mb(closed),
      verdict(closed <= OPEN * BUDGET.each, mb(OPEN * BUDGET.each)),
    ],
  ]);
}

async function main(): Promise<void> {
  const bench = await SessionBench.open();
  await oneAfterTheOther(bench);
  await atTheSameTime(bench);
  await bench.close();
}

void main();

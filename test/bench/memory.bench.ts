// Memory retained in the extension host after many sessions: each is opened, used with a real agent process, and closed.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SessionBench } from '../unit/session/sessionBench';
import { table } from './measure';

const WARM_UP = 150;
const SESSIONS = 200;
/** Ratio of heap after to heap before, and retained bytes per session: its title in the list and its summary in the session store. */
const BUDGET = { ratio: 1.1, each: 8 * 1024 };

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

async function main(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = async (): Promise<number> => {
    await bench.sessions.flush();
    collect();
    return process.memoryUsage().heapUsed;
  };
  const bench = await SessionBench.open();
  await use(bench, WARM_UP);
  const before = await used();
  await use(bench, SESSIONS);
  const after = await used();
  const resources = process.getActiveResourcesInfo().length;
  await bench.close();
  const [ratio, each] = [after / before, (after - before) / SESSIONS];
  const isKept = ratio <= BUDGET.ratio && each <= BUDGET.each;
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  table(`${SESSIONS} sessions with an agent, one after the other, without VS Code`, [
    ['heap before', 'after', 'ratio', 'a session', 'open resources', ''],
    [
      mb(before),
      mb(after),
      `x ${ratio.toFixed(2)}`,
      `${(each / 1024).toFixed(1)} KiB`,
      String(resources),
      `${isKept ? 'ok' : 'OVER'} (budget x ${BUDGET.ratio}, ${BUDGET.each / 1024} KiB a session)`,
    ],
  ]);
  if (!isKept) process.exitCode = 1;
}

void main();

// Cost of a tool call on each transport to an agent, compared with the SDKs' transports and a child process server.
import { availableParallelism, loadavg } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { recordGoal } from './goals';
import { agent, httpCaller, sdkAgent } from './mcpCallers';
import type { Path } from './mcpServers';
import {
  overAcp,
  overAcpBySdk,
  overAcpOnly,
  overHttp,
  overHttpBySdk,
  overHttpOnly,
  overRelay,
  overStdio,
  overStdioBySdk,
  stdioServer,
} from './mcpServers';
import { table } from './measure';

const CALLS = 2_000;
const ROUNDS = 4;
/** Number of calls after which the heap is measured again. */
const MANY = 20_000;
const MIB = 1024 * 1024;

/** Asked of a quiet machine, for docs/bench.md; the budgets also hold on a busy one. */
const GOAL = { acpToStdio: 0.9, httpToSdk: 0.4, manyTools: 1.05 };
/** Budgets: ratios of two medians of the same run, and bytes. */
const BUDGET = { acpToStdio: 1.1, httpToSdk: 0.5, manyTools: 1.15, heap: 2 * MIB };

const PATHS = {
  'over ACP': () => overAcp('2026-07-28', 0, 'sdkAgent'),
  'over ACP, nothing but an answer': overAcpOnly,
  'stdio child server': () => overStdioBySdk('2026-07-28'),
  'stdio child server, 2025-06-18': () => overStdioBySdk('2025-06-18'),
  'bare: over ACP': () => overAcp('2026-07-28'),
  'bare: over ACP, 2025-06-18': () => overAcp('2025-06-18'),
  'bare: over ACP, 30 tools more': () => overAcp('2026-07-28', 30),
  "bare: over ACP, the ACP SDK's own": overAcpBySdk,
  'bare: stdio child server': () => overStdio('2026-07-28'),
  'bare: stdio child server, 2025-06-18': () => overStdio('2025-06-18'),
  'bare: stdio relay': overRelay,
  'bare: local HTTP': overHttp,
  "bare: local HTTP, the MCP SDK's own": overHttpBySdk,
  'bare: local HTTP, nothing but an answer': overHttpOnly,
} as const;
type Name = keyof typeof PATHS;
const NAMES = Object.keys(PATHS) as Name[];

interface Times {
  readonly median: number;
  readonly p95: number;
}

async function main(): Promise<void> {
  const load = loadavg().map((one) => one.toFixed(1));
  console.log(`${availableParallelism()} cores, load ${load.join(' ')}, Node ${process.versions.node}`);
  const times = await measureAll();
  const floor = times['stdio child server'].median;
  const us = (value: number): string => `${Math.round(value * 1000)} us`;
  table(
    `A call of a tool, two processes (median of ${CALLS}, best of ${ROUNDS} rounds; 5 problems, structured; MCP 2026-07-28 where nothing else is said)`,
    [
      ['path', 'median', 'p95', 'x stdio child server'],
      ...NAMES.map((name) => {
        const { median, p95 } = times[name];
        return [name, us(median), us(p95), `x ${(median / floor).toFixed(2)}`];
      }),
    ],
  );
  console.log(
    '  The first four are called by the official SDKs, as agents do; “bare” by a caller that only writes and reads lines.',
  );
  const ratio = (a: Name, b: Name): number => times[a].median / times[b].median;
  const acpToStdio = { figure: ratio('over ACP', 'stdio child server'), most: GOAL.acpToStdio, unit: 'x' } as const;
  recordGoal({ row: 'tools/call over ACP', what: 'to a stdio child server', ...acpToStdio });
  judge('over ACP to a stdio child server', acpToStdio.figure, BUDGET.acpToStdio);
  // The cost of Node and of the caller is the same for both.
  const floorHttp = times['bare: local HTTP, nothing but an answer'].median;
  const added = (name: Name): number => times[name].median - floorHttp;
  const ownHttp = added('bare: local HTTP') / added("bare: local HTTP, the MCP SDK's own");
  recordGoal({
    row: 'tools/call over HTTP',
    what: "to the MCP SDK's, beyond Node's time",
    figure: ownHttp,
    most: GOAL.httpToSdk,
    unit: 'x',
  });
  judge("local HTTP to the MCP SDK's own, beyond what Node takes", ownHttp, BUDGET.httpToSdk);
  const allHttp = ratio('bare: local HTTP', "bare: local HTTP, the MCP SDK's own");
  console.log(`  local HTTP to the MCP SDK's own, all of it: x ${allHttp.toFixed(2)}`);
  const manyTools = ratio('bare: over ACP, 30 tools more', 'bare: over ACP');
  recordGoal({
    row: 'tools/call over ACP',
    what: 'with 30 tools more',
    figure: manyTools,
    most: GOAL.manyTools,
    unit: 'x',
  });
  judge('30 tools more to none', manyTools, BUDGET.manyTools);
  const ownAcp = ratio('bare: over ACP', "bare: over ACP, the ACP SDK's own");
  console.log(`  over ACP to the ACP SDK's own: x ${ownAcp.toFixed(2)}`);
  await measureHeap();
}

/** Interleaved, so that load peaks of the machine affect all of them. */
async function measureAll(): Promise<Record<Name, Times>> {
  const open = new Map<Name, Path>();
  for (const name of NAMES) open.set(name, await PATHS[name]());
  const best = new Map<Name, Times>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, path] of open) {
      const sorted = (await path.measure(CALLS)).toSorted((a, b) => a - b);
      const times = { median: at(sorted, 0.5), p95: at(sorted, 0.95) };
      const before = best.get(name);
      if (!before || times.median < before.median) best.set(name, times);
    }
  }
  for (const path of open.values()) await path.close();
  return Object.fromEntries(best) as Record<Name, Times>;
}

/** Heap growth by that many calls in this process, which serves them. */
async function measureHeap(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const path = await overAcp('2026-07-28');
  // Buffers that intentionally retain recent messages are full by then.
  await path.measure(CALLS * 2);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let done = 0; done < MANY; done += CALLS) await path.measure(CALLS);
  collect();
  const growth = process.memoryUsage().heapUsed - before;
  await path.close();
  const isKept = growth <= BUDGET.heap;
  console.log(
    `  heap after ${MANY.toLocaleString('en')} calls: ${(growth / MIB).toFixed(2)} MiB more (budget ${BUDGET.heap / MIB} MiB)${isKept ? '' : ' OVER'}`,
  );
  if (!isKept) process.exitCode = 1;
}

function judge(what: string, ratio: number, budget: number): void {
  const isKept = ratio <= budget;
  console.log(`  ${what}: x ${ratio.toFixed(2)} (budget x ${budget})${isKept ? '' : ' OVER'}`);
  if (!isKept) process.exitCode = 1;
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.floor(part * (sorted.length - 1))] ?? NaN;
}

const [role, url = '', token = '', count = '0'] = process.argv.slice(2);
if (role === 'agent') agent();
else if (role === 'sdkAgent') sdkAgent();
else if (role === 'stdio') stdioServer();
else if (role === 'http') void httpCaller(url, token, Number(count));
else void main();

import { WorkspacePathIndex } from '../../src/ui/attachments/pathIndex';
import { recordGoal } from './goals';
import { against, table } from './measure';

const PATHS = 50_000;
/** Budget per key in milliseconds, p95. */
const BUDGET = 8;
const WORDS = ['app', 'session', 'chat', 'View', 'index', 'user', 'http', 'parse', 'Tool', 'model', 'data', 'render'];
const TYPED = ['src/app', 'chatview', 'sesmod', 'index.test', 'rndr', 'usr/parse', 'zzzq', 'model9', 'httpTool', 'a'];

/** The same workspace in every run: a seeded random generator. */
function pathsOf(count: number): string[] {
  let seed = 7;
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const word = (): string => WORDS[next(WORDS.length)] ?? '';
  return Array.from({ length: count }, (_, at) => {
    const folders = Array.from({ length: 2 + next(4) }, () => `${word()}${next(9)}`);
    return ['packages', ...folders, `${word()}${word()}${at}.${next(3) === 0 ? 'test.ts' : 'ts'}`].join('/');
  });
}

/** Milliseconds of work per call, for words typed letter by letter; waiting for a busy machine is excluded. */
function timesOf(find: (query: string) => unknown): number[] {
  const times: number[] = [];
  for (let round = 0; round < 10; round++) {
    for (const typed of TYPED) {
      for (let end = 1; end <= typed.length; end++) {
        const started = process.cpuUsage();
        find(typed.slice(0, end));
        const { user, system } = process.cpuUsage(started);
        times.push((user + system) / 1000);
      }
    }
  }
  return times.toSorted((a, b) => a - b);
}

function row(name: string, times: readonly number[]): string[] {
  const at = (part: number): number => times[Math.floor(part * (times.length - 1))] ?? NaN;
  return [name, ...[0.5, 0.95, 1].map((part) => `${at(part).toFixed(1)} ms`), against(at(0.95), BUDGET)];
}

/** Cost of a key after `@`, compared with the minimum: a substring test of each path. */
function main(): void {
  const labels = pathsOf(PATHS);
  const index = new WorkspacePathIndex();
  const started = performance.now();
  for (const label of labels) index.addFile(`file:///w/${label}`, label);
  const built = performance.now() - started;
  const lower = labels.map((label) => label.toLowerCase());
  const floor = timesOf((query) => lower.filter((label) => label.includes(query)).length);
  const search = timesOf((query) => index.search(query, 30));
  table(
    `Mentions: a key after "@" among ${index.size.toLocaleString('en')} files and folders; index made in ${built.toFixed(0)} ms`,
    [['what', 'median', 'p95', 'most', ''], row('search', search), row('floor: includes()', floor)],
  );
  const p95 = (times: readonly number[]): number => times[Math.floor(0.95 * (times.length - 1))] ?? NaN;
  const limits = { figure: p95(search), floor: p95(floor), most: BUDGET, unit: 'ms' } as const;
  recordGoal({ row: 'a key after @', what: 'p95', ...limits });
  if (p95(search) > BUDGET) process.exitCode = 1;
}

main();

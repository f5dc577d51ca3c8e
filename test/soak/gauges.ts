import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Maximum rise of a gauge in 100 rounds, and its unit. */
const LIMITS = { heap: 2, files: 2, children: 0.5, resources: 2, listeners: 1, disposables: 5, sessions: 0.5 } as const;
/** Minimum number of rounds: the traffic buffer of each connection fills up first. */
const MIN_SAMPLES = 60;
type Gauge = keyof typeof LIMITS;
type Sample = Readonly<Record<Gauge, number>>;

const hasProc = existsSync('/proc/self/fd');

/**
 * Collects garbage, then measures this process: memory in MiB, open files and child processes (on Linux), handles, listeners of
 * the process, and the number of session objects and of disposables: each subscription to an event of Parley is one.
 */
export function measure(session: object, subscription: object): Sample {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return {
    heap: process.memoryUsage().heapUsed / 2 ** 20,
    files: hasProc ? readdirSync('/proc/self/fd').length : 0,
    children: hasProc ? childIds().length : 0,
    resources: process.getActiveResourcesInfo().length,
    sessions: queryObjects(session.constructor, { format: 'count' }),
    disposables: queryObjects(subscription.constructor, { format: 'count' }),
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  };
}

function childIds(): readonly string[] {
  return readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);
}

/** The values of a gauge over the run, as a sparkline of eight heights. */
function curve(samples: readonly Sample[], gauge: Gauge): string {
  const values = samples.map((sample) => sample[gauge]);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return values.map((value) => '▁▂▃▄▅▆▇█'[Math.round(((value - least) / (most - least || 1)) * 7)]).join('');
}

/** A row for each gauge: first, last, and the slope in 100 rounds with its standard error; marked where the rise exceeds the limit. */
export function report(samples: readonly (Sample & { readonly round: number })[]): readonly string[] {
  // The first third fills caches and compiles code.
  const settled = samples.slice(Math.floor(samples.length / 3));
  return (Object.keys(LIMITS) as Gauge[]).map((gauge) => {
    const { slope, error } = lineOf(settled.map((sample) => [sample.round, sample[gauge]]));
    const isRising = settled.length >= MIN_SAMPLES && slope - 2 * error > LIMITS[gauge];
    const [first, last] = [settled[0]?.[gauge] ?? 0, settled.at(-1)?.[gauge] ?? 0];
    const rise = `${slope.toFixed(2)} ± ${error.toFixed(2)} in 100 rounds`;
    return `${gauge}: ${first.toFixed(1)} to ${last.toFixed(1)}, ${rise}${isRising ? ` RISES (at most ${LIMITS[gauge]})` : ''} ${curve(samples, gauge)}`;
  });
}

/** Least squares, for 100 steps. */
function lineOf(points: readonly (readonly [number, number])[]): { slope: number; error: number } {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [mx, my] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const sxx = points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0) / sxx;
  const rest = points.reduce((sum, [x, y]) => sum + (y - my - slope * (x - mx)) ** 2, 0);
  const error = Math.sqrt(rest / Math.max(1, points.length - 2) / sxx);
  return { slope: slope * 100, error: error * 100 };
}

import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** Thread time of a page's main thread, in milliseconds. */
export interface TraceCost {
  readonly thread: number;
  /** The longest task, and the number of tasks over 50 ms. */
  readonly longest: number;
  readonly over: number;
  /** The most expensive kinds of work. */
  readonly parts: string;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly tid: number;
  readonly pid: number;
  readonly ts: number;
  readonly tdur?: number;
  readonly dur?: number;
  readonly args?: {
    readonly name?: string;
    readonly chrome_mojo_event_info?: { readonly mojo_interface_tag?: string };
  };
}

/** Records a trace of the page while `run` runs. */
export async function traceCost(page: Page, run: () => Promise<unknown>, file?: string): Promise<TraceCost> {
  const browser = page.context().browser();
  if (!browser) throw new Error('The page has no browser.');
  const categories = [
    'disabled-by-default-devtools.timeline',
    'devtools.timeline',
    'toplevel',
    '__metadata',
    'blink.user_timing',
    'v8',
    ...(file ? ['disabled-by-default-v8.cpu_profiler'] : []),
  ];
  await browser.startTracing(page, { categories });
  await run();
  const buffer = await browser.stopTracing();
  if (file) writeFileSync(file, buffer);
  const { traceEvents } = JSON.parse(buffer.toString()) as { traceEvents: TraceEvent[] };
  return costOf(traceEvents);
}

function costOf(events: readonly TraceEvent[]): TraceCost {
  const mains = events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const totals = mains.map(({ pid, tid }) => events.filter((event) => event.pid === pid && event.tid === tid));
  const best = totals.map((own) => ({ own, tasks: tasksOf(own) }));
  const sum = (list: readonly TraceEvent[]): number => list.reduce((all, { tdur = 0 }) => all + tdur, 0) / 1000;
  best.sort((a, b) => sum(b.tasks) - sum(a.tasks));
  const [main] = best;
  if (!main) throw new Error('No main thread in the trace.');
  const times = main.tasks.map(({ tdur = 0 }) => tdur / 1000);
  const kinds = new Map<string, number>();
  for (const { name, ph, tdur = 0 } of main.own) {
    if (ph === 'X' && SHOWN.has(name)) kinds.set(name, (kinds.get(name) ?? 0) + tdur / 1000);
  }
  const parts = [...kinds]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 10)
    .map(([name, time]) => `${name} ${Math.round(time)}`);
  return {
    thread: sum(main.tasks),
    longest: Math.max(0, ...times),
    over: times.filter((time) => time > 50).length,
    parts: parts.join(', '),
  };
}

/** Without the tasks in which the page gets the commands of the bench: they parse megabytes of JavaScript. */
function tasksOf(events: readonly TraceEvent[]): TraceEvent[] {
  const commands = events.filter(
    ({ args }) => args?.chrome_mojo_event_info?.mojo_interface_tag === 'blink.mojom.DevToolsSession',
  );
  return events.filter(
    ({ name, ph, ts, dur = 0 }) =>
      ph === 'X' && name === 'RunTask' && !commands.some((command) => command.ts >= ts && command.ts < ts + dur),
  );
}

const SHOWN = new Set([
  'FunctionCall',
  'FireAnimationFrame',
  'TimerFire',
  'EvaluateScript',
  'UpdateLayoutTree',
  'Layout',
  'PrePaint',
  'Paint',
  'Layerize',
  'Commit',
  'HitTest',
  'ParseHTML',
  'MajorGC',
  'MinorGC',
  'RunMicrotasks',
  'EventDispatch',
  'FireIdleCallback',
  'IntersectionObserverController::computeIntersections',
  'ResizeObserver',
  'UpdateLayer',
  'CompositingInputs',
  'V8.GCScavenger',
]);

import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** Thread time of a page's main thread, in milliseconds. */
export interface TraceCost {
  readonly thread: number;
  /** The longest task, and the number of tasks over 50 ms. */
  readonly longest: number;
  readonly over: number;
  /** The longest task that a webview's page took most of; in a page alone all tasks are its own. */
  readonly longestOfPage: number;
  /** The largest costs, without those inside them. */
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
    readonly data?: { readonly frame?: string; readonly frames?: readonly TracedFrame[] };
    readonly beginData?: { readonly frame?: string };
    readonly chrome_mojo_event_info?: { readonly mojo_interface_tag?: string };
  };
}

interface TracedFrame {
  readonly frame: string;
  readonly parent?: string;
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
  best.sort((a, b) => sum(b.tasks) - sum(a.tasks));
  const [main] = best;
  if (!main) throw new Error('No main thread in the trace.');
  main.tasks.sort((a, b) => a.ts - b.ts);
  const costs = costsOf(main.own, main.tasks, outerFrames(events));
  const kinds = new Map<string, number>();
  for (const { kind, time } of costs.flat()) kinds.set(kind, (kinds.get(kind) ?? 0) + time);
  const parts = [...kinds]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 8)
    .map(([kind, time]) => `${kind} ${Math.round(time)}`);
  const times = main.tasks.map(time);
  return {
    thread: sum(main.tasks),
    longest: Math.max(0, ...times),
    over: times.filter((each) => each > 50).length,
    longestOfPage: Math.max(0, ...times.filter((_, at) => isOfPage(costs[at] ?? []))),
    parts: parts.join(', '),
  };
}

const time = ({ tdur = 0 }: TraceEvent): number => tdur / 1000;

const sum = (events: readonly TraceEvent[]): number => events.reduce((all, event) => all + time(event), 0);

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

interface Cost {
  readonly kind: string;
  readonly owner: Owner;
  time: number;
}

type Owner = 'page' | 'workbench' | undefined;

/**
 * The costs in each task: the time of an event without that of the events inside it.
 * @param tasks earliest first
 */
function costsOf(
  events: readonly TraceEvent[],
  tasks: readonly TraceEvent[],
  outer: ReadonlySet<string> | undefined,
): readonly Cost[][] {
  const known = events.filter(({ name, ph }) => ph === 'X' && Object.hasOwn(KINDS, name));
  known.sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
  let at = 0;
  return tasks.map((task) => {
    const costs: Cost[] = [];
    const open: { readonly end: number; readonly cost: Cost }[] = [];
    while ((known[at]?.ts ?? Infinity) < task.ts) at++;
    for (let event = known[at]; event && event.ts < endOf(task); event = known[++at]) {
      while ((open.at(-1)?.end ?? Infinity) <= event.ts) open.pop();
      const around = open.at(-1)?.cost;
      if (around) around.time -= time(event);
      const cost = toCost(event, outer, around);
      costs.push(cost);
      open.push({ end: endOf(event), cost });
    }
    return costs;
  });
}

const endOf = ({ ts, dur = 0 }: TraceEvent): number => ts + dur;

/** @param around the cost that it is part of: a call without a frame has that one's owner */
function toCost(event: TraceEvent, outer: ReadonlySet<string> | undefined, around: Cost | undefined): Cost {
  const kind = KINDS[event.name] ?? '';
  const frame = event.args?.data?.frame ?? event.args?.beginData?.frame;
  // Painting is of the whole window.
  const hasOwner = outer !== undefined && frame !== undefined && OF_A_FRAME.has(kind);
  const ownerAround = frame === undefined && kind === 'script' ? around?.owner : undefined;
  const owner = hasOwner ? (outer.has(frame) ? 'workbench' : 'page') : ownerAround;
  return { kind: owner ? `${owner} ${kind}` : kind, owner, time: time(event) };
}

function isOfPage(costs: readonly Cost[]): boolean {
  const of = (owner: Owner): number => costs.reduce((all, cost) => (cost.owner === owner ? all + cost.time : all), 0);
  return of('page') >= of('workbench');
}

/** The frames of the workbench: its own and those around a webview's page. Undefined where the page has no such frames. */
function outerFrames(events: readonly TraceEvent[]): ReadonlySet<string> | undefined {
  const frames = events.find(({ name }) => name === 'TracingStartedInBrowser')?.args?.data?.frames ?? [];
  const tops = frames.filter(({ parent }) => parent === undefined).map(({ frame }) => frame);
  const outer = new Set([
    ...tops,
    ...frames.filter(({ parent = '' }) => tops.includes(parent)).map(({ frame }) => frame),
  ]);
  return outer.size < frames.length ? outer : undefined;
}

/** Events of the trace, as the tables name them. */
const KINDS: Readonly<Record<string, string>> = {
  FunctionCall: 'script',
  FireAnimationFrame: 'script',
  FireIdleCallback: 'script',
  TimerFire: 'script',
  EventDispatch: 'script',
  EvaluateScript: 'script',
  RunMicrotasks: 'script',
  BlinkScheduler_PerformMicrotaskCheckpoint: 'script',
  'v8.callFunction': 'script',
  'Receive mojo message': 'messages',
  UpdateLayoutTree: 'style',
  Layout: 'layout',
  ParseHTML: 'HTML',
  PrePaint: 'paint',
  Paint: 'paint',
  UpdateLayer: 'paint',
  Layerize: 'layers',
  CompositingInputs: 'layers',
  Commit: 'layers',
  HitTest: 'hit test',
  MajorGC: 'garbage',
  MinorGC: 'garbage',
  'IntersectionObserverController::computeIntersections': 'intersections',
  ResizeObserver: 'resize observers',
};

const OF_A_FRAME: ReadonlySet<string> = new Set(['script', 'style', 'layout', 'HTML']);

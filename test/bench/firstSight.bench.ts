// First sight: from a click on Parley's icon to a message box that takes keys, from a view that was hidden and is shown again, and from a
// reload of the window; the packed extension in VS Code's workbench, beside the empty view of another extension in the same window.
// SIGHT_STEPS=1 prints the steps of each measurement.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import type { Workbench } from '../e2e/workbench';
import { openWorkbench } from '../e2e/workbench';
import { mochaHooks } from '../host/windowHost.mjs';
import { eventually } from '../kit/waiting';
import { frameOf, parley, runSteps, settingsOf } from './clients';
import { EMPTY_TITLE, installEmptyView } from './emptyView';
import { recordGoal } from './goals';
import { ms, table } from './measure';
import { forgetSight, readSight, watchSight } from './sight';

const RELOADS = 3;
const ROUNDS = 5;

interface View {
  readonly title: string;
  /** Id of its extension. */
  readonly extension: string;
}

const PARLEY: View = { title: 'Parley', extension: 'parley.parley' };
const EMPTY: View = { title: EMPTY_TITLE, extension: 'bench.empty' };

/** Milliseconds from a click, a key or a side bar that stands after a reload. */
interface Times {
  /** To something of the view. */
  readonly something: number;
  readonly box: number;
  /** To a message box with the focus; undefined after a reload, which leaves the focus elsewhere. */
  readonly keys?: number;
}

/** Parts of the flood agent's history, and the entries that it makes. */
const SCENES = [
  { name: 'new chat', part: 0 },
  { name: 'chat of 5,000 entries', part: 5 },
] as const;

/** Milliseconds until a window stands still after a reload. VS Code stores what a reload should find every five seconds. */
const SETTLE_MS = 6000;
/** Milliseconds after the message box until a view without the focus counts as one that never gets it. */
const FOCUS_LIMIT_MS = 3000;

/** The most milliseconds; of {@link Times} to `keys`, after a reload to `box`. */
const GOALS: Readonly<Record<string, number>> = { 'first click': 500, 'later click': 120, 'shown again': 60 };
/** The most MiB of JavaScript of a page that is kept while its view is hidden. */
const KEPT_MIB = 52;
/** The most times that of the empty view. */
const RELOAD_OF_EMPTY = 1.5;

/** MiB of JavaScript, and nodes of documents. */
interface Memory {
  readonly heap: number;
  readonly nodes: number;
}

type FrameSteps = ReturnType<typeof readSight>;

/** Of a view's document, and of the window around it. */
interface Steps {
  readonly inner: FrameSteps;
  readonly outer: FrameSteps;
}

/** A window with the chat of a scene in Parley's view. */
class Sights {
  readonly #rows = new Map<string, Times[]>();

  private constructor(
    private readonly workbench: Workbench,
    private readonly steps: string,
  ) {}

  static async open(part: number, folder: string): Promise<Sights> {
    const steps = join(folder, 'steps.ndjson');
    await writeFile(steps, '');
    const workbench = await openWorkbench({
      settings: settingsOf(parley),
      env: { BENCH_LOG: join(folder, 'floods.ndjson'), BENCH_PART: String(part), HOST_STEPS: steps },
      preload: join(process.cwd(), 'test/bench/hostSteps.cjs'),
    });
    await workbench.page.addInitScript(watchSight);
    await runSteps(workbench, parley.open);
    const message = (await frameOf(workbench, 'textarea')).locator('textarea').first();
    await message.fill('start');
    await message.press('Enter');
    if (part > 0) {
      await runSteps(workbench, parley.load ?? []);
      await workbench.chat().getByText('THE-END').first().waitFor();
    }
    return new Sights(workbench, steps);
  }

  /** Each view is in front at a reload, and the other one is then clicked for the first time. */
  async run(): Promise<ReadonlyMap<string, readonly Times[]>> {
    for (let round = 0; round < RELOADS; round++) {
      for (const [front, other] of [
        [PARLEY, EMPTY],
        [EMPTY, PARLEY],
      ] as const) {
        await this.#select(front);
        await this.#page.waitForTimeout(SETTLE_MS);
        this.#add('reload', front, await this.#reload(front));
        await this.#page.waitForTimeout(SETTLE_MS);
        this.#add('first click', other, await this.#click(other));
      }
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const view of [EMPTY, PARLEY]) this.#add('later click', view, await this.#click(view));
    }
    for (const view of [EMPTY, PARLEY]) {
      await this.#select(view);
      for (let round = 0; round < ROUNDS; round++) this.#add('shown again', view, await this.#toggle(view));
    }
    return this.#rows;
  }

  /** What Parley's page takes while it is kept for a hidden view. The window cannot be used afterwards. */
  async kept(): Promise<Memory> {
    await this.#page.keyboard.press('Control+Alt+b');
    await this.#page.locator('.part.auxiliarybar').waitFor({ state: 'hidden' });
    const before = await this.#memory();
    await this.#page.evaluate((owner) => {
      for (const frame of document.querySelectorAll(`iframe.webview[src*="extensionId=${owner}"]`)) frame.remove();
    }, PARLEY.extension);
    const after = await this.#memory();
    return { heap: before.heap - after.heap, nodes: before.nodes - after.nodes };
  }

  /** Of all documents of the window. */
  async #memory(): Promise<Memory> {
    const client = await this.#page.context().newCDPSession(this.#page);
    await client.send('Performance.enable');
    for (let pass = 0; pass < 3; pass++) await client.send('HeapProfiler.collectGarbage');
    const { metrics } = await client.send('Performance.getMetrics');
    await client.detach();
    const of = (name: string): number => metrics.find((each) => each.name === name)?.value ?? NaN;
    return { heap: of('JSHeapUsedSize') / 2 ** 20, nodes: of('Nodes') };
  }

  async close(): Promise<void> {
    await this.workbench.close();
  }

  get #page(): Page {
    return this.workbench.page;
  }

  #add(what: string, { title }: View, times: Times): void {
    const name = `${what}, ${title}`;
    this.#rows.set(name, [...(this.#rows.get(name) ?? []), times]);
  }

  async #select(view: View): Promise<void> {
    await this.#icon(view);
    await eventually(() => this.#frame(view));
  }

  #icon({ title }: View): Promise<void> {
    const icons = this.#page.locator('.part.auxiliarybar .composite-bar .action-label');
    return icons.and(this.#page.locator(`[aria-label^="${title}"]`)).click();
  }

  async #click(view: View): Promise<Times> {
    await this.#forget();
    await this.#icon(view);
    return this.#seen(view, 'click');
  }

  /** Hides the side bar and shows it again. */
  async #toggle(view: View): Promise<Times> {
    const bar = this.#page.locator('.part.auxiliarybar');
    await this.#page.keyboard.press('Control+Alt+b');
    await bar.waitFor({ state: 'hidden' });
    await this.#forget();
    await this.#page.keyboard.press('Control+Alt+b');
    return this.#seen(view, 'toggle');
  }

  async #reload(view: View): Promise<Times> {
    await writeFile(this.steps, '');
    await this.workbench.page.reload();
    await this.#page.locator('.part.auxiliarybar').waitFor();
    return this.#seen(view, 'reload');
  }

  async #forget(): Promise<void> {
    for (const frame of this.#page.frames()) await frame.evaluate(forgetSight).catch(() => undefined);
  }

  async #seen(view: View, how: 'click' | 'toggle' | 'reload'): Promise<Times> {
    const read = async (): Promise<Steps> => {
      const frame = await this.#frame(view);
      return { inner: await frame.evaluate(readSight), outer: await this.#page.evaluate(readSight) };
    };
    let seen = await eventually(async () => {
      const steps = await read();
      if (steps.inner.steps['box'] === undefined) throw new Error(`${view.title} shows no message box.`);
      return steps;
    });
    const end = performance.now() + (how === 'click' ? FOCUS_LIMIT_MS : 0);
    while (seen.inner.steps['keys'] === undefined && performance.now() < end) seen = await read();
    const { inner, outer } = seen;
    const start = how === 'reload' ? (outer.steps['side bar'] ?? NaN) : outer.pressed;
    await this.#print(`${view.title}, ${how}`, start, seen);
    // A page that was kept shows its box since before: then, the view is shown last.
    const shown = outer.steps[`${view.extension} shown`] ?? NaN;
    const since = (step = NaN): number => Math.max(step, shown) - start;
    const { something, box, keys = how === 'click' ? Infinity : undefined } = inner.steps;
    return { something: since(something), box: since(box), ...(keys !== undefined && { keys: keys - start }) };
  }

  /** The visible document of a view. */
  async #frame({ extension }: View): Promise<Frame> {
    for (const frame of this.#page.frames()) {
      const outer = frame.parentFrame();
      if (!outer?.url().includes(`extensionId=${extension}`)) continue;
      const isShown = await frame.locator('textarea').first().isVisible();
      if (isShown && (await (await outer.frameElement()).isVisible())) return frame;
    }
    throw new Error(`No document of ${extension} is shown.`);
  }

  async #print(what: string, start: number, { inner, outer }: Steps): Promise<void> {
    if (process.env['SIGHT_STEPS'] === undefined) return;
    const host = (await readFile(this.steps, 'utf8')).split('\n').filter(Boolean);
    const lines = host.map((line) => JSON.parse(line) as { what: string; at: number });
    const named = lines.filter((line) => !line.what.includes('chunk')).map((line) => [line.what, line.at] as const);
    const scripts = Object.entries(inner.scripts).filter(([name]) => !name.startsWith('chunk-'));
    const all = [...Object.entries(outer.steps), ...Object.entries(inner.steps), ...scripts, ...named];
    all.sort(([, a], [, b]) => a - b);
    const shown = all.filter(([, at]) => at >= start - 20_000);
    console.log(`${what}: ${shown.map(([name, at]) => `${name} ${Math.round(at - start)}`).join(', ')}`);
  }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

function medianOf(times: readonly Times[] = []): Times {
  const of = (read: (one: Times) => number | undefined): number => median(times.flatMap((one) => read(one) ?? []));
  return { something: of(({ something }) => something), box: of(({ box }) => box), keys: of(({ keys }) => keys) };
}

function report(scene: string, rows: ReadonlyMap<string, readonly Times[]>): string[][] {
  const kinds = [...new Set([...rows.keys()].map((name) => name.split(', ')[0] ?? ''))];
  return kinds.map((kind) => {
    const own = medianOf(rows.get(`${kind}, ${PARLEY.title}`));
    const floor = medianOf(rows.get(`${kind}, ${EMPTY.title}`));
    const isKeyed = !Number.isNaN(own.keys);
    const figure = isKeyed ? (own.keys ?? NaN) : own.box;
    const ofFloor = isKeyed ? (floor.keys ?? NaN) : floor.box;
    const row = `${scene}, ${kind}`;
    const most = GOALS[kind];
    if (most !== undefined) recordGoal({ row, what: 'box', figure, most, unit: 'ms', floor: ofFloor });
    else
      recordGoal({ row, what: 'box, to the empty view', figure: figure / ofFloor, most: RELOAD_OF_EMPTY, unit: 'x' });
    const cells = [own.something, floor.something, own.box, floor.box, own.keys ?? NaN, floor.keys ?? NaN];
    return [row, ...cells.map(cellOf), `x ${(figure / ofFloor).toFixed(2)}`];
  });
}

function cellOf(time: number): string {
  if (Number.isNaN(time)) return '';
  return time === Infinity ? 'never' : ms(time);
}

async function main(): Promise<void> {
  console.log(`Load of the machine: ${(loadavg()[0] ?? 0).toFixed(1)} on ${availableParallelism()} processors.`);
  const folder = await mkdtemp(join(tmpdir(), 'parley-sight-'));
  const rows: string[][] = [];
  const kept: string[][] = [];
  try {
    await installEmptyView(process.env['E2E_EXTENSIONS'] ?? '');
    for (const { name, part } of SCENES.filter((scene) => scene.name.includes(process.env['SCENE'] ?? ''))) {
      const sights = await Sights.open(part, folder);
      try {
        rows.push(...report(name, await sights.run()));
        const { heap, nodes } = await sights.kept();
        kept.push([name, `${heap.toFixed(1)} MiB`, nodes.toLocaleString('en')]);
        recordGoal({ row: name, what: 'kept page, hidden', figure: heap, most: KEPT_MIB, unit: 'MiB' });
      } finally {
        await sights.close();
      }
    }
  } finally {
    await mochaHooks.afterAll.call({ timeout: () => undefined });
    await rm(folder, { recursive: true, force: true });
  }
  const heads = ['something', 'empty', 'box', 'empty', 'takes keys', 'empty', 'x'];
  table('First sight (median; of a reload from a side bar that stands)', [['what', ...heads], ...rows]);
  table('The page that is kept for a hidden view', [['what', 'JavaScript', 'nodes'], ...kept]);
}

void main();

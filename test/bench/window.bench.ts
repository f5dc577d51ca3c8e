import { randomUUID } from 'node:crypto';
// Cost of floods in the real window: the packed extension in VS Code's workbench, with an agent that sends them over its pipe. Each row is
// compared with a lower bound: plain text nodes that the same page appends at the same rate. `--peer` measures another client in the same
// run. FLOOD=words runs only floods whose name contains the words; TRACES=folder stores traces with profiles, and screenshots of the end.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame, Keyboard, Locator } from 'playwright-core';
import type { Workbench } from '../e2e/workbench';
import { openWorkbench } from '../e2e/workbench';
import { mochaHooks } from '../host/windowHost.mjs';
import { eventually } from '../kit/waiting';
import type { PageWindow } from '../page/pageWindow';
import type { Client } from './clients';
import { frameOf, installPeer, lastTextOf, parley, runSteps, settingsOf } from './clients';
import type { Flood } from './floods';
import { floods } from './floods';
import { recordGoal } from './goals';
import { extensionHost, processUse } from './hostProcess';
import { ms, table } from './measure';
import type { TraceCost } from './traceCost';
import { traceCost } from './traceCost';

/** Milliseconds between two keys typed during a flood. */
const KEY_PAUSE_MS = 120;
const FILES = 500;
/** Milliseconds after which a flood counts as lost. */
const LIMIT_MS = 60_000;

/** The most milliseconds that a flood may take. */
interface Limits {
  readonly visible?: number;
  readonly lag?: number;
  readonly thread?: number;
  /** Times the thread of the floor: the time of a stream at a fixed rate depends on the machine. */
  readonly threadOfFloor?: number;
  readonly worstKey?: number;
  /** Times the row without Follow: editors that it opens keep the same thread busy. */
  readonly visibleOfUnfollowed?: number;
  /** MiB. */
  readonly hostPeak?: number;
}
const GOALS: Readonly<Record<string, Limits>> = {
  '2,000 chunks, 200 a second': { lag: 100, threadOfFloor: 1.1, worstKey: 50 },
  '20,000 chunks at once': { visible: 1700, lag: 670, thread: 1300 },
  '500 edits at once, Follow off': { thread: 600 },
  '500 edits at once': { visibleOfUnfollowed: 1.2 },
  '5,000 lines in 250 snapshots': { lag: 100, thread: 600, hostPeak: 250 },
  'load 2,000 updates': { visible: 700, thread: 500 },
};
/** The most milliseconds from a key to its letter, in every row. */
const WORST_KEY_MS = 60;
const LONGEST_MS = 50;

interface Row {
  readonly what: string;
  /** Undefined when the end was not rendered in time. */
  readonly visible: number | undefined;
  readonly lag: number;
  readonly worstKey: number;
  readonly nodes: number;
  readonly cost: TraceCost;
  readonly floor: TraceCost | undefined;
  readonly hostCpu: number;
  readonly hostPeak: number;
}

interface PageSide {
  worstKey: number;
  keys?: PerformanceObserver;
}

/** One flood in a window of its own. */
class Bench {
  readonly #client: Client;
  readonly #log: string;
  readonly #mark = randomUUID();
  #workbench: Workbench | undefined;

  constructor(client: Client, log: string) {
    this.#client = client;
    this.#log = log;
  }

  async open({ settings }: Flood): Promise<void> {
    const files = Object.fromEntries(
      Array.from({ length: FILES }, (_, at) => [`file${at}.ts`, `export const file = ${at};\n`]),
    );
    await writeFile(this.#log, '');
    const { extensions, open } = this.#client;
    this.#workbench = await openWorkbench({
      ...(extensions !== undefined && { extensions }),
      settings: { ...settingsOf(this.#client), ...settings },
      workspaceFiles: files,
      env: { PARLEY_BENCH: this.#mark, BENCH_LOG: this.#log },
    });
    await runSteps(this.#workbench, open);
  }

  async run(flood: Flood): Promise<Row> {
    const workbench = this.#shown;
    const { box = 'textarea', ended } = this.#client;
    const frame = await frameOf(workbench, box);
    const message = frame.locator(box).first();
    await this.#startAgent(message);
    const host = extensionHost(`PARLEY_BENCH=${this.#mark}`);
    const before = processUse(host);
    const { TRACES: folder } = process.env;
    const record = folder && join(folder, `${this.#client.name}-${flood.what.replaceAll(/\W+/g, '-')}`);
    await frame.evaluate(observeKeys);
    let shown: number | undefined;
    const cost = await traceCost(
      workbench.page,
      async () => {
        if (flood.load) await runSteps(workbench, this.#client.load ?? []);
        else {
          await message.fill(flood.what);
          await message.press('Enter');
        }
        const drawn = frame.evaluate(ended, lastTextOf(this.#client));
        shown = await typeUntil(message, workbench.page.keyboard, drawn);
      },
      record && `${record}.json`,
    );
    const after = processUse(host);
    const { started, sent } = await this.#logged(flood.what, shown === undefined);
    const { nodes, worstKey } = await frame.evaluate(readPage);
    if (record) await workbench.page.screenshot({ path: `${record}.png` });
    const floor = shown === undefined ? undefined : await this.#floor(frame, flood);
    return {
      what: flood.what,
      visible: shown === undefined ? undefined : shown - started,
      lag: (shown ?? NaN) - sent,
      worstKey,
      nodes,
      cost,
      floor,
      hostCpu: after.cpu - before.cpu,
      hostPeak: after.peak,
    };
  }

  async close(): Promise<void> {
    await this.#workbench?.close();
  }

  get #shown(): Workbench {
    if (!this.#workbench) throw new Error('The window is not open.');
    return this.#workbench;
  }

  /** Its start is not part of a flood, and its sessions are listed once it runs. */
  async #startAgent(message: Locator): Promise<void> {
    await message.fill('start');
    await message.press('Enter');
    await eventually(async () => void (await this.#logged('start')));
  }

  /** @param mayBeSending the flood may have no end yet */
  async #logged(name: string, mayBeSending = false): Promise<{ readonly started: number; readonly sent: number }> {
    const lines = (await readFile(this.#log, 'utf8')).split('\n').filter(Boolean);
    const found = lines.map((line) => JSON.parse(line) as { name: string; started: number; sent: number });
    const last = found.findLast((each) => each.name === name);
    if (!last && !mayBeSending) throw new Error(`The agent has not logged "${name}".`);
    return last ?? { started: NaN, sent: NaN };
  }

  /** The cost of the same texts as plain text nodes of the same page. */
  async #floor(frame: Frame, flood: Flood): Promise<TraceCost> {
    const texts = plainTexts(flood);
    return traceCost(this.#shown.page, () => frame.evaluate(appendPlain, { texts, perSecond: flood.perSecond ?? 0 }));
  }
}

/**
 * Types into the message box until the end of the flood is rendered.
 * @returns the time of it; undefined when the flood is lost
 */
async function typeUntil(message: Locator, keyboard: Keyboard, drawn: Promise<number>): Promise<number | undefined> {
  // Located once: finding the box by its role takes 400 ms in a page of 200,000 elements.
  await message.focus();
  const limit = performance.now() + LIMIT_MS;
  while (performance.now() < limit) {
    await keyboard.press('x');
    const pause = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), KEY_PAUSE_MS));
    const end = await Promise.race([drawn, pause]);
    if (end !== undefined) return end;
  }
  // Closing the window ends it.
  drawn.catch(() => undefined);
  return undefined;
}

/** The texts of the updates; of cumulative snapshots only the added text. */
function plainTexts({ updates }: Flood): readonly string[] {
  let before = '';
  return updates.map((update) => {
    const text = [...JSON.stringify(update).matchAll(/"(?:text|newText|title)":("(?:[^"\\\\]|\\\\.)*")/g)]
      .map(([, json]) => JSON.parse(json ?? '""') as string)
      .join('\n');
    const added = before !== '' && text.startsWith(before) ? text.slice(before.length) : text;
    before = text;
    return added;
  });
}

/** Runs in the page: the longest time from a key to the frame that renders it. */
function observeKeys(): void {
  const side = globalThis as PageWindow<PageSide>;
  side.worstKey = 0;
  side.keys?.disconnect();
  side.keys = new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries())
      if (name === 'keydown' || name === 'keypress') side.worstKey = Math.max(side.worstKey, duration);
  });
  side.keys.observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
}

/** Runs in the page. */
function readPage(): { nodes: number; worstKey: number } {
  const { worstKey } = globalThis as PageWindow<PageSide>;
  return { nodes: document.querySelectorAll('*').length, worstKey };
}

/** Runs in the page: appends text nodes to an element that stays scrolled to its end. */
async function appendPlain({ texts, perSecond }: { texts: readonly string[]; perSecond: number }): Promise<void> {
  const box = document.createElement('pre');
  box.style.cssText = 'position: fixed; inset: 0; z-index: 99; overflow: auto; margin: 0; white-space: pre-wrap';
  box.style.background = 'var(--vscode-editor-background)';
  document.body.append(box);
  const frame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => resolve()));
  const started = performance.now();
  let at = 0;
  while (at < texts.length) {
    const due = perSecond > 0 ? ((performance.now() - started) * perSecond) / 1000 : at + 400;
    for (; at < Math.min(due, texts.length); at++) box.append(texts[at] ?? '');
    box.scrollTop = box.scrollHeight;
    await frame();
  }
  box.remove();
}

async function measureIn(client: Client, flood: Flood, folder: string): Promise<Row | undefined> {
  const bench = new Bench(client, join(folder, 'floods.ndjson'));
  try {
    await bench.open(flood);
    return await bench.run(flood);
  } catch (error) {
    console.error(`${client.name}, ${flood.what}: ${String(error)}`);
    process.exitCode = 1;
    return undefined;
  } finally {
    await bench.close().catch((error: unknown) => {
      console.error(`${client.name}: ${String(error)}`);
      // A peer may leave processes, which are ended and named.
      if (client === parley) process.exitCode = 1;
    });
  }
}

function tableOf(title: string, rows: readonly Row[]): void {
  table(title, [
    [
      'what',
      'visible',
      'lag',
      'thread',
      'floor',
      'longest task',
      'worst key',
      'elements',
      'host CPU',
      'host MiB',
      'where',
    ],
    ...rows.map((row) => [
      row.what,
      visibleOf(row),
      msOrNone(row.lag),
      ms(row.cost.thread),
      row.floor ? ms(row.floor.thread) : '',
      `${ms(row.cost.longest)} (${row.cost.over} over 50), the page's ${ms(row.cost.longestOfPage)}`,
      ms(row.worstKey),
      row.nodes.toLocaleString('en'),
      ms(row.hostCpu),
      String(Math.round(row.hostPeak)),
      row.cost.parts,
    ]),
  ]);
}

function visibleOf({ visible }: Row): string {
  return visible === undefined ? `not in ${LIMIT_MS / 1000} s` : msOrNone(visible);
}

function msOrNone(value: number): string {
  return Number.isNaN(value) ? '' : ms(value);
}

function compare(peer: Client, own: readonly Row[], others: readonly Row[]): void {
  const rows = own.flatMap((row) => {
    const other = others.find(({ what }) => what === row.what);
    if (!other) return [];
    const times = (a: number, b: number): string => `x ${(a / b).toFixed(2)}`;
    const hasBoth = row.visible !== undefined && other.visible !== undefined;
    return [
      [
        row.what,
        visibleOf(row),
        visibleOf(other),
        hasBoth ? times(row.visible, other.visible) : '',
        ms(row.cost.thread),
        ms(other.cost.thread),
        times(row.cost.thread, other.cost.thread),
        ms(row.cost.longest),
        ms(other.cost.longest),
      ],
    ];
  });
  const heads = ['visible', peer.name, 'x', 'thread', peer.name, 'x', 'longest task', peer.name];
  table(`Parley and ${peer.name}, window after window`, [['what', ...heads], ...rows]);
}

function judge(row: Row, rows: readonly Row[]): void {
  const { what, visible = Infinity, lag, worstKey, hostPeak, cost, floor } = row;
  const goals = GOALS[what] ?? {};
  const where = cost.parts;
  const times = [
    ['visible', visible, goals.visible],
    ['lag', lag, goals.lag],
    ['worst key', worstKey, goals.worstKey ?? WORST_KEY_MS],
  ] as const;
  for (const [name, figure, most] of times)
    if (most !== undefined) recordGoal({ row: what, what: name, figure, most, unit: 'ms', where });
  if (goals.thread !== undefined) {
    const ofFloor = floor && { floor: floor.thread };
    recordGoal({ row: what, what: 'thread', figure: cost.thread, most: goals.thread, unit: 'ms', ...ofFloor, where });
  }
  if (goals.threadOfFloor !== undefined && floor) {
    const figure = cost.thread / floor.thread;
    recordGoal({ row: what, what: 'thread, to the floor', figure, most: goals.threadOfFloor, unit: 'x', where });
  }
  const unfollowed = rows.find((other) => other.what === `${what}, Follow off`)?.visible;
  if (goals.visibleOfUnfollowed !== undefined && unfollowed !== undefined) {
    const figure = visible / unfollowed;
    recordGoal({ row: what, what: 'visible, to Follow off', figure, most: goals.visibleOfUnfollowed, unit: 'x' });
  }
  if (goals.hostPeak !== undefined)
    recordGoal({ row: what, what: 'extension host', figure: hostPeak, most: goals.hostPeak, unit: 'MiB' });
  const longest = { figure: cost.longestOfPage, most: LONGEST_MS, unit: 'ms', where } as const;
  recordGoal({ row: what, what: "the page's longest task", ...longest });
}

async function main(): Promise<void> {
  const { FLOOD: only = '', BENCH_PEER: vsix, BENCH_PEER_OPTIONS: options } = process.env;
  console.log(`Load of the machine: ${(loadavg()[0] ?? 0).toFixed(1)} on ${availableParallelism()} processors.`);
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  const rows: Row[] = [];
  const peerRows: Row[] = [];
  let peer: Client | undefined;
  try {
    if (vsix && options) peer = await installPeer(vsix, options, join(folder, 'peer'));
    for (const flood of floods('/').filter(({ what }) => what.includes(only))) {
      const row = await measureIn(parley, flood, folder);
      if (row) rows.push(row);
      const other = peer && (!flood.load || peer.load) ? await measureIn(peer, flood, folder) : undefined;
      if (other) peerRows.push(other);
    }
  } finally {
    await mochaHooks.afterAll.call({ timeout: () => undefined });
    await rm(folder, { recursive: true, force: true });
  }
  if (rows.some(({ visible }) => visible === undefined)) process.exitCode = 1;
  tableOf('Floods in the real window', rows);
  for (const row of rows) judge(row, rows);
  if (!peer) return;
  tableOf(`The same floods in ${peer.name}`, peerRows);
  compare(peer, rows, peerRows);
}

void main();

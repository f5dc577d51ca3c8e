// Cost of floods in the real window: the packed extension in VS Code's workbench, with an agent that sends them over its pipe. Each row is
// compared with a lower bound: plain text nodes that the same page appends at the same rate. FLOOD=words runs only floods whose name
// contains the words; TRACES=folder stores traces with profiles, and screenshots of the end.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { Frame, FrameLocator, Keyboard, Locator } from 'playwright-core';
import { fakeAgentPath } from '../fakeAgent/definition';
import { chooseRow } from '../e2e/steps';
import type { Workbench } from '../e2e/workbench';
import { openWorkbench } from '../e2e/workbench';
import { mochaHooks } from '../host/windowHost.mjs';
import type { Flood } from './floods';
import { endDrawn, floods } from './floods';
import { extensionHost, processUse } from './hostProcess';
import { ms, table } from './measure';
import type { TraceCost } from './traceCost';
import { traceCost } from './traceCost';

/** Milliseconds between two keys typed during a flood. */
const KEY_PAUSE_MS = 120;
const FILES = 500;
/** Milliseconds after which a flood counts as lost. */
const LIMIT_MS = 180_000;

interface Row {
  readonly what: string;
  readonly visible: number;
  readonly lag: number;
  readonly worstKey: number;
  readonly nodes: number;
  readonly cost: TraceCost;
  readonly floor: TraceCost;
  readonly hostCpu: number;
  readonly hostPeak: number;
}

interface PageSide {
  worstKey: number;
  keys?: PerformanceObserver;
}

class Bench {
  readonly #log: string;
  readonly #mark = `PARLEY_BENCH=${randomUUID()}`;
  #workbench: Workbench | undefined;

  constructor(log: string) {
    this.#log = log;
  }

  async open(): Promise<void> {
    const agent = join(dirname(fakeAgentPath()), '..', 'bench', 'floodAgent.js');
    const definition = {
      command: process.execPath,
      args: [agent],
      env: { ELECTRON_RUN_AS_NODE: '1', BENCH_LOG: this.#log, BENCH_FOLDER: '${workspaceFolder}' },
    };
    const [name = '', value = ''] = this.#mark.split('=');
    const files = Object.fromEntries(
      Array.from({ length: FILES }, (_, at) => [`file${at}.ts`, `export const file = ${at};\n`]),
    );
    await writeFile(this.#log, '');
    this.#workbench = await openWorkbench({
      settings: { 'parley.agents': { Flood: definition }, 'parley.defaultAgent': 'Flood' },
      workspaceFiles: files,
      env: { [name]: value },
    });
    await this.#workbench.focusChat();
  }

  async run(flood: Flood): Promise<Row> {
    const workbench = this.#shown;
    const chat = workbench.chat();
    const message = chat.getByRole('textbox', { name: 'Message' });
    const frame = await frameOf(chat);
    const host = extensionHost(this.#mark);
    const before = processUse(host);
    if (flood.load) await this.#startAgent(chat, message);
    const { TRACES: folder } = process.env;
    const record = folder && join(folder, `window-${flood.what.replaceAll(/\W+/g, '-')}`);
    await frame.evaluate(observeKeys);
    let shown = 0;
    const cost = await traceCost(
      workbench.page,
      async () => {
        if (flood.load) await this.#load(flood);
        else {
          await message.fill(flood.what);
          await message.press('Enter');
        }
        shown = await typeUntil(message, workbench.page.keyboard, frame.evaluate(endDrawn, flood.last));
      },
      record && `${record}.json`,
    );
    const { started, sent } = await this.#logged(flood.what);
    const after = processUse(host);
    const { nodes, worstKey } = await frame.evaluate(readPage);
    if (record) await workbench.page.screenshot({ path: `${record}.png` });
    const floor = await this.#floor(frame, flood);
    return {
      what: flood.what,
      visible: shown - started,
      lag: shown - sent,
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

  /** The agent's sessions are listed once it runs. */
  async #startAgent(chat: FrameLocator, message: Locator): Promise<void> {
    await message.fill('start');
    await message.press('Enter');
    await chat.getByRole('article', { name: 'You' }).waitFor();
    await chat.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
  }

  async #load({ what }: Flood): Promise<void> {
    await this.#shown.runCommand('Parley: Open Session');
    await chooseRow(this.#shown.page, what);
  }

  async #logged(name: string): Promise<{ readonly started: number; readonly sent: number }> {
    const lines = (await readFile(this.#log, 'utf8')).trim().split('\n');
    const found = lines.map((line) => JSON.parse(line) as { name: string; started: number; sent: number });
    const last = found.findLast((each) => each.name === name);
    if (!last) throw new Error(`The agent has not logged "${name}".`);
    return last;
  }

  /** The cost of the same texts as plain text nodes of the same page. */
  async #floor(frame: Frame, flood: Flood): Promise<TraceCost> {
    const texts = plainTexts(flood);
    return traceCost(this.#shown.page, () => frame.evaluate(appendPlain, { texts, perSecond: flood.perSecond ?? 0 }));
  }
}

async function frameOf(chat: FrameLocator): Promise<Frame> {
  const body = await chat.locator('body').elementHandle();
  const frame = await body?.ownerFrame();
  if (!frame) throw new Error('The chat has no page.');
  return frame;
}

/** Types into the message box until the end of the flood is rendered. */
async function typeUntil(message: Locator, keyboard: Keyboard, drawn: Promise<number>): Promise<number> {
  // Located once: finding the box by its role takes 400 ms in a page of 200,000 elements.
  await message.focus();
  const limit = performance.now() + LIMIT_MS;
  while (performance.now() < limit) {
    await keyboard.press('x');
    const pause = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), KEY_PAUSE_MS));
    const end = await Promise.race([drawn, pause]);
    if (end !== undefined) return end;
  }
  throw new Error(`The end of the flood was not rendered within ${LIMIT_MS / 1000} seconds.`);
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
  const side = globalThis as unknown as PageSide;
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
  const { worstKey } = globalThis as unknown as PageSide;
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

async function main(): Promise<void> {
  const { FLOOD: only = '' } = process.env;
  console.log(`Load of the machine: ${(loadavg()[0] ?? 0).toFixed(1)} on ${availableParallelism()} processors.`);
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  const rows: Row[] = [];
  try {
    for (const flood of floods('/').filter(({ what }) => what.includes(only))) {
      const bench = new Bench(join(folder, 'floods.ndjson'));
      await bench.open();
      try {
        rows.push(await bench.run(flood));
      } catch (error) {
        console.error(`${flood.what}: ${String(error)}`);
        process.exitCode = 1;
      } finally {
        await bench.close();
      }
    }
  } finally {
    await mochaHooks.afterAll.call({ timeout: () => undefined });
    await rm(folder, { recursive: true, force: true });
  }
  table('Floods in the real window', [
    ['what', 'visible', 'lag', 'thread', 'floor', 'longest task', 'worst key', 'elements', 'host CPU', 'host MiB'],
    ...rows.map((row) => [
      row.what,
      ms(row.visible),
      ms(row.lag),
      ms(row.cost.thread),
      ms(row.floor.thread),
      `${ms(row.cost.longest)} (${row.cost.over} over 50)`,
      ms(row.worstKey),
      row.nodes.toLocaleString('en'),
      ms(row.hostCpu),
      String(Math.round(row.hostPeak)),
    ]),
  ]);
  for (const { what, cost } of rows) console.log(`  ${what}: ${cost.parts}`);
}

void main();

import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock';
import { Emitter } from '../../src/base/event';
// Cost of floods of updates for the page: the real host half (session model and StateSync) feeds the real page as fast as the page
// acknowledges.
// FLOOD=words runs only floods whose name contains the words; TRACES=folder stores traces with profiles, and screenshots of the end.
import { nullLogger } from '../../src/base/logger';
import type { TranscriptWriter } from '../../src/history/transcriptWriter';
import type { Session } from '../../src/session/session';
import { SessionModel } from '../../src/session/sessionModel';
import type { HostMessage } from '../../src/shared/protocol/chatPageProtocol';
import { StateSync } from '../../src/ui/chat/stateSync';
import { stubOf } from '../kit/stubOf';
import { closeBrowser, launch } from '../page/browserPage';
import { ChatPage, environment } from '../page/harness';
import type { PageWindow } from '../page/pageWindow';
import type { Flood } from './floods';
import { endDrawn, feed, floods } from './floods';
import { recordGoal } from './goals';
import type { Growth } from './growthPicture';
import { growthPicture } from './growthPicture';
import { ms, table } from './measure';
import type { TraceCost } from './traceCost';
import { traceCost } from './traceCost';

interface PageSide {
  toHost(seq: number): void;
  readonly sent: { readonly type: string; readonly seq: number }[];
}

interface Result {
  readonly visible: number;
  readonly lag: number;
  readonly nodes: number;
  readonly posts: number;
  readonly cost: TraceCost;
}

/** The most milliseconds of a task. */
const LONGEST_MS = 50;
/** Sizes at which each flood is measured; the tables have the last. */
const PARTS = [1 / 4, 1 / 2, 1];

async function run(flood: Flood): Promise<Result> {
  const page = await ChatPage.open();
  const model = new SessionModel({
    id: 'session-1',
    agent: { name: 'demo', title: 'Demo agent' },
    folders: ['/w'],
    history: stubOf<TranscriptWriter>({ append: () => undefined, appendDiff: () => undefined }),
    log: nullLogger,
    clock: { ...systemClock, now: () => Date.now() },
  });
  let posts = 0;
  let tail: Promise<unknown> = Promise.resolve();
  const sync = new StateSync(stubOf<Session>(model), {
    environment: () => environment,
    onDidChange: new Emitter<void>().event,
  });
  sync.webview = {
    postMessage: async (message: HostMessage | string) => {
      posts++;
      tail = tail.then(() => page.page.evaluate((data) => window.postMessage(data, '*'), message));
      return true;
    },
  };
  await page.page.exposeFunction('toHost', (seq: number) => sync.ack(seq));
  await page.page.evaluate(reportAcks);
  const drawn = page.page.evaluate(endDrawn, flood.last);
  sync.ready();
  await tail;
  if (!flood.load) model.dispatch({ type: 'promptSent', text: 'go', blocks: [], at: Date.now() });
  await page.frame();
  const { TRACES: folder } = process.env;
  const record = folder && join(folder, flood.what.replaceAll(/\W+/g, '-'));
  const started = performance.now();
  let sentAt = started;
  let ended = started;
  const cost = await traceCost(
    page.page,
    async () => {
      await feed(flood, (update) => model.applyUpdate(update));
      if (flood.load) model.dispatch({ type: 'replayEnded', at: Date.now() });
      else model.dispatch({ type: 'turnEnded', stopReason: 'end_turn', at: Date.now() });
      sentAt = performance.now();
      await drawn;
      ended = performance.now();
    },
    record && `${record}.json`,
  );
  const nodes = await page.page.evaluate(() => document.querySelectorAll('*').length);
  if (record) await page.page.screenshot({ path: `${record}.png` });
  sync.dispose();
  await page.close();
  return { visible: ended - started, lag: ended - sentAt, nodes, posts, cost };
}

/** Runs in the page: reports acknowledgements. */
function reportAcks(): void {
  const side = globalThis as PageWindow<PageSide>;
  const { sent } = side;
  sent.push = (message) => {
    if (message.type === 'ack') side.toHost(message.seq);
    return Array.prototype.push.call(sent, message);
  };
}

function growthRow({ what, values }: Growth): string[] {
  const [first = NaN] = values;
  return [what, ...values.map(ms), `x ${(((values.at(-1) ?? NaN) / first) * (PARTS[0] ?? NaN)).toFixed(2)}`];
}

async function main(): Promise<void> {
  const { FLOOD: only = '' } = process.env;
  await launch();
  console.log(`Load of the machine: ${(loadavg()[0] ?? 0).toFixed(1)} on ${availableParallelism()} processors.`);
  const rows: string[][] = [];
  const growth: Growth[] = [];
  for (const [at, { what }] of floods('/w').entries()) {
    if (!what.includes(only)) continue;
    const results: Result[] = [];
    for (const part of PARTS) results.push(await run(floods('/w', part)[at]!));
    const { visible, lag, nodes, posts, cost } = results.at(-1)!;
    const longest = { figure: cost.longest, most: LONGEST_MS, unit: 'ms', where: cost.parts } as const;
    recordGoal({ row: what, what: 'longest task', ...longest });
    growth.push({ what, values: results.map((result) => result.cost.thread) });
    rows.push([
      what,
      ms(visible),
      ms(lag),
      ms(cost.thread),
      `${ms(cost.longest)} (${cost.over} over 50)`,
      nodes.toLocaleString('en'),
      String(posts),
      cost.parts,
    ]);
  }
  table('Floods in the real page', [
    ['what', 'visible', 'lag', 'thread', 'longest task', 'elements', 'posts', 'where'],
    ...rows,
  ]);
  table(
    'Thread time at three sizes (linear: x 1)',
    [['what', 'a quarter', 'half', 'all', 'all / 4 quarters'], ...growth.map(growthRow)],
    growthPicture(growth, PARTS),
  );
  await closeBrowser();
}

void main();

// What floods cost the page: the real host half (session model and StateSync) feeds the real page, as fast as the page acknowledges.
// FLOOD=words runs only those whose name contains the words; TRACES=folder keeps traces with profiles, and pictures of the end.
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { SessionModel } from '../../src/session/sessionModel';
import { StateSync } from '../../src/ui/chat/stateSync';
import type { HostMessage } from '../../src/shared/protocol/chatPageProtocol';
import type { JsonObject } from '../../src/base/json';
import { systemClock } from '../../src/base/clock';
import { postSchedule } from '../../src/ui/chat/postSchedule';
import { closeBrowser, launch } from '../page/browserPage';
import { ChatPage, surroundings } from '../page/harness';
import { ms, table } from './measure';
import { lastWord, sampleText } from './sample';
import type { TraceCost } from './traceCost';
import { traceCost } from './traceCost';

/** A flood: updates of an agent, and how many a second; all at once when that is left out. */
interface Flood {
  readonly what: string;
  readonly updates: readonly JsonObject[];
  readonly perSecond?: number;
  /** Shown at the very end of the conversation. */
  readonly last: string;
  /** `session/load`: the page opens with the history replay, without a turn. */
  readonly load?: boolean;
}

interface Result {
  readonly visible: number;
  readonly lag: number;
  readonly nodes: number;
  readonly posts: number;
  readonly cost: TraceCost;
}

const textUpdate = (text: string, sessionUpdate = 'agent_message_chunk', messageId = 'm'): JsonObject => ({
  sessionUpdate,
  messageId,
  content: { type: 'text', text },
});

function chunks(count: number, size = 24): JsonObject[] {
  const text = sampleText((count * size) / 6);
  return Array.from({ length: count }, (_, at) => textUpdate(text.slice(at * size, (at + 1) * size)));
}

function edits(count: number): JsonObject[] {
  return Array.from({ length: count }, (_, call) => {
    const lines = Array.from({ length: 40 }, (_, at) => `const line${at} = compute(${call}, '${at}');`);
    const after = lines.map((line, at) => (at % 2 === 0 ? line : `${line} // ${call}`));
    return {
      sessionUpdate: 'tool_call',
      toolCallId: `t${call}`,
      title: call === count - 1 ? `Edit ${lastWord}` : `Edit file${call}.ts`,
      kind: 'edit',
      status: 'completed',
      locations: [{ path: `/w/file${call}.ts`, line: 1 }],
      content: [{ type: 'diff', path: `/w/file${call}.ts`, oldText: lines.join('\n'), newText: after.join('\n') }],
    };
  });
}

function snapshots(lines: number, count: number): JsonObject[] {
  const all = Array.from(
    { length: lines },
    (_, at) => `[${at}] PASS src/part${at % 7}/file${at}.test.ts (${at % 90} ms)`,
  );
  all[lines - 1] = lastWord;
  const start: JsonObject = {
    sessionUpdate: 'tool_call',
    toolCallId: 'c',
    title: 'npm test',
    kind: 'execute',
    status: 'in_progress',
  };
  const parts = Array.from({ length: count }, (_, at): JsonObject => {
    const text = all.slice(0, ((at + 1) * lines) / count).join('\n');
    const content = [{ type: 'content', content: { type: 'text', text } }];
    return { sessionUpdate: 'tool_call_update', toolCallId: 'c', content };
  });
  return [start, ...parts];
}

/** What a loaded session brings: prompts, thoughts, tool calls, answers in chunks. */
function history(count: number): JsonObject[] {
  const turns = Array.from({ length: count / 10 }, (_, at) => [
    textUpdate(`Do part ${at} of the work.`, 'user_message_chunk', `u${at}`),
    textUpdate(`Part ${at} needs another look.`, 'agent_thought_chunk', `h${at}`),
    ...edits(2).map((edit) => ({ ...edit, toolCallId: `${at}${edit['toolCallId'] as string}` })),
    ...Array.from({ length: 6 }, (_, part) =>
      textUpdate(
        `The answer ${at}.${part} says **what** was done in \`src/part${at}.ts\`.\n\n- one\n- two\n\n`,
        'agent_message_chunk',
        `a${at}`,
      ),
    ),
  ]);
  return [...turns.flat().slice(0, -1), textUpdate(`\n\n${lastWord}`, 'agent_message_chunk', `a${count / 10 - 1}`)];
}

function bigTable(cells: number): JsonObject[] {
  const rows = Array.from(
    { length: cells / 10 },
    (_, at) => `| ${Array.from({ length: 10 }, (_, column) => `c${at}.${column}`).join(' | ')} |`,
  );
  const text = `| ${'h | '.repeat(10)}\n|${'---|'.repeat(10)}\n${rows.join('\n')}\n\n${lastWord}`;
  return [textUpdate(text)];
}

const FLOODS: readonly Flood[] = [
  { what: '2,000 chunks, 200 a second', updates: chunks(2000), perSecond: 200, last: lastWord },
  { what: '20,000 chunks at once', updates: chunks(20_000), last: lastWord },
  { what: '500 edits at once', updates: edits(500), last: lastWord },
  { what: '5,000 lines in 250 snapshots', updates: snapshots(5000, 250), perSecond: 100, last: lastWord },
  { what: 'load 2,000 updates', updates: history(2000), last: lastWord, load: true },
  { what: 'a table of 200,000 cells', updates: bigTable(200_000), last: lastWord },
];

interface PageSide {
  toHost(seq: number): void;
  endShown: Promise<void>;
}

async function run(flood: Flood): Promise<Result> {
  const page = await ChatPage.open();
  const model = new SessionModel({
    id: 'session-1',
    agent: { name: 'demo', title: 'Demo agent' },
    folders: ['/w'],
    history: { append: () => undefined, appendDiff: () => undefined } as never,
    log: { info() {}, warn() {}, error() {}, debug() {}, trace() {} } as never,
    now: () => Date.now(),
  });
  let posts = 0;
  let tail: Promise<unknown> = Promise.resolve();
  const sync = new StateSync(model, {
    post: (message: HostMessage) => {
      posts++;
      const json = JSON.stringify(message);
      tail = tail.then(() => page.page.evaluate((data) => window.postMessage(JSON.parse(data), '*'), json));
    },
    surroundings: () => surroundings,
    schedule: postSchedule(systemClock),
  });
  await page.page.exposeFunction('toHost', (seq: number) => sync.ack(seq));
  await page.page.evaluate(watch, flood.last);
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
      await feed(model, flood);
      if (flood.load) model.dispatch({ type: 'replayEnded', at: Date.now() });
      else model.dispatch({ type: 'turnEnded', stopReason: 'end_turn', at: Date.now() });
      sentAt = performance.now();
      await page.page.evaluate(() => (globalThis as unknown as PageSide).endShown);
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

async function feed(model: SessionModel, { updates, perSecond }: Flood): Promise<void> {
  const started = performance.now();
  for (const [at, update] of updates.entries()) {
    if (perSecond !== undefined) {
      const wait = started + (at * 1000) / perSecond - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    } else if (at % 200 === 0) await new Promise((resolve) => setImmediate(resolve));
    model.applyUpdate(update);
  }
}

/** Runs in the page: reports acknowledgements, and settles when the end is drawn. */
function watch(last: string): void {
  const side = globalThis as unknown as PageSide & { sent: { type: string; seq: number }[] };
  const { sent } = side;
  sent.push = (message) => {
    if (message.type === 'ack') side.toHost(message.seq);
    return Array.prototype.push.call(sent, message);
  };
  const isShown = (): boolean => {
    const slots = document.querySelectorAll('.slot');
    const end = slots[slots.length - 1];
    if (!end) return false;
    const lines = end.querySelectorAll('.ansi-line');
    const blocks = end.querySelector('.markdown')?.children;
    const part = lines[lines.length - 1] ?? blocks?.[blocks.length - 1] ?? end.querySelector('.tool-row');
    return part?.textContent?.includes(last) ?? false;
  };
  side.endShown = new Promise((resolve) => {
    const look = (): void => {
      if (!isShown()) setTimeout(look, 15);
      else requestAnimationFrame(() => setTimeout(resolve));
    };
    look();
  });
}

async function main(): Promise<void> {
  const { FLOOD: only = '' } = process.env;
  await launch();
  console.log(`Load of the machine: ${(loadavg()[0] ?? 0).toFixed(1)} on ${availableParallelism()} processors.`);
  const rows: string[][] = [];
  for (const flood of FLOODS.filter(({ what }) => what.includes(only))) {
    const { visible, lag, nodes, posts, cost } = await run(flood);
    rows.push([
      flood.what,
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
  await closeBrowser();
}

void main();

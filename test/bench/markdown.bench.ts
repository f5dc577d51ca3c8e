// Cost of one long streamed answer: in the real page, and the renderer alone compared with a lower bound and with naive rerendering.
import { availableParallelism, loadavg } from 'node:os';
import type { Action } from '../../src/shared/state/sessionActions';
import { closeBrowser, launch } from '../page/browserPage';
import { ChatPage } from '../page/harness';
import type { PageWindow } from '../page/pageWindow';
import { openWebviewCode } from '../page/webviewCode';
import { recordGoal } from './goals';
import type { Cost } from './measure';
import { against, longTasks, measure, ms, table, unlimitedFrames } from './measure';
import { chunkSize, lastWord, lost, sampleText } from './sample';

const chunksPerFrame = 5;
const chunksPerBurst = 100;
const answer = 20_000;
/** Largest size at which rerendering the whole message for each chunk still finishes. */
const comparable = 2000;
let lostWords = 0;

interface Run {
  readonly cost: Cost;
  readonly lost: number;
}

/** Measures one answer of that many chunks in a new page. */
async function inPage(chunks: number, perFrame: number): Promise<Run> {
  const page = await ChatPage.open();
  await page.snapshot();
  await page.act({ type: 'promptSent', text: 'go', blocks: [], at: 1 });
  const text = sampleText(chunks);
  const cost = await measure(page.page, () =>
    page.page.evaluate(feed, { text, seq: page.seq, chunkSize, chunksPerFrame: perFrame, lastWord }),
  );
  const shown = await page.page
    .locator('.markdown')
    .last()
    .evaluate((element) => element.textContent ?? '');
  const result = { cost, lost: lost(text, shown) };
  lostWords += result.lost;
  await page.close();
  return result;
}

interface Feed {
  readonly text: string;
  readonly seq: number;
  readonly chunkSize: number;
  readonly chunksPerFrame: number;
  readonly lastWord: string;
}

/** Runs in the page: delivers host messages, some chunks per frame; ends when all are rendered. */
async function feed({ text, seq, chunkSize, chunksPerFrame, lastWord }: Feed): Promise<void> {
  const nextFrame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));
  let last = seq;
  function post(actions: Action[]): void {
    const first = last + 1;
    last += actions.length;
    window.postMessage({ type: 'actions', seq: first, last, actions }, '*');
  }
  for (let at = 0; at < text.length; at += chunkSize * chunksPerFrame) {
    const part = text.slice(at, at + chunkSize * chunksPerFrame);
    const chunks = part.match(new RegExp(`[^]{1,${chunkSize}}`, 'g')) ?? [];
    post(chunks.map((chunk) => ({ type: 'textAppended', role: 'agent', text: chunk, messageId: 'm', at: 2 })));
    await nextFrame();
  }
  post([{ type: 'turnEnded', stopReason: 'end_turn', at: 3 }]);
  const isShown = (): boolean => {
    const blocks = [...document.querySelectorAll('.markdown')].at(-1)?.children;
    return blocks?.[blocks.length - 1]?.textContent?.includes(lastWord) ?? false;
  };
  while (!isShown()) await nextFrame();
}

/** Cost of that many frames without output: the turn runs, and each frame delivers a message that the page ignores. */
async function idle(frames: number): Promise<Cost> {
  const page = await ChatPage.open();
  await page.snapshot();
  await page.act({ type: 'promptSent', text: 'go', blocks: [], at: 1 });
  const cost = await measure(page.page, () => page.page.evaluate(feedNothing, { frames, chunksPerFrame, chunkSize }));
  await page.close();
  return cost;
}

/** Runs in the page. */
async function feedNothing(options: { frames: number; chunksPerFrame: number; chunkSize: number }): Promise<void> {
  const action = { type: 'textAppended', role: 'agent', text: 'x'.repeat(options.chunkSize), messageId: 'm', at: 2 };
  const actions = Array.from({ length: options.chunksPerFrame }, () => action);
  for (let frame = 0; frame < options.frames; frame++) {
    window.postMessage({ type: 'not ours', actions }, '*');
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

const strategies = `
import { MarkdownStream, markdownLoaded, renderMarkdown } from './src/webview/markdown/markdownStream';
globalThis.ready = markdownLoaded;
const none = () => {};
const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
const ways = {
  floor(host) {
    let line = document.createElement('div');
    host.append(line);
    return { push(text) {
      for (const [index, part] of text.split('\\n').entries()) {
        if (index > 0) line.append('\\n');
        if (index > 0) host.append((line = document.createElement('div')));
        line.append(part);
      }
    } };
  },
  stream(host) {
    const stream = new MarkdownStream(host, none);
    return { push: (text) => stream.push(text), end: () => (stream.end(), stream.done) };
  },
  whole(host) {
    let all = '';
    return { push(text) {
      all += text;
      host.replaceChildren();
      renderMarkdown(host, all, none);
    } };
  },
};
globalThis.run = async ({ way, text, size }) => {
  const host = document.getElementById('host');
  host.className = 'markdown';
  const scroller = document.documentElement;
  const sink = ways[way](host);
  for (let at = 0; at < text.length; at += size) {
    sink.push(text.slice(at, at + size));
    scroller.scrollTop = scroller.scrollHeight;
    await nextFrame();
  }
  await sink.end?.();
  return host.textContent;
};`;

/** The renderer without the page; appends `size` characters per frame. */
async function alone(way: string, text: string, size: number): Promise<Run> {
  const code = await openWebviewCode(strategies, unlimitedFrames);
  let shown = '';
  const cost = await measure(code.page, async () => {
    shown = await code.page.evaluate(
      (options) => (globalThis as PageWindow<{ run(options: object): Promise<string> }>).run(options),
      { way, text, size },
    );
  });
  await code.close();
  const missing = lost(text, shown);
  lostWords += missing;
  return { cost, lost: missing };
}

function split({ script, layout, style }: Cost): string {
  return [script, layout, style].map((part) => Math.round(part)).join(' / ');
}

async function compare(): Promise<void> {
  const runs = new Map<string, Run>();
  const text = sampleText(comparable);
  for (const way of ['floor', 'stream', 'whole']) runs.set(way, await alone(way, text, chunkSize * chunksPerFrame));
  const floor = runs.get('floor')?.cost.main ?? Number.NaN;
  const names: Record<string, string> = {
    floor: 'plain text by lines (floor)',
    stream: 'MarkdownStream',
    whole: 'whole message each frame',
  };
  table(`The renderer alone, ${comparable.toLocaleString('en')} chunks, ${chunksPerFrame} per frame`, [
    ['way', 'main thread', 'x floor', 'script / layout / style', 'long tasks', 'words lost'],
    ...[...runs].map(([way, { cost, lost }]) => [
      names[way] ?? way,
      ms(cost.main),
      (cost.main / floor).toFixed(1),
      split(cost),
      longTasks(cost),
      String(lost),
    ]),
  ]);
}

const columns = ['shown after', 'main thread', 'script / layout / style', 'tasks over 50 ms (budget: none)'];

function figures(cost: Cost): string[] {
  return [ms(cost.shown), ms(cost.main), split(cost), longTasks(cost)];
}

async function scale(): Promise<void> {
  const rows: string[][] = [];
  let first = 0;
  // The browser's own frame cost is excluded: frames here are ten times as frequent as on a screen.
  const idleCost = (await idle(answer / chunksPerFrame)).main / answer;
  for (const chunks of [5000, 10_000, answer, 2 * answer]) {
    const { cost, lost } = await inPage(chunks, chunksPerFrame);
    const net = cost.main - idleCost * chunks;
    const each = net / chunks;
    if (chunks === answer)
      recordGoal({ row: '20,000 chunks', what: 'net of idle frames', figure: net, most: 3000, unit: 'ms' });
    first ||= each;
    const verdict = chunks === answer ? ` ${against(net, 3000)}` : '';
    const ratio = `${Math.round(each * 1000)} us (x ${(each / first).toFixed(2)})`;
    rows.push([chunks.toLocaleString('en'), ...figures(cost), `${ms(net)}${verdict}`, ratio, String(lost)]);
  }
  table(`One answer in the real page, ${chunksPerFrame} chunks per frame, frames without a limit`, [
    ['chunks', ...columns, `net of idle frames (${ms(idleCost * answer)} for ${answer})`, 'per chunk', 'words lost'],
    ...rows,
  ]);
}

/** Fastest rate an agent can reach: the host merges updates within 16 ms into one message. */
async function burst(): Promise<void> {
  const { cost, lost } = await inPage(answer, chunksPerBurst);
  recordGoal({ row: 'a burst of 20,000 chunks', what: 'shown after', figure: cost.shown, most: 1500, unit: 'ms' });
  table(`One answer of ${answer.toLocaleString('en')} chunks in the real page, ${chunksPerBurst} chunks per frame`, [
    [...columns, 'shown after', 'words lost'],
    [...figures(cost), against(cost.shown, 4000), String(lost)],
  ]);
}

/** Texts of `length` characters that can make parsers or layout take quadratic time. */
const hard: Readonly<Record<string, (length: number) => string>> = {
  'one code fence': (length) => `\`\`\`\n${'some code here;\n'.repeat(length / 16)}`,
  'one list': (length) => '- some text in it\n'.repeat(length / 18),
  'one table': (length) => `| a | b |\n|---|---|\n${'| cell | cell |\n'.repeat(length / 16)}`,
  'one line': (length) => 'some words '.repeat(length / 11),
  'one line of code': (length) => `\`\`\`\n${'x = y + z; '.repeat(length / 11)}`,
  asterisks: (length) => '*'.repeat(length),
  'open emphasis': (length) => '*a **b _c '.repeat(length / 10),
  'open brackets': (length) => '['.repeat(length),
  'open links': (length) => '[a](b '.repeat(length / 6),
  backticks: (length) => Array.from({ length: Math.sqrt(length * 2) }, (_, at) => '`'.repeat(at)).join(' '),
  'nested quotes on a line': (length) => '> '.repeat(length / 2),
  'nested items on a line': (length) => '- '.repeat(length / 2),
  'ever deeper items': (length) =>
    Array.from({ length: Math.sqrt(length) }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n'),
  'definitions and uses': (length) => '[a]: http://x.y\n\n[a] [b]\n\n'.repeat(length / 26),
};

async function worst(): Promise<void> {
  const rows: string[][] = [];
  for (const [name, text] of Object.entries(hard)) {
    const half = await alone('stream', text(30_000), 300);
    const { cost } = await alone('stream', text(60_000), 300);
    rows.push([name, ms(half.cost.main), ms(cost.main), (cost.main / half.cost.main).toFixed(1), longTasks(cost)]);
  }
  table('Hard texts, the renderer alone, 300 characters per frame (linear: x 2)', [
    ['text', '30,000 characters', '60,000 characters', 'x', 'long tasks'],
    ...rows,
  ]);
}

async function main(): Promise<void> {
  await launch(unlimitedFrames);
  const load = loadavg()[0] ?? 0;
  console.log(`Load of the machine at the start: ${load.toFixed(1)} on ${availableParallelism()} processors.`);
  await compare();
  await worst();
  await burst();
  await scale();
  await closeBrowser();
  if (lostWords > 0) {
    console.error(`\n${lostWords} words were lost.`);
    process.exitCode = 1;
  }
}

void main();

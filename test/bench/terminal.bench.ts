// Cost of long terminal output: 35,000 coloured lines as a build writes them; in the host on their way to the agent, through a
// pseudo-terminal and through pipes, and in the page that renders them, in chunks of 1,000 characters.
import type { Page } from 'playwright-core';
import type { PageWindow } from '../page/pageWindow';
import { openWebviewCode } from '../page/webviewCode';
import type { Cost } from './measure';
import { longTasks, measure, ms, table } from './measure';
import { measureHost } from './terminalHost';

const source = `
import { TerminalOutputView } from './src/webview/terminal/terminalOutput';
const host = document.getElementById('host');
globalThis.run = async ({ output, maxLines }) => {
  const screen = new TerminalOutputView(host, maxLines);
  for (let at = 0; at < output.length; at += 1000) screen.write(output.slice(at, at + 1000));
  await screen.whenShown();
  return host.textContent;
};`;

/** After every 100 lines, a progress bar that is redrawn 20 times in place. */
function outputOf(lines: number): string {
  return Array.from({ length: lines }, (_, at) => {
    if (at % 100 !== 0)
      return `\u001b[32mPASS\u001b[0m \u001b[2msrc/part${at % 7}/\u001b[22mfile${at}.test.ts (${at % 90} ms)\n`;
    return `${Array.from({ length: 20 }, (_, part) => `\r\u001b[Kstep ${part}`).join('')}\rline${at}\u001b[K\n`;
  }).join('');
}

/** The lines that remain of the output, without colors. */
function linesOf(lines: number): string {
  return Array.from({ length: lines }, (_, at) =>
    at % 100 === 0 ? `line${at}\n` : `PASS src/part${at % 7}/file${at}.test.ts (${at % 90} ms)\n`,
  ).join('');
}

async function run(lines: number, maxLines: number): Promise<{ cost: Cost; right: boolean; heap: number }> {
  const code = await openWebviewCode(source);
  let shown = '';
  const cost = await measure(code.page, async () => {
    shown = await code.page.evaluate(
      (options) => (globalThis as PageWindow<{ run(options: object): Promise<string> }>).run(options),
      { output: outputOf(lines), maxLines },
    );
  });
  const expected = linesOf(lines);
  const right = maxLines >= lines ? shown === expected : expected.endsWith(shown.slice(shown.indexOf('.') + 1));
  const heap = await heapOf(code.page);
  await code.close();
  return { cost, right, heap };
}

async function heapOf(page: Page): Promise<number> {
  const client = await page.context().newCDPSession(page);
  await client.send('HeapProfiler.collectGarbage');
  const { usedSize } = await client.send('Runtime.getHeapUsage');
  return usedSize;
}

async function main(): Promise<void> {
  await measureHost(outputOf, linesOf);
  const rows: string[][] = [];
  let first = 0;
  let wrong = 0;
  for (const [lines, maxLines] of [
    [8750, 100_000],
    [17_500, 100_000],
    [35_000, 100_000],
    [35_000, 10_000],
  ] as const) {
    const { cost, right, heap } = await run(lines, maxLines);
    const each = cost.main / lines;
    first ||= each;
    if (!right) wrong++;
    rows.push([
      `${lines.toLocaleString('en')}${maxLines < lines ? `, ${maxLines.toLocaleString('en')} kept` : ''}`,
      ms(cost.shown),
      ms(cost.main),
      `${Math.round(each * 1000)} us (x ${(each / first).toFixed(2)})`,
      longTasks(cost),
      `${Math.round(heap / 1024 / 1024)} MB`,
      right ? 'right' : 'WRONG',
    ]);
  }
  table('Terminal output in the page', [
    ['lines', 'shown after', 'main thread', 'per line (linear: x 1)', 'tasks over 50 ms', 'heap', 'text'],
    ...rows,
  ]);
  if (wrong > 0) process.exitCode = 1;
}

void main();

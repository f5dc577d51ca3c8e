import { appendFileSync } from 'node:fs';
import type { CDPSession, Page } from 'playwright-core';
import type { PageWindow } from '../page/pageWindow';

/** Frames as fast as the page can render them: the time is then work, not waiting for the next frame. */
export const unlimitedFrames = ['--disable-frame-rate-limit', '--disable-gpu-vsync'];

/** Milliseconds of the page's main thread, without idle time. */
export interface Cost {
  readonly shown: number;
  readonly main: number;
  readonly script: number;
  readonly layout: number;
  readonly style: number;
  /** Number of tasks over 50 ms, and the longest task. */
  readonly longTasks: number;
  readonly longest: number;
}

/** Measures the page while `run` runs. */
export async function measure(page: Page, run: () => Promise<unknown>): Promise<Cost> {
  const client = await page.context().newCDPSession(page);
  // CPU time of the thread: waiting for a busy machine is not the page's cost.
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.evaluate(() => {
    const tasks: number[] = [];
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)));
    observer.observe({ type: 'longtask' });
    Object.assign(globalThis, { longTasks: tasks, taskObserver: observer });
  });
  const before = await read(client);
  const started = performance.now();
  await run();
  const shown = performance.now() - started;
  const after = await read(client);
  const tasks = await page.evaluate(() => {
    const { longTasks, taskObserver } = globalThis as PageWindow<{
      longTasks: number[];
      taskObserver: PerformanceObserver;
    }>;
    longTasks.push(...taskObserver.takeRecords().map((entry) => entry.duration));
    taskObserver.disconnect();
    return longTasks;
  });
  await client.detach();
  const spent = (name: string): number => ((after.get(name) ?? 0) - (before.get(name) ?? 0)) * 1000;
  return {
    shown,
    main: spent('TaskDuration'),
    script: spent('ScriptDuration'),
    layout: spent('LayoutDuration'),
    style: spent('RecalcStyleDuration'),
    longTasks: tasks.length,
    longest: Math.max(0, ...tasks),
  };
}

async function read(client: CDPSession): Promise<Map<string, number>> {
  const { metrics } = await client.send('Performance.getMetrics');
  return new Map(metrics.map(({ name, value }) => [name, value]));
}

export function ms(value: number): string {
  return `${Math.round(value).toLocaleString('en')} ms`;
}

export function longTasks({ longTasks, longest }: Cost): string {
  return longTasks === 0 ? 'none over 50 ms' : `${longTasks}, longest ${ms(longest)}`;
}

/** "ok" or "over", with the budget. */
export function against(value: number, budget: number): string {
  return `${value <= budget ? 'ok' : 'OVER'} (budget ${ms(budget)})`;
}

/**
 * Prints rows as a table; the first row is the header. BENCH_TABLES names a file to which the table is appended as a JSON line, with an
 * SVG picture of it.
 */
export function table(title: string, rows: readonly (readonly string[])[], picture?: string): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  console.log(`\n${title}`);
  const { BENCH_TABLES: file } = process.env;
  if (file) appendFileSync(file, `${JSON.stringify({ title, rows, picture })}\n`);
  for (const row of rows) console.log(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`);
}

import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordGoal } from './goals';
import { ms, table } from './measure';

/** Limit for following an agent, as a multiple of the time VS Code needs to open a file at a line. */
const MOST = 1.5;

/** Time from the agent's report until the line is visible, in a real extension host, compared with VS Code opening the same file there. */
async function main(): Promise<void> {
  const file = join(tmpdir(), `parley-follow-${process.pid}.json`);
  process.env['HOST_BENCH'] = file;
  process.env['MOCHA_GREP'] = 'measure follow';
  try {
    // Not bundled: the test host runs this script directly.
    const host = join(process.cwd(), 'test/host/integration.mjs');
    const program = (await import(host)) as { runIntegration(this: void): Promise<{ failed: number }> };
    const { failed } = await program.runIntegration();
    if (failed > 0) throw new Error('The extension host could not measure');
    const { follow, floor } = JSON.parse(await readFile(file, 'utf8')) as Record<'follow' | 'floor', number[]>;
    const row = (name: string, times: readonly number[]): string[] => [
      name,
      ms(quantile(times, 0.5)),
      ms(quantile(times, 0.95)),
    ];
    const ratio = quantile(follow, 0.5) / quantile(floor, 0.5);
    table('Follow: from the report to the line in sight (median, p95)', [row('follow', follow), row('VS Code', floor)]);
    recordGoal({ row: 'Follow', what: 'to the time of VS Code', figure: ratio, most: MOST, unit: 'x' });
    console.log(`follow takes ${ratio.toFixed(2)} × what VS Code takes (at most ${MOST})`);
    if (ratio > MOST) process.exitCode = 1;
  } finally {
    await rm(file, { force: true });
  }
}

function quantile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ms, table } from './measure';

/** Following may take so many times what VS Code itself takes to open a file at a line. */
const MOST = 1.5;

/** From the agent's report to the line in sight, in a real extension host, against VS Code's own opening of the same file there. */
async function main(): Promise<void> {
  const file = join(tmpdir(), `parley-follow-${process.pid}.json`);
  process.env['HOST_BENCH'] = file;
  process.env['MOCHA_GREP'] = 'measure follow';
  try {
    // Not bundled: it is a script that the tests' host runs as it is.
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

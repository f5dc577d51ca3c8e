// npm run bench [name...]: runs the benchmarks. Each out/test/bench/<name>.bench.js is a separate program that prints its table and exits
// with a code other than 0 when it exceeds a budget. Without names the tables are also written to docs/bench.md and out/bench.json.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { runPrograms } from './programs.mjs';
import { must, root } from './run.mjs';

/** A JSON line for each table: `{ title, rows, picture }`; the first row is the header, the picture an SVG or undefined. */
const tablesFile = join(root, 'out', 'benchTables.ndjson');

const names = process.argv.slice(2);
const load = loadavg()[0] ?? 0;
/** @type {{ name: string, isKept: boolean, tables: { title: string, rows: string[][], picture?: string }[] }[]} */
const results = [];
process.exitCode = await runPrograms('bench', names, collect, { BENCH_TABLES: tablesFile });
if (names.length === 0) await publish();

function collect(name, isKept) {
  const tables = readTables();
  rmSync(tablesFile, { force: true });
  results.push({ name, isKept, tables });
}

function readTables() {
  try {
    const lines = readFileSync(tablesFile, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

async function publish() {
  const commit = (await must('git', ['rev-parse', '--short=8', 'HEAD'])).trim();
  const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const head = `Measured by \`npm run bench\` at \`${commit}\` on ${machine}; load at the start ${load.toFixed(1)}. Compare ratios, not milliseconds.`;
  const parts = results.map(({ name, isKept, tables }) => {
    const note = isKept ? '' : '\nA budget was not kept, or the program failed.\n';
    return `## ${name}\n${note}${tables.map((each) => toMarkdown(each, name)).join('')}`;
  });
  writeFileSync(join(root, 'docs', 'bench.md'), `# Measurements\n\n${head}\n\n${parts.join('\n')}`);
  writeFileSync(
    join(root, 'out', 'bench.json'),
    `${JSON.stringify({ commit, machine, load, results }, undefined, 2)}\n`,
  );
}

function toMarkdown({ title, rows: [head = [], ...rows], picture }, name) {
  const line = (cells) => `| ${head.map((_, at) => (cells[at] ?? '').replaceAll('|', '\\|').trim()).join(' | ')} |`;
  const file = `bench-${name}.svg`;
  if (picture) writeFileSync(join(root, 'docs', 'pictures', file), picture);
  const shown = picture ? `\n![${title}](pictures/${file})\n` : '';
  return `\n${title}\n\n${[line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n')}\n${shown}`;
}

// npm run bench [-- name...]: runs the benchmarks. Each out/test/bench/<name>.bench.js is a separate program that prints its table and exits
// with a code other than 0 when it exceeds a budget. Without names the tables are also written to docs/bench.md and out/bench.json.
// --peer FILE.vsix --peer-options FILE.json: the window part also measures another client (docs/testing.md).
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { toMarkdown, writePictures } from './benchReport.mjs';
import { slowness } from './machineSpeed.mjs';
import { runPrograms } from './programs.mjs';
import { must, root } from './run.mjs';

const tablesFile = join(root, 'out', 'benchTables.ndjson');

const { names, variables } = readArguments();
const load = loadavg()[0] ?? 0;
const startedAt = performance.now();
/** @type {import('./benchReport.mjs').Part[]} */
const parts = [];
let slownessBefore = slowness();
let partAt = performance.now();
rmSync(tablesFile, { force: true });
process.exitCode = await runPrograms('bench', names, collect, { BENCH_TABLES: tablesFile, ...variables });
if (names.length === 0) await publish();

function readArguments() {
  const options = { peer: { type: 'string' }, 'peer-options': { type: 'string' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const files = [values.peer, values['peer-options']].filter((file) => file !== undefined);
  if (files.length === 0) return { names: positionals, variables: {} };
  const [BENCH_PEER = '', BENCH_PEER_OPTIONS = ''] = files.map((file) => resolve(file));
  if (files.length === 2 && files.every((file) => existsSync(file)))
    return { names: positionals, variables: { BENCH_PEER, BENCH_PEER_OPTIONS } };
  console.error('Name two files that exist: --peer FILE.vsix --peer-options FILE.json');
  return process.exit(1);
}

function collect(name, isKept) {
  const lines = readLines();
  rmSync(tablesFile, { force: true });
  const seconds = Math.round((performance.now() - partAt) / 1000);
  const slownessAfter = slowness();
  const slower = (slownessBefore + slownessAfter) / 2;
  slownessBefore = slownessAfter;
  partAt = performance.now();
  console.log(`\n${name} took ${seconds} s; the machine is x ${slower.toFixed(2)} slower than that of the goals.`);
  const goals = lines.flatMap(({ goal }) => goal ?? []);
  parts.push({ name, isKept, seconds, slower, tables: lines.filter(({ rows }) => rows), goals });
}

/** A JSON line for each table, `{ title, rows, picture }`, and for each goal, `{ goal }`. */
function readLines() {
  if (!existsSync(tablesFile)) return [];
  const lines = readFileSync(tablesFile, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

async function publish() {
  const commit = (await must('git', ['rev-parse', '--short=8', 'HEAD'])).trim();
  const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const minutes = (performance.now() - startedAt) / 60_000;
  const head = `Measured by \`npm run bench\` at \`${commit}\` on ${machine} in ${minutes.toFixed(1)} minutes; load at the start ${load.toFixed(1)}. Compare ratios, not milliseconds: goals in milliseconds hold for a machine of a certain speed (\`test/host/machineSpeed.mjs\`), and the figure is divided by how much slower this one was during the part.`;
  writePictures(parts);
  writeFileSync(join(root, 'docs', 'bench.md'), toMarkdown(head, parts));
  const json = { commit, machine, load, minutes, parts };
  writeFileSync(join(root, 'out', 'bench.json'), `${JSON.stringify(json, undefined, 2)}\n`);
}

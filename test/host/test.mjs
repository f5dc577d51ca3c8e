// npm test [part...]: installs what is missing, runs the parts, prints a summary. Without a part: all. `quick`: parts without git, agents,
// browser and host.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInLanes } from './lanes.mjs';
import { runPartProcess, toResult } from './part.mjs';
import { prepare } from './prepare.mjs';
import { watchProcessor } from './processor.mjs';
import { printReport, slowestSuites } from './report.mjs';
import { reason, root, seconds } from './run.mjs';

/** Loading the libraries of the tests takes a process as long as loading a hundred test files. */
const FILES_PER_PROCESS = 50;
/** Test files stay in memory, and Node needs the longer to start a program (git, an agent) the more memory it has. */
const AGENT_FILES_PER_PROCESS = 12;

/** Of the tests in `test/unit`, those that start git, thousands of times in all. They need small processes. */
const startsGit = (text) => text.includes('new Git(');
const GIT_FILES_PER_PROCESS = 3;

/** Of the others, those that start agents: half of their time is that of processes. */
const startsAgents = (text) => /\b(?:fakeAgent\(|DemoFixture\.)/.test(text) && !startsGit(text);

/**
 * In start order: the longest first, so that all lanes end at about the same time. `needs`: what must be installed; `wants`:
 * without it some tests are skipped; `halves`: beside others, it runs in two processes, which take every second file; `setUp`: runs
 * once before them, and returns variables for them. Each part returns a report.
 */
const parts = {
  check: { needs: [], run: async () => (await import('./check.mjs')).runCheck() },
  e2e: {
    needs: ['chromium', 'host', 'agents'],
    built: true,
    halves: true,
    setUp: async () => (await import('./e2e.mjs')).installExtension(),
    run: async () => (await import('./e2e.mjs')).runE2e(),
  },
  page: { needs: ['chromium'], built: true, halves: true, run: () => mocha(['page']) },
  integration: {
    needs: ['chromium', 'host', 'agents'],
    wants: ['moreAgents', 'servers'],
    built: true,
    run: async () => (await import('./integration.mjs')).runIntegration(),
  },
  // Mostly waits: alone at the end it would leave cores unused.
  faults: { needs: [], built: true, run: () => mocha(['faults']) },
  git: {
    needs: [],
    built: true,
    // Parley reads the git settings of the user: a machine's would change what these tests see.
    run: () => mocha(['unit'], { jobs: 2, filesPerProcess: GIT_FILES_PER_PROCESS, where: startsGit, ownHome: true }),
  },
  unit: {
    needs: [],
    built: true,
    run: () =>
      mocha(['unit', '.'], {
        jobs: 3,
        filesPerProcess: FILES_PER_PROCESS,
        where: (text) => !startsGit(text) && !startsAgents(text),
      }),
  },
  processes: {
    needs: [],
    built: true,
    run: () => mocha(['unit'], { jobs: 3, filesPerProcess: AGENT_FILES_PER_PROCESS, where: startsAgents }),
  },
  conformance: { needs: ['agents'], built: true, run: () => mocha(['conformance'], { jobs: 4, filesPerProcess: 1 }) },
  replay: { needs: [], built: true, run: () => mocha(['replay']) },
};

/**
 * Milliseconds without a sign of life after which a part is ended. Mocha's own limit, whose error says more, ends most tests that hang,
 * but none that block their process.
 */
const SILENCE_MS = 2 * JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).mocha.timeout;

/** Names of groups of parts. */
const groups = { quick: ['check', 'unit', 'replay'] };

const reports = join(root, 'out', 'reports');

async function mocha(places, options) {
  return (await import('./mocha.mjs')).runMocha(places, options);
}

/**
 * Runs the parts, several in parallel, each in a separate process or two, and prints the output of a process when it has ended
 * (immediately if it runs alone). `check` needs no build and runs in parallel.
 * @returns {Promise<object[]>} One result per process.
 */
async function runParts(names) {
  const needs = new Set(names.flatMap((name) => [...parts[name].needs, ...(parts[name].wants ?? [])]));
  const missing = await prepare('root', ...needs);
  mkdirSync(reports, { recursive: true });
  const built = names.some((name) => parts[name].built) ? buildTests() : undefined;
  // The first part that needs it reports the error; until then the rejection may be unhandled.
  built?.catch(() => undefined);
  const processes = splitParts(Object.keys(parts).filter((name) => names.includes(name)));
  const results = [];
  const jobs = processes.map((one) => async () => {
    if (parts[one.name].built) await built;
    results.push(await runPart(one, missing, processes.length === 1));
  });
  await runInLanes(jobs);
  return results;
}

/**
 * The processes of parts, in their order. A part alone is one process, whose output is printed at once; so is one of a few tests.
 * @returns {{ name: string, half?: 1 | 2 }[]}
 */
function splitParts(names) {
  const isSplit = (name) => parts[name].halves && names.length > 1 && !process.env.MOCHA_GREP;
  const split = names.filter(isSplit);
  // One half of each first: windows that start at the same time need the most of the machine.
  const halves = [1, 2].flatMap((half) => split.map((name) => ({ name, half })));
  return names.flatMap((name) => (isSplit(name) ? halves.splice(0) : [{ name }]));
}

async function buildTests() {
  const start = performance.now();
  await (await import('./build.mjs')).build('--tests');
  console.log(`built in ${seconds(start)} s`);
}

async function runPart({ name: part, half }, missing, show) {
  const start = performance.now();
  const name = half ? `${part} ${half}/2` : part;
  const lacking = parts[part].needs.filter((need) => missing[need]);
  if (lacking.length > 0) {
    const why = lacking.map((need) => missing[need]).join('\n');
    console.log(`${name} cannot run on this machine: ${why}`);
    return { name, passed: 0, failed: 0, skipped: 1, why, time: 0 };
  }
  for (const want of parts[part].wants ?? [])
    if (missing[want]) console.log(`${name}: tests are skipped, because ${missing[want]}`);
  const args = [join(root, 'test/host/test.mjs'), '--part', part];
  const folder = join(reports, half ? `${part}-${half}` : part);
  try {
    const env = { ...(await setUp(part)), ...(half && { HOST_TEST_HALF: String(half) }) };
    const { output, result } = await runPartProcess(args, { folder, limit: SILENCE_MS, show, env });
    if (!show) console.log(`\n=== ${name} (${seconds(start)} s)\n${output.trimEnd()}`);
    return { name, ...result, time: seconds(start) };
  } catch (error) {
    console.log(`${name}: ${reason(error)}`);
    return { name, passed: 0, failed: 0, skipped: 0, problem: reason(error), time: seconds(start) };
  }
}

const setUps = new Map();

/** @returns {Promise<Record<string, string>>} Variables for the processes of a part; it is set up once. */
function setUp(part) {
  if (!setUps.has(part)) setUps.set(part, parts[part].setUp?.());
  return setUps.get(part);
}

/** Runs in the process of one part: writes its result to a file. */
async function runHere(name) {
  // Tests talk to no server outside of this machine. With this variable, Node 20 reads all root certificates at each start, which
  // takes twice as long as the rest of the start. This process has read it already and may need it to download VS Code.
  delete process.env.NODE_EXTRA_CA_CERTS;
  // Nor do they use the git settings of this machine, or a repository that a variable selects.
  for (const name of Object.keys(process.env)) if (name.startsWith('GIT_')) delete process.env[name];
  Object.assign(process.env, { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' });
  const processorSeconds = watchProcessor();
  let result;
  try {
    result = toResult(await parts[name].run());
  } catch (error) {
    result = { passed: 0, failed: 0, skipped: 0, problem: reason(error) };
  }
  if (result.problem) console.log(`${name}: ${result.problem}`);
  const file = `${process.env.HOST_TEST_REPORTS ?? join(reports, name)}.json`;
  const used = processorSeconds();
  writeFileSync(file, JSON.stringify({ ...result, processor: used === undefined ? undefined : Math.round(used) }));
}

/**
 * Prints the table and the last line.
 * @returns {boolean} Whether all parts passed.
 */
function sumUp(results) {
  const row = (...cells) =>
    console.log(
      cells.map((cell, index) => (index === 0 ? String(cell).padEnd(12) : String(cell).padStart(9))).join(''),
    );
  console.log('');
  row('part', 'passed', 'failed', 'skipped', 'seconds', 'CPU');
  const sums = { passed: 0, failed: 0, skipped: 0 };
  for (const result of results) {
    // A crashed part counts as one failure if none of its tests failed.
    const failed = result.failed || (result.problem ? 1 : 0);
    row(result.name, result.passed, failed, result.skipped, result.time, result.processor ?? '');
    sums.passed += result.passed;
    sums.failed += failed;
    sums.skipped += result.skipped;
  }
  printSlowest(results);
  // Printed again at the end: the output of a whole run has thousands of lines.
  for (const { name, failures = [] } of results) {
    if (failures.length > 0) console.log(`\n${name}:`);
    printReport({ lines: failures }, { length: 15 });
  }
  for (const { name, problem, why } of results)
    if (problem ?? why) console.log(`${name}: ${(problem ?? why).split('\n')[0]}`);
  const skipsFail = process.env.CI === 'true' && sums.skipped > 0;
  if (skipsFail) console.log('CI=true: what is skipped counts as failed.');
  console.log(`${sums.passed} passed, ${sums.failed} failed, ${sums.skipped} skipped`);
  return sums.failed === 0 && !skipsFail;
}

/** Prints the ten slowest suites, hooks included: parts run at the same time, so their seconds depend on each other. */
function printSlowest(results) {
  const slowest = slowestSuites(results, 10);
  if (slowest.length === 0) return;
  console.log('\nslowest suites');
  for (const { part, title, ms } of slowest)
    console.log(`${part.padEnd(12)}${(ms / 1000).toFixed(1).padStart(9)} s  ${title}`);
}

async function main(asked) {
  if (asked[0] === '--part') return runHere(asked[1]);
  const names = asked.flatMap((name) => groups[name] ?? [name]);
  const unknown = names.filter((name) => !Object.hasOwn(parts, name));
  if (unknown.length > 0) {
    const known = [...Object.keys(parts), ...Object.keys(groups)].join(', ');
    console.error(`There is no part "${unknown.join('", "')}". Parts: ${known}.`);
    process.exit(2);
  }
  const results = await runParts(names.length > 0 ? names : Object.keys(parts));
  process.exitCode = sumUp(results) ? 0 : 1;
}

await main(process.argv.slice(2));

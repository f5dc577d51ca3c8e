import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../../host/part.mjs';
import { runPartProcess } from '../../host/part.mjs';
import { slowestSuites } from '../../host/report.mjs';
import { temporaryFolder } from '../../kit/temporaryFolder';
import { until } from '../../kit/waiting';

const PASSES = `it('passes', () => {});`;

/** A part whose script runs one file of tests. */
describe('the process of a part of the tests', () => {
  let folder: string;

  beforeEach(() => (folder = temporaryFolder()));

  /** @param begun The part counts as alive until this file exists: a busy machine needs long to start mocha. */
  async function run(tests: string, begun?: string): Promise<Result> {
    const [script, file, reports] = [
      join(folder, 'part.cjs'),
      join(folder, 'sample.test.cjs'),
      join(folder, 'reports'),
    ];
    writeFileSync(file, tests);
    const mocha = join(process.cwd(), 'node_modules/mocha/bin/mocha.js');
    const reporter = join(process.cwd(), 'test/host/reporter.cjs');
    const options = ['--no-config', '--no-package', '--reporter', reporter, '--reporter-option', 'exits=1000'];
    writeFileSync(
      script,
      `process.env.HOST_TEST_REPORT = require('node:path').join(process.env.HOST_TEST_REPORTS, '0.ndjson');
       const args = ${JSON.stringify([mocha, ...options, file])};
       require('node:child_process').spawn(process.execPath, args, { detached: true, stdio: 'ignore' });`,
    );
    const ended = runPartProcess([script], { folder: reports, limit: begun ? 1_000 : 60_000 });
    const alive = join(reports, 'alive.ndjson');
    const life = setInterval(() => {
      if (begun && !existsSync(begun)) appendFileSync(alive, `{ "event": "end" }\n`);
    }, 50);
    try {
      return (await ended).result;
    } finally {
      clearInterval(life);
    }
  }

  it('is ended with all that it started when a test blocks it, and names the test', async function () {
    if (process.platform === 'win32') this.skip();
    const pids = join(folder, 'pids');
    const { passed, failed, problem } = await run(
      `${PASSES}
       it('never returns', () => {
         const child = require('node:child_process').spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
         require('node:fs').writeFileSync(${JSON.stringify(pids)}, process.pid + ' ' + child.pid);
         Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
       });`,
      pids,
    );
    assert.deepEqual([passed, failed], [1, 0]);
    assert.equal(problem, 'it was ended after 1 s of silence: the run broke off during or after "never returns"');
    const left = readFileSync(pids, 'utf8').split(' ').map(Number);
    await until(() => !left.some(isRunning), 'its processes have ended');
  });

  it('ends by itself when a test that failed at its limit waits on', async () => {
    const { passed, failed, problem, failures } = await run(
      `${PASSES}
       it('waits on', async function () {
         this.timeout(50);
         for (;;) await new Promise(setImmediate);
       });`,
    );
    assert.deepEqual([passed, failed, failures?.map(({ title }) => title)], [1, 1, ['waits on']]);
    assert.equal(problem, 'its process ended without a result');
  });

  it('fails when a test that passed leaves something that keeps its process alive', async () => {
    const { passed, failed, failures = [] } = await run(`it('passes', () => void setInterval(() => {}, 1000));`);
    assert.deepEqual([passed, failed], [1, 1]);
    assert.match(failures[0]?.message ?? '', /does not end: .*Timeout/);
  });

  it('reports the time of each outer suite with its hooks', async () => {
    const { suites = [] } = await run(
      `const pause = (ms) => new Promise((done) => setTimeout(done, ms));
       describe('quick', () => { ${PASSES} });
       describe('slow', () => {
         before(() => pause(60));
         describe('inner', () => { it('waits', () => pause(30)); });
       });`,
    );
    assert.deepEqual(
      suites.map(({ title }) => title),
      ['quick', 'slow'],
    );
    assert.ok((suites[1]?.ms ?? 0) >= 80, JSON.stringify(suites));
    const [slowest, ...others] = slowestSuites([{ name: 'unit', suites }, { name: 'check' }], 1);
    assert.deepEqual([slowest?.part, slowest?.title, others], ['unit', 'slow', []]);
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

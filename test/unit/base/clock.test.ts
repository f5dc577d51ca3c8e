import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { StartTime } from '../../../src/base/clock';
import { nullLogger } from '../../../src/base/logger';
import { MAX_PER_SECOND } from '../../../src/mcp/calls/callLimits';
import { endProcess } from '../../../src/node/process/endProcess';
import { ReplayFilter } from '../../../src/session/repeatedUpdates';
import { TestClock } from '../../kit/testClock';
import { settled } from '../../kit/waiting';
import { GateBench, toolOf } from '../mcp/calls/gateBench';

const HOUR = 3_600_000;

/** Code that compares with a stored time: the date of a file, or the time of an entry. */
const STORED_TIMES: ReadonlySet<string> = new Set([
  'base/clock.ts',
  'node/process/processStart.ts',
  'agent/registry/installBinary.ts',
  'review/storage/blobStore.ts',
  'review/checkpoints/recordCheckpoint.ts',
  'review/git/workspaceSnapshots.ts',
  'ui/permissions/pendingRequestPicker.ts',
  'ui/worktrees/cleanUpWorktrees.ts',
  'webview/chat/composer/useAttachments.ts',
  'webview/chat/composer/composer.tsx',
]);

describe('a change of the system clock', () => {
  const dateNow = Date.now;
  afterEach(() => void (Date.now = dateNow));

  it('does not delay the end of a process that ignores the end of its input', async function () {
    if (process.platform === 'win32') this.skip();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6); console.log("runs")'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    // Ends the test in any case.
    const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
    await endProcess({
      pid: child.pid ?? 0,
      log: nullLogger,
      deadlines: { eof: 100, term: 30_000, kill: 3_000 },
      // The first timeout starts here.
      closeInput: () => setImmediate(() => (Date.now = () => dateNow() - HOUR)),
      hasExited: () => child.exitCode !== null || child.signalCode !== null,
      exited,
    });
    clearTimeout(late);
    assert.equal(child.signalCode, 'SIGTERM');
  });

  it('does not delay the end of a replay', async () => {
    const clock = new TestClock();
    const filter = new ReplayFilter({ keeps: 'nothing' }, clock);
    let isOver = false;
    void filter.waitUntilSettled().then(() => (isOver = true));
    clock.set(-HOUR);
    await clock.pass(200);
    assert.equal(isOver, true);
  });

  it('neither blocks the tool calls of a session nor extends an approval', async () => {
    const bench = new GateBench();
    const tool = toolOf(() => ({ text: 'done' }));
    for (let count = 0; count < MAX_PER_SECOND; count++) await bench.call(tool);
    assert.equal((await bench.call(tool)).isError, true);
    const title = 'mcp__sample__do';
    bench.agreed = [{ permissionId: 'p', title, rawInput: {}, at: bench.clock.elapsed() }];
    bench.clock.set(-HOUR);
    await bench.clock.pass(60_001);
    assert.equal((await bench.call(tool)).isError, undefined);
    const asked = bench.call(toolOf(() => ({ text: 'done' }), { approval: 'policy' }));
    await settled();
    assert.equal(bench.questions[0]?.otherwise, 'ask');
    bench.answer();
    await asked;
  });

  it('does not change the time limit of a tool', async () => {
    const bench = new GateBench();
    const result = bench.call(toolOf(async () => new Promise(() => undefined), { timeout: 10_000 }));
    await bench.clock.pass(5_000);
    bench.clock.set(HOUR);
    await bench.clock.pass(4_999);
    assert.equal(await Promise.race([result, settled()]), undefined);
    bench.clock.set(-2 * HOUR);
    await bench.clock.pass(1);
    assert.equal((await result).isError, true);
  });

  it('does not hide files that were written during a turn', () => {
    const before = dateNow();
    const start = new StartTime();
    Date.now = () => dateNow() + HOUR;
    assert.ok(start.earliest <= dateNow() && start.earliest >= before, 'set forward');
    Date.now = () => dateNow() - HOUR;
    // Timestamps of files that are written now.
    assert.ok(start.earliest <= Date.now(), 'set back');
  });

  it('affects no time span in src, because none uses Date.now', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
    const found = files.filter((file) =>
      /Date\.now\(\) [-+<>]|(?:[-+<]|[^=]>)=? Date\.now\(\)|Math\.(?:min|max|abs)\(Date\.now/.test(
        readFileSync(join('src', file), 'utf8'),
      ),
    );
    const spans = found.map((file) => file.replaceAll('\\', '/')).filter((file) => !STORED_TIMES.has(file));
    assert.deepEqual(spans, []);
  });
});

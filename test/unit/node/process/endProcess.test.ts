import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { nullLogger } from '../../../../src/base/logger';
import { endProcess } from '../../../../src/node/process/endProcess';

describe('node/process/endProcess', () => {
  it('ends a process that has no process group of its own', async function () {
    if (process.platform === 'win32') this.skip();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6); console.log("runs")'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    await endProcess({
      pid: child.pid ?? 0,
      log: nullLogger,
      deadlines: { eof: 0, term: 30_000, kill: 3_000 },
      closeInput: () => undefined,
      hasExited: () => child.exitCode !== null || child.signalCode !== null,
      exited,
    });
    assert.equal(child.signalCode, 'SIGTERM');
  });
});

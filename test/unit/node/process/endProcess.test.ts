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

  it('leaves another process alone that has the id of the ended one now', async function () {
    if (process.platform === 'win32') this.skip();
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6); console.log("runs")'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const exited = once(other, 'exit');
    try {
      await once(other.stdout, 'data');
      await endProcess({
        pid: other.pid ?? 0,
        log: nullLogger,
        deadlines: { eof: 0, term: 0, kill: 0 },
        closeInput: () => undefined,
        hasExited: () => true,
        exited: Promise.resolve(),
      });
      // A signal would have arrived before the answer to this one.
      other.kill('SIGKILL');
      await exited;
      assert.equal(other.signalCode, 'SIGKILL');
    } finally {
      other.kill('SIGKILL');
    }
  });
});

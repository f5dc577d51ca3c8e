import assert from 'node:assert/strict';
import { nullLogger } from '../../../../src/base/logger';
import { CommandLifetime } from '../../../../src/client/terminal/commandHandle';
import { killOnExit, startedProcesses } from '../../../../src/node/process/killOnExit';
import { Bench } from '../../agent/agentBench';

const listeners = (): readonly unknown[] => process.listeners('exit');

describe('processes that are killed when the extension host exits', () => {
  it('share one exit listener while one of them runs', () => {
    const before = listeners();
    const killed: number[] = [];
    const releases = [1, 2, 3].map((each) => killOnExit(() => killed.push(each), each));
    assert.deepEqual(startedProcesses(), [1, 2, 3]);
    const [ours, ...more] = listeners().filter((one) => !before.includes(one));
    assert.equal(more.length, 0);
    releases[1]?.();
    (ours as () => void)();
    assert.deepEqual(killed, [1, 3]);
    for (const release of [...releases, ...releases]) release();
    assert.deepEqual(listeners(), before);
    killOnExit(() => undefined, undefined)();
    assert.deepEqual(listeners(), before);
  });

  it('remove the listener after they have ended', async () => {
    const before = listeners();
    const bench = await new Bench().open();
    try {
      const command = new CommandLifetime(process.pid, nullLogger);
      assert.equal(listeners().length, before.length + 1);
      command.markExited();
    } finally {
      await bench.close();
    }
    assert.deepEqual(listeners(), before);
  });
});

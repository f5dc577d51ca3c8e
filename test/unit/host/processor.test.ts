import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { sumUsed, usedByTree } from '../../host/processor.mjs';

/** Uses 0.3 seconds of a core, says who it is, and waits. */
const WORKS = `while (process.cpuUsage().user < 3e5);
console.log(process.pid);
setInterval(() => {}, 1e6);`;

/** The column CPU of the table that `npm test` prints. */
describe('CPU time of a part', () => {
  it('contains that of processes that nobody waited for', () => {
    const looks = [10, 40, 15, 20];
    const look = sumUsed(() => looks.shift() ?? 0);
    assert.deepEqual([look(), look(), look(), look()], [10, 40, 40, 45]);
  });

  // Only Linux tells.
  if (process.platform === 'linux')
    it('contains that of the processes that its processes have started', async () => {
      const starts = `require('node:child_process').spawn(process.execPath, ['-e', process.argv[1]], { stdio: 'inherit' })`;
      // A group of its own: it ends as one.
      const child = spawn(process.execPath, ['-e', starts, WORKS], {
        detached: true,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const { pid } = child;
      assert.ok(pid !== undefined);
      try {
        const [said] = (await once(child.stdout, 'data')) as [Buffer];
        const inner = usedByTree(Number(said));
        assert.ok(inner >= 0.3, `${inner}`);
        assert.ok(usedByTree(pid) > inner);
        assert.ok(usedByTree(process.pid) > usedByTree(pid));
      } finally {
        process.kill(-pid, 'SIGKILL');
      }
    });
});

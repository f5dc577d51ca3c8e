import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '../../../../src/node/fs/regularFile';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('node/fs/regularFile', () => {
  let folder: string;
  beforeEach(() => (folder = temporaryFolder()));

  it('reads up to the limit', async () => {
    const file = join(folder, 'a');
    for (const [size, max, read] of [
      [0, 0, 0],
      [5, 5, 5],
      [6, 5, 'tooLarge'],
      [200_000, 200_000, 200_000],
    ] as const) {
      writeFileSync(file, Buffer.alloc(size, 'x'));
      const found = await readRegularFile(file, max);
      assert.equal(typeof found === 'string' ? found : found.length, read);
    }
  });

  it('returns neither folders nor pipes and devices, and does not wait for them', async function () {
    if (process.platform === 'win32') this.skip();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const path of [folder, join(folder, 'pipe'), '/dev/zero'])
      assert.equal(await readRegularFile(path, 10), 'notAFile', path);
  });

  it('reads files whose size the system does not know, and stops at the limit', async function () {
    if (process.platform !== 'linux') this.skip();
    assert.match(String(await readRegularFile('/proc/self/status', 100_000)), /^Name:.*Pid:/s);
    assert.equal(await readRegularFile('/proc/self/status', 10), 'tooLarge');
  });
});

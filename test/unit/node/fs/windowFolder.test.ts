import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openWindowFolder } from '../../../../src/node/fs/windowFolder';
import { BlobStore } from '../../../../src/review/storage/blobStore';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('the folders of windows without a workspace folder', () => {
  let base: string;

  beforeEach(() => (base = temporaryFolder()));

  it('are their own: the clean-up of a window deletes no copies of another one', async () => {
    const [one, other] = [await openWindowFolder(base), await openWindowFolder(base)];
    // Two hours later, as the clean-up sees it.
    let elapsed = 0;
    const [mine, theirs] = [one, other].map(({ path }) => new BlobStore(join(path, 'blobs'), () => elapsed));
    assert.ok(mine && theirs);
    const id = await theirs.put(Buffer.from('before the agent'));
    const { now } = Date;
    const later = now() + 2 * 3_600_000;
    elapsed = later;
    try {
      Date.now = () => later;
      await mine.retain(new Set());
      await theirs.retain(new Set([id]));
    } finally {
      Date.now = now;
    }
    assert.equal((await theirs.get(id))?.toString(), 'before the agent');
    for (const window of [one, other]) window.dispose();
  });

  it('are deleted after the window has ended, by the next start', async () => {
    const [open, closed] = [await openWindowFolder(base), await openWindowFolder(base)];
    for (const { path } of [open, closed]) {
      await mkdir(path, { recursive: true });
      await writeFile(join(path, 'data'), 'data');
    }
    closed.dispose();
    const next = await openWindowFolder(base);
    assert.equal(await readFile(join(open.path, 'data'), 'utf8'), 'data');
    assert.deepEqual(await readdir(join(base, 'windows')), [open.path.split(/[\\/]/).at(-1)]);
    for (const window of [open, next]) window.dispose();
  });
});

import assert from 'node:assert/strict';
import { appendFile, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DiskWorld } from './diskWorld';
import { runGit } from '../../runGit';

describe('files that would leave the review', function () {
  this.timeout(30_000);
  let world: DiskWorld;

  beforeEach(async () => {
    world = await DiskWorld.open();
    runGit(world.folder, 'init', '-q');
  });

  afterEach(() => world.close());

  const labels = (): string[] => world.review.files().map(({ label }) => label);

  it('are named when their folder becomes a link', async function () {
    if (process.platform === 'win32') this.skip();
    await world.turn(async () => {
      await mkdir(world.at('lib'));
      for (const name of ['lib/a.txt', 'lib/b.txt', 'c.txt']) await writeFile(world.at(name), 'agent\n');
    });
    assert.deepEqual(labels(), ['c.txt', 'lib/a.txt', 'lib/b.txt']);
    await world.turn(async () => {
      await rename(world.at('lib'), join(world.outside, 'lib'));
      await symlink(join(world.outside, 'lib'), world.at('lib'));
    }, 2);
    assert.deepEqual(labels(), ['c.txt', 'lib']);
    while (world.notices.length === 0) await delay(20);
    const [notice, ...more] = world.notices;
    assert.deepEqual([notice?.title, more], ['No longer under review: 2 files', []]);
    assert.match(notice?.text ?? '', /became a link.*\n\nlib\/a\.txt\nlib\/b\.txt$/);
  });

  it('stay when .git/info/exclude ignores them during the turn', async () => {
    await world.turn(async () => {
      await writeFile(world.at('new.txt'), 'agent\n');
      await appendFile(world.at('.git/info/exclude'), 'new.txt\n');
    });
    assert.deepEqual(labels(), ['new.txt']);
    await world.review.undoAll();
    assert.deepEqual(labels(), []);
  });
});

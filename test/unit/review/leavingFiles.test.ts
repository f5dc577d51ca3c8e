import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runGit } from '../../kit/runGit';
import { DiskWorld } from './diskWorld';

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
    const [notice, ...more] = await world.reportLost();
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

  // Only Linux stores such names.
  if (process.platform === 'linux')
    it('are named if their names are not UTF-8, and the others stay', async () => {
      const odd = (name: string): Buffer => Buffer.from(`${world.folder}/${name}`, 'latin1');
      const nothing = async (): Promise<void> => undefined;
      for (const name of ['tracked-\xe9.txt', 'gone-\xe9.txt', 'same-\xe9.txt']) await writeFile(odd(name), 'user\n');
      runGit(world.folder, 'add', '-A');
      runGit(world.folder, 'commit', '-qm', 'first');
      await writeFile(odd('open-\xff.txt'), 'user\n');
      await world.turn(nothing);
      assert.deepEqual([world.oddNames, labels()], [[], []]);
      await world.turn(async () => {
        await writeFile(odd('new-caf\xc3\xa9-\xe9.txt'), 'agent\n');
        await writeFile(odd('tracked-\xe9.txt'), 'agent\n');
        await writeFile(odd('open-\xff.txt'), 'agent\n');
        await rm(odd('gone-\xe9.txt'));
        await mkdir(odd('d\xe9'));
        await writeFile(odd('d\xe9/a.txt'), 'agent\n');
        await writeFile(world.at('café.txt'), 'agent\n');
        await writeFile(world.at('back\\slash.txt'), 'agent\n');
      }, 2);
      const codes = ['d\\xe9/a.txt', 'gone-\\xe9.txt', 'new-café-\\xe9.txt', 'open-\\xff.txt', 'tracked-\\xe9.txt'];
      assert.deepEqual(world.oddNames.toSorted(), codes);
      assert.deepEqual(labels(), ['back\\slash.txt', 'café.txt']);
      assert.deepEqual((await world.review.undoAll()).problems, []);
      await world.turn(nothing, 4);
      assert.deepEqual([world.oddNames, labels()], [[], []]);
      const names = (await readdir(world.folder, { encoding: 'latin1' })).filter((name) => name !== '.git');
      assert.deepEqual(names.length, 5);
    });
});

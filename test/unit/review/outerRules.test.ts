import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { runGit } from '../../kit/runGit';
import { DiskWorld } from './diskWorld';

/** Ignore rules that do not stand in the folder: of the folders above, of the repository. */
describe('old files of the user that rules outside of the folder ignored', function () {
  this.timeout(60_000);
  let world: DiskWorld;

  beforeEach(async () => {
    world = await DiskWorld.open();
    await mkdir(world.at('sub'));
    await writeFile(world.at('sub/a.txt'), 'a\n');
    await writeFile(world.at('.gitignore'), 'notes*\n');
    runGit(world.folder, 'init', '-q', '-b', 'main');
    await writeFile(world.at('.git/info/exclude'), 'plans*\n');
    for (const name of ['notes.md', 'plans.md']) await writeFile(world.at(`sub/${name}`), 'of the user\n');
    world.folders = [world.at('sub')];
  });

  afterEach(() => world.close());

  const changes: Readonly<Record<string, () => Promise<void>>> = {
    'the folder above loses its rules': () => writeFile(world.at('.gitignore'), '\n'),
    'the repository loses its rules': () => writeFile(world.at('.git/info/exclude'), '\n'),
    'the repository is deleted': () => rm(world.at('.git'), { recursive: true }),
  };
  const areThere = (): boolean[] => ['notes.md', 'plans.md'].map((name) => existsSync(world.at(`sub/${name}`)));

  for (const [what, change] of Object.entries(changes)) {
    it(`are not undone when ${what} in a turn`, async () => {
      await world.turn(async () => {
        await change();
        await writeFile(world.at('sub/a.txt'), 'agent\n');
        await writeFile(world.at('sub/new.txt'), 'agent\n');
      });
      const paths = world.review.files().map(({ path }) => path);
      assert.deepEqual(paths.toSorted(), [world.at('sub/a.txt'), world.at('sub/new.txt')]);
      await world.review.undoFiles(paths);
      assert.deepEqual(areThere(), [true, true]);
    });

    it(`are not deleted by a restore after ${what}`, async () => {
      await world.turn(() => writeFile(world.at('sub/a.txt'), 'agent\n'), 0);
      await change();
      await world.checkpoints.restore('s', 0);
      assert.deepEqual(areThere(), [true, true]);
    });
  }
});

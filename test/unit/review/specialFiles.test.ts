import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { runGit } from '../../kit/runGit';
import { DiskWorld, filesOf } from './diskWorld';

/** A pipe in the place of a file or folder: git reports a missing file, and nothing in the place of a folder. */
describe('a pipe that an agent puts in the place of', () => {
  let world: DiskWorld;

  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  beforeEach(async () => {
    world = await DiskWorld.open();
    await mkdir(world.at('folder/deep'), { recursive: true });
    await writeFile(world.at('folder/deep/a.txt'), 'a\n');
    await writeFile(world.at('b.txt'), 'b\n');
  });
  afterEach(() => world.close());

  async function replace(name: string): Promise<void> {
    await rm(world.at(name), { recursive: true });
    execFileSync('mkfifo', [world.at(name)]);
  }

  for (const [what, name, deleted] of [
    ['a file', 'b.txt', ['b.txt']],
    ['a folder', 'folder', ['folder/deep/a.txt']],
    ['a repository', 'folder/deep', ['folder/deep/a.txt']],
  ] as const)
    it(`${what} is a deletion under review, which Undo and Restore take back`, async () => {
      if (what === 'a repository') runGit(world.at(name), 'init', '-q');
      await world.turn(() => replace(name));
      assert.deepEqual(
        world.review.files().map(({ label, status }) => [label, status]),
        deleted.map((label) => [label, 'deleted']),
      );
      const before = { 'b.txt': '- b\n', 'folder/deep/a.txt': '- a\n' };
      assert.deepEqual((await world.review.undoAll()).problems, []);
      assert.deepEqual(await filesOf(world.folder), before);
      await replace(name);
      assert.deepEqual((await world.checkpoints.restore('s', 0)).problems, []);
      assert.deepEqual(await filesOf(world.folder), before);
    });
});

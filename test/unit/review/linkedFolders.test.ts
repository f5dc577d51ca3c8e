import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { runGit } from '../../kit/runGit';
import { DiskWorld, treeOf } from './diskWorld';

/** The folders of a workspace may lead to the same files. */
describe('a workspace that has a folder twice', function () {
  this.timeout(60_000);
  let world: DiskWorld;
  let link: string;

  beforeEach(async () => {
    world = await DiskWorld.open();
    link = join(world.base, 'link');
    await mkdir(world.at('sub'));
    for (const name of ['a.txt', 'sub/b.txt', 'sub/gone.txt']) await writeFile(world.at(name), 'before\n');
  });

  afterEach(() => world.close());

  const CASES: Readonly<Record<string, (folder: string) => readonly [target: string, folders: readonly string[]]>> = {
    'and a link to it': (folder) => [folder, [folder, link]],
    'after a link to it': (folder) => [folder, [link, folder]],
    'and a link to its subfolder': (folder) => [join(folder, 'sub'), [folder, link]],
    'after a link to its subfolder': (folder) => [join(folder, 'sub'), [link, folder]],
    'and its subfolder': (folder) => [folder, [folder, join(folder, 'sub')]],
    'after a folder below a link to it': (folder) => [folder, [join(link, 'sub'), folder]],
  };

  async function changeFiles(): Promise<void> {
    for (const name of ['a.txt', 'sub/b.txt', 'sub/new.txt']) await writeFile(world.at(name), 'after\n');
    await rm(world.at('sub/gone.txt'));
  }

  // On Windows, creating links requires a privilege.
  if (process.platform !== 'win32')
    for (const [index, [name, place]] of Object.entries(CASES).entries())
      it(`has each change once, and undoes and restores it: ${name}`, async () => {
        const [target, folders] = place(world.folder);
        await symlink(target, link);
        // Half of them in a repository.
        if (index % 2 === 1) runGit(world.folder, 'init', '-q');
        world.folders = folders;
        const before = await treeOf(world.folder);
        await world.turn(changeFiles);
        const after = await treeOf(world.folder);
        const names = world.review.files().map(({ path }) => relative(world.folder, path).replace(/^.*link/, ''));
        assert.deepEqual([names.length, new Set(names).size], [4, 4]);
        const preview = await world.checkpoints.preview('s', 0);
        assert.equal(preview.type === 'ready' && preview.changes.length, 4);
        const { problems, undoId = '' } = await world.checkpoints.restore('s', 0);
        assert.deepEqual([problems, await treeOf(world.folder)], [[], before]);
        const undo = await world.checkpoints.previewUndo('s', undoId);
        assert.deepEqual(undo.type === 'ready' && undo.changes.filter(({ isLater }) => isLater), []);
        assert.deepEqual((await world.checkpoints.undoRestore('s', undoId)).problems, []);
        assert.deepEqual(await treeOf(world.folder), after);
        assert.deepEqual((await world.review.undoAll()).problems, []);
        assert.deepEqual(await treeOf(world.folder), before);
      });
});

import assert from 'node:assert/strict';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskWorld, filesOf, treeOf } from './diskWorld';

/** An agent that can write may create links anywhere; keep, undo and restore must still stay in the workspace. */
describe('review of a folder that became a link', () => {
  let world: DiskWorld;

  beforeEach(async function () {
    // On Windows, creating links requires a privilege.
    if (process.platform === 'win32') this.skip();
    world = await DiskWorld.open();
    await mkdir(world.at('src/deep'), { recursive: true });
    for (const name of ['src/a.txt', 'src/deep/b.txt', 'c.txt']) await writeFile(world.at(name), `${name} before\n`);
    await mkdir(join(world.outside, 'deep'));
    for (const name of ['a.txt', 'deep/b.txt', 'made.txt']) await writeFile(join(world.outside, name), 'precious\n');
  });

  afterEach(() => world?.close());

  /** The agent moves a folder away and replaces it by a link. */
  async function swap(target = world.outside): Promise<void> {
    await rm(world.at('src'), { recursive: true });
    await symlink(target, world.at('src'));
  }

  it('undoes a file at its old place, or gives the reason, and never beyond the link', async () => {
    const [before, outside] = [await filesOf(world.folder), await treeOf(world.outside)];
    await world.begin(0);
    await writeFile(world.at('src/a.txt'), 'by the agent\n');
    await writeFile(world.at('src/made.txt'), 'by the agent\n');
    await world.tracker.scan();
    await swap();
    await world.end();
    const { problems } = await world.review.undoFile(world.at('src/a.txt'));
    assert.match(problems[0]?.message ?? '', /now points to another location\. Nothing was written/);
    await world.review.undoFile(world.at('src/made.txt'));
    assert.deepEqual(await treeOf(world.outside), outside);
    assert.deepEqual((await world.review.undoAll()).problems, []);
    assert.deepEqual([await filesOf(world.folder), await treeOf(world.outside)], [before, outside]);
  });

  it('shows and restores no file beyond the link', async () => {
    await world.begin(0);
    await swap();
    await world.end();
    const shown = world.review.files().map(({ label, status }) => `${label} ${status}`);
    assert.deepEqual(shown, ['src created', 'src/a.txt deleted', 'src/deep/b.txt deleted']);
    await world.review.undoAll();
    assert.deepEqual((await world.review.undoLast()).problems, []);
    assert.deepEqual(await filesOf(world.folder), { 'c.txt': '- c.txt before\n', src: `-> ${world.outside}` });
  });

  it('restores a checkpoint and undoes that, with equal files beyond the link', async () => {
    const before = await filesOf(world.folder);
    await writeFile(join(world.outside, 'a.txt'), 'src/a.txt before\n');
    const outside = await treeOf(world.outside);
    await world.begin(0);
    await swap();
    await writeFile(world.at('c.txt'), 'by the agent\n');
    await world.end();
    const after = await filesOf(world.folder);
    await world.begin(1);
    await world.end();
    const { problems, undoId } = await world.checkpoints.restore('s', 0);
    assert.deepEqual([problems, await filesOf(world.folder)], [[], before]);
    assert.deepEqual((await world.checkpoints.undoRestore('s', undoId ?? '')).problems, []);
    assert.deepEqual([await filesOf(world.folder), await treeOf(world.outside)], [after, outside]);
    assert.deepEqual((await world.checkpoints.restore('s', 1)).problems, []);
    assert.deepEqual(await filesOf(world.folder), after);
  });

  it('takes checkpoints and restores them even if an editor or the review names a file beyond the link', async () => {
    await world.begin(0);
    await writeFile(world.at('src/a.txt'), 'by the agent\n');
    await writeFile(world.at('src/made.txt'), 'by the agent\n');
    await world.end();
    await swap();
    world.type(world.at('src/other.txt'), 'typed\n');
    await world.begin(1);
    await writeFile(world.at('c.txt'), 'by the agent\n');
    await world.end();
    assert.deepEqual(
      world.checkpoints.infosOf('s').map(({ entry, skipped }) => [entry, skipped]),
      [
        [0, 0],
        [1, 0],
      ],
    );
    const { problems } = await world.checkpoints.restore('s', 1);
    assert.deepEqual(problems, []);
    assert.equal(await readFile(world.at('c.txt'), 'utf8'), 'c.txt before\n');
  });

  it('changes nothing outside if the workspace folder itself is a link', async () => {
    await world.begin(0);
    await writeFile(world.at('src/a.txt'), 'by the agent\n');
    await world.end();
    await rename(world.folder, `${world.folder}-away`);
    await mkdir(join(world.outside, 'src'));
    await symlink(world.outside, world.folder);
    await writeFile(join(world.outside, 'src/a.txt'), 'by the agent\n');
    const outside = await treeOf(world.outside);
    await world.review.undoAll();
    await world.checkpoints.restore('s', 0);
    assert.deepEqual(await treeOf(world.outside), outside);
  });

  it('restores a link in place of a folder with subfolders', async () => {
    await rm(world.at('src'), { recursive: true });
    await symlink('c.txt', world.at('src'));
    const before = await filesOf(world.folder);
    await world.begin(0);
    await rm(world.at('src'));
    await mkdir(world.at('src/one/two'), { recursive: true });
    await writeFile(world.at('src/one/two/three.txt'), 'by the agent\n');
    await world.end();
    const after = await filesOf(world.folder);
    const { problems, undoId } = await world.checkpoints.restore('s', 0);
    assert.deepEqual([problems, await filesOf(world.folder)], [[], before]);
    await world.checkpoints.undoRestore('s', undoId ?? '');
    assert.deepEqual((await world.review.undoAll()).problems, []);
    assert.deepEqual(await filesOf(world.folder), before);
    assert.deepEqual((await world.review.undoLast()).problems, []);
    assert.deepEqual(await filesOf(world.folder), after);
  });
});

import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { DiskWorld, filesOf } from '../diskWorld';

/** Files that no tree covers: without git, or ignored by it. Checkpoints have copies of those that agents change through Parley. */
describe('checkpoints: files without a tree', () => {
  let world: DiskWorld;
  beforeEach(async () => {
    world = await DiskWorld.open('no-such-git');
  });
  afterEach(() => world.close());

  const write = (id: string, text: string): Promise<unknown> =>
    world.tracker.runAgentEdit(id, world.at('f'), () => writeFile(world.at('f'), text));
  const content = async (): Promise<string | undefined> => (await filesOf(world.folder))['f'];

  for (const [what, change, now] of [
    ['changed', () => writeFile(world.at('f'), 'mine\n'), '- mine\n'],
    ['deleted', () => rm(world.at('f')), undefined],
  ] as const) {
    it(`come back by the undo of a restore as the user has ${what} them since they were kept`, async () => {
      await writeFile(world.at('f'), 'original\n');
      await world.turn(() => write('s', 'agent\n'), 0);
      await world.review.keepAll();
      await world.turn(async () => undefined, 1);
      await change();
      const { undoId = '' } = await world.checkpoints.restore('s', 0);
      assert.equal(await content(), '- original\n');
      assert.deepEqual((await world.checkpoints.undoRestore('s', undoId)).problems, []);
      assert.equal(await content(), now);
    });
  }

  it('are restored from a checkpoint that stays after later ones were deleted', async () => {
    world.open = ['A', 'B'];
    await writeFile(world.at('f'), 'original\n');
    await world.turn(async () => undefined, 0, 'A');
    await world.turn(() => write('B', 'one\n'), 0, 'B');
    await world.review.keepAll();
    await world.turn(() => write('B', 'two\n'), 1, 'B');
    world.maxSizeMB = 0;
    await world.checkpoints.prune();
    assert.deepEqual(
      world.checkpoints.infosOf('B').map(({ entry }) => entry),
      [1],
    );
    await world.checkpoints.restore('A', 0);
    assert.equal(await content(), '- original\n');
  });
});

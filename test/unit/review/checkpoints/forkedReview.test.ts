import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { withHeir } from '../../../../src/review/tracking/sessionShares';
import { DiskWorld } from '../diskWorld';

describe('review/checkpoints: the review of a fork', () => {
  let world: DiskWorld;

  beforeEach(async () => {
    world = await DiskWorld.open();
    await writeFile(world.at('a.txt'), 'before\n');
    await turn(0, 'a.txt');
    await turn(1, 'b.txt');
    // As `WindowReview.inherit`.
    for (const path of world.modifiedFiles.paths()) {
      const item = world.modifiedFiles.get(path);
      if (item) world.modifiedFiles.set(path, withHeir(item, 's', 'fork'));
    }
    await world.checkpoints.copyTo('s', 'fork', 2);
  });

  afterEach(() => world.close());

  async function turn(entry: number, name: string): Promise<void> {
    await world.begin(entry);
    await writeFile(world.at(name), `after\n`);
    await world.end();
  }

  const counts = (of = world): readonly unknown[] => ['s', 'fork'].map((id) => of.review.lineCounts().get(id));
  const labels = (id: string): string[] => world.review.files(id).map(({ label }) => label);
  const both = { added: 2, removed: 1 };
  const one = { added: 1, removed: 1 };

  for (const id of ['fork', 's'])
    it(`has what its session has after a restore in ${id}, and in the next window`, async () => {
      assert.deepEqual(counts(), [both, both]);
      const { undoId, problems } = await world.checkpoints.restore(id, 1);
      assert.deepEqual(problems, []);
      assert.deepEqual(counts(), [one, one]);
      await world.file.write();
      assert.deepEqual(counts(await DiskWorld.reopen(world.base)), [one, one]);
      await world.checkpoints.undoRestore(id, undoId ?? '');
      assert.deepEqual(counts(), [both, both]);
    });

  it('has it after a restore of a fork of the fork', async () => {
    await world.checkpoints.copyTo('fork', 'next', 2);
    const reopened = await DiskWorld.reopen(world.base);
    await reopened.checkpoints.restore('next', 1);
    assert.deepEqual([...counts(reopened), reopened.review.lineCounts().get('next')], [one, one, one]);
    assert.deepEqual(
      reopened.review.files('next').map(({ sessions }) => sessions),
      [['s', 'fork', 'next']],
    );
  });

  it('has nothing of what the session does afterwards', async () => {
    await turn(2, 'c.txt');
    await turn(3, 'd.txt');
    await world.checkpoints.restore('s', 3);
    assert.deepEqual(
      [labels('s'), labels('fork')],
      [
        ['a.txt', 'b.txt', 'c.txt'],
        ['a.txt', 'b.txt'],
      ],
    );
  });
});

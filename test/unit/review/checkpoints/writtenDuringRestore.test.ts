import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createDeferred } from '../../../../src/base/async';
import { DiskWorld, filesOf } from '../diskWorld';

const CHANGED = 'The file has changed in the meantime. Try again.';
const BEFORE = { 'a.txt': '- before\n', 'b.txt': '- before\n' };
const AFTER = { 'a.txt': '- after\n', 'b.txt': '- after\n' };

describe('a file that is written while a restore begins', () => {
  let world: DiskWorld;

  beforeEach(async () => {
    world = await DiskWorld.open();
    for (const name of ['a.txt', 'b.txt']) await writeFile(world.at(name), 'before\n');
    await world.begin(0);
    for (const name of ['a.txt', 'b.txt']) await writeFile(world.at(name), 'after\n');
    await world.end();
  });

  afterEach(() => world.close());

  /** The user saves a file when the checkpoint for the undo is stored, and nothing is restored yet. */
  function saveAfterCheckpoint(name: string): void {
    const { tracker } = world;
    const withFileLocks = tracker.withFileLocks.bind(tracker);
    tracker.withFileLocks = async (paths, job) => {
      await writeFile(world.at(name), 'user\n');
      return withFileLocks(paths, job);
    };
  }

  it('stays, and is named, if the checkpoint for the undo lacks it', async () => {
    saveAfterCheckpoint('a.txt');
    const { done, problems, undoId = '' } = await world.checkpoints.restore('s', 0);
    assert.deepEqual(done, [world.at('b.txt')]);
    assert.deepEqual(problems, [{ path: world.at('a.txt'), message: CHANGED }]);
    assert.deepEqual(await filesOf(world.folder), { ...BEFORE, 'a.txt': '- user\n' });
    assert.notEqual(undoId, '');
  });

  it('stays also when a restore is undone', async () => {
    const { undoId = '' } = await world.checkpoints.restore('s', 0);
    saveAfterCheckpoint('a.txt');
    const { problems } = await world.checkpoints.undoRestore('s', undoId);
    assert.deepEqual(problems, [{ path: world.at('a.txt'), message: CHANGED }]);
    assert.deepEqual(await filesOf(world.folder), { ...AFTER, 'a.txt': '- user\n' });
  });

  it('stays also when a restore that a crash has cut off is finished', async () => {
    const reached = createDeferred<void>();
    Object.assign(world.files, {
      write: async () => {
        reached.resolve();
        await new Promise(() => undefined);
      },
    });
    void world.checkpoints.restore('s', 0);
    await reached.promise;
    // The crash came after the first file.
    await writeFile(world.at('a.txt'), 'before\n');
    world = await DiskWorld.reopen(world.base);
    const [change] = await world.checkpoints.endInterrupted();
    saveAfterCheckpoint('b.txt');
    const { problems } = await world.checkpoints.finishRestore('s', change?.undoId ?? '');
    assert.deepEqual(problems, [{ path: world.at('b.txt'), message: CHANGED }]);
    assert.deepEqual(await filesOf(world.folder), { ...BEFORE, 'b.txt': '- user\n' });
  });
});

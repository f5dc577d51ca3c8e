import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { nullLogger } from '../../../src/base/logger';
import { TrackedReview } from '../../../src/review/trackedReview';
import { ChangeTracker } from '../../../src/review/tracking/changeTracker';
import { ModifiedFiles } from '../../../src/review/tracking/modifiedFiles';
import { OverlapTarget } from '../../fuzz/overlapTarget';
import { DiskWorld } from './diskWorld';
import { MemoryFiles } from './memoryFiles';
import { byAgent } from './otherWork';

describe('overlapping operations of the review', () => {
  it('list what agents wrote, and nothing else, in any order', async () => {
    await fc.assert(new OverlapTarget().property(), { seed: 1, numRuns: 150 });
  });
});

describe('a write of the agent', () => {
  for (const [when, act] of [
    ['during a Keep', (review: TrackedReview) => review.keepFile('/w/a')],
    ['right after an Undo', (review: TrackedReview) => review.undoFile('/w/a')],
  ] as const) {
    it(`${when} is under review`, async () => {
      const [files, modifiedFiles] = [new MemoryFiles(), new ModifiedFiles((path) => path)];
      const tracker = new ChangeTracker(modifiedFiles, files, files, byAgent(), nullLogger);
      const review = new TrackedReview(modifiedFiles, tracker, files);
      const writes = (bytes: string): void => files.put('/w/a', { mode: '100644', bytes });
      writes('start\n');
      files.takeSnapshot();
      writes('agent\n');
      await tracker.scan();
      // The first look at the file is before the step.
      const looks = [() => undefined, () => writes('again\n')];
      const disk = files.disk.bind(files);
      files.disk = async (path) => {
        looks.shift()?.();
        return disk(path);
      };
      await act(review);
      await tracker.refreshFile('/w/a');
      assert.equal(modifiedFiles.file('/w/a')?.status, 'changed');
      await review.undoAll();
      assert.equal(files.onDisk.get('/w/a')?.bytes, when === 'during a Keep' ? 'agent\n' : 'start\n');
      review.dispose();
      modifiedFiles.dispose();
    });
  }
});

describe('the start of a turn', () => {
  let world: DiskWorld;

  beforeEach(async () => {
    world = await DiskWorld.open();
    for (const name of ['a.txt', 'b.txt']) await put(name, 'old\n');
  });

  afterEach(() => world.close());

  const put = (name: string, text: string): Promise<void> => writeFile(world.at(name), text);
  const changes = (): string[] => world.review.files().map(({ label, sessions }) => `${label} ${sessions.join()}`);

  it('leaves to the person what they write while it is recorded', async () => {
    world.atCheckpoint = async (when) => (when === 'stored' ? put('a.txt', 'mine\n') : undefined);
    await world.turn(() => put('b.txt', 'agent\n'));
    assert.deepEqual(changes(), ['b.txt s']);
    await world.review.undoAll();
    assert.equal(await readFile(world.at('a.txt'), 'utf8'), 'mine\n');
  });

  for (const when of ['begins', 'stored'] as const) {
    it(`of another session loses no change of an agent while its checkpoint ${when === 'begins' ? 'begins' : 'is stored'}`, async () => {
      await world.turn(async () => {
        world.atCheckpoint = async (now) => (now === when ? put('a.txt', 'agent\n') : undefined);
        await world.turn(() => put('b.txt', 'both\n'), 0, 'other');
      });
      assert.deepEqual(changes(), ['a.txt s', 'b.txt s,other']);
      await world.review.undoAll();
      assert.equal(await readFile(world.at('a.txt'), 'utf8'), 'old\n');
    });
  }
});

import assert from 'node:assert/strict';
import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { folderSize } from '../../../src/review/storage/blobStore';
import { runGit } from '../../kit/runGit';
import { DiskWorld } from './diskWorld';

const TWO_GB = 2 * 1024 ** 3;

describe('a review in an unusual workspace', () => {
  let world: DiskWorld;

  beforeEach(async () => (world = await DiskWorld.open()));
  afterEach(() => world.close());

  const read = (name: string): Promise<string> => readFile(world.at(name), 'utf8');
  const sparse = async (name: string): Promise<void> => {
    await writeFile(world.at(name), 'start\n');
    await truncate(world.at(name), TWO_GB);
  };
  const changed = (): string[] => world.review.files('s').map(({ label }) => label);

  it('works beside files of 2 GB, which it neither copies nor deletes', async () => {
    await sparse('image.bin');
    await writeFile(world.at('a.txt'), 'before\n');
    await world.begin(0);
    await writeFile(world.at('a.txt'), 'after\n');
    // The agent changes one file and creates another.
    await truncate(world.at('image.bin'), TWO_GB + 1);
    await sparse('made.bin');
    await world.end();
    assert.deepEqual(changed(), ['a.txt']);
    const restored = await world.checkpoints.restore('s', 0);
    assert.equal(await read('a.txt'), 'before\n');
    assert.equal((await stat(world.at('image.bin'))).size, TWO_GB + 1);
    assert.equal((await stat(world.at('made.bin'))).size, TWO_GB);
    const untouched = { path: world.at('made.bin'), message: 'Not changed: the file is now larger than 10 MiB.' };
    assert.deepEqual(restored.problems, [untouched]);
    assert.ok(restored.undoId);
    assert.deepEqual((await world.checkpoints.undoRestore('s', restored.undoId)).problems, [untouched]);
    assert.equal(await read('a.txt'), 'after\n');
    assert.ok((await folderSize(world.storage)) < 10_000_000, 'nothing of them is stored');
  });

  it('works during a rebase, and does not change the rebase', async () => {
    const git = (...args: string[]): string => runGit(world.folder, '-c', 'core.editor=true', ...args);
    const commit = async (text: string, name = 'a.txt'): Promise<void> => {
      await writeFile(world.at(name), text);
      git('add', '-A');
      git('commit', '-qm', text);
    };
    git('init', '-q', '-b', 'main');
    await commit('base\n');
    git('checkout', '-qb', 'mine');
    await commit('mine\n');
    await commit('later\n', 'b.txt');
    git('checkout', '-q', 'main');
    await commit('theirs\n');
    git('checkout', '-q', 'mine');
    assert.throws(() => git('rebase', '-q', 'main'));
    const [conflict, status] = [await read('a.txt'), git('status', '--porcelain=v2', '--branch')];
    assert.match(conflict, /<<<<<<< /);

    await world.begin(0);
    await writeFile(world.at('a.txt'), 'theirs and mine\n');
    await writeFile(world.at('new.txt'), 'new\n');
    await world.end();
    assert.deepEqual(changed(), ['a.txt', 'new.txt']);
    assert.deepEqual((await world.review.undoAll('s')).problems, []);
    assert.equal(await read('a.txt'), conflict);
    assert.equal(git('status', '--porcelain=v2', '--branch'), status);

    await world.begin(1);
    await writeFile(world.at('a.txt'), 'theirs and mine\n');
    await world.end();
    await world.review.keepAll('s');
    // The user continues, and the files change with the branch.
    git('add', 'a.txt');
    git('rebase', '--continue');
    assert.equal(git('status', '--porcelain'), '');
    const restored = await world.checkpoints.restore('s', 0);
    assert.deepEqual(restored.problems, []);
    assert.equal(await read('a.txt'), conflict);
    assert.equal(git('log', '-1', '--format=%s').trim(), 'later', 'history stays as it is');
    assert.deepEqual((await world.checkpoints.undoRestore('s', restored.undoId ?? '')).problems, []);
    assert.equal(git('status', '--porcelain'), '');
  });
});

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, open, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { diskUsage } from '../../../src/worktrees/ignoredFiles';
import { MAX_UNTRACKED } from '../../../src/worktrees/largeFiles';
import type { WorktreeRecord } from '../../../src/worktrees/worktreeRecord';
import { runGit } from '../../kit/runGit';
import { WorktreeBench } from './worktreeBench';

const MB = 1024 * 1024;

describe('large files of a worktree', () => {
  let bench: WorktreeBench;
  let worktree: WorktreeRecord;

  beforeEach(async () => {
    bench = await WorktreeBench.open();
  });

  afterEach(() => bench.close());

  /** Takes no room on disk. */
  async function sparse(name: string, bytes: number): Promise<void> {
    const file = await open(join(worktree.path, name), 'w');
    await file.truncate(bytes);
    await file.close();
  }

  async function stored(): Promise<number> {
    const objects = join(dirname(worktree.path), '.parley.git', 'objects');
    return (await diskUsage(objects, AbortSignal.timeout(60_000))).bytes;
  }

  it('are named and count as work, but are not read', async () => {
    worktree = await bench.create();
    await sparse('data.bin', MAX_UNTRACKED + 1);
    await bench.write('new.txt', '1', worktree.path);
    assert.deepEqual(
      (await bench.worktrees.changes(worktree)).map(({ name, isLarge, isSpecial }) => ({ name, isLarge, isSpecial })),
      [
        { name: 'new.txt', isLarge: undefined, isSpecial: false },
        { name: 'data.bin', isLarge: true, isSpecial: false },
      ],
    );
    assert.deepEqual((await bench.worktrees.work(worktree)).uncommitted, ['data.bin', 'new.txt']);
    bench.worktrees.dispose();
    const next = await bench.window();
    await next.cleanUp(() => false);
    assert.equal(existsSync(join(worktree.path, 'data.bin')), true);
    next.dispose();
  });

  it('are stored once, when their content is requested', async () => {
    worktree = await bench.create();
    const path = join(worktree.path, 'events.log');
    const before = await stored();
    const line = Buffer.alloc(100_000, 'x');
    await writeFile(path, Buffer.alloc(2 * MB, 'a'));
    for (let time = 0; time < 5; time++) {
      await appendFile(path, line);
      assert.deepEqual(await bench.changes(worktree), ['added events.log']);
    }
    const small = 20_000;
    assert.ok((await stored()) - before < small, 'only trees');
    const [change] = await bench.worktrees.changes(worktree);
    assert.ok(change);
    const { after } = await bench.worktrees.bytes(worktree, change);
    assert.equal(after?.length, 2 * MB + 5 * line.length);
    await appendFile(path, line);
    const [grown] = await bench.worktrees.changes(worktree);
    await appendFile(path, line);
    await assert.rejects(bench.worktrees.bytes(worktree, grown ?? assert.fail()), /changed in the meantime/);
    await rm(path);
    assert.deepEqual(await bench.changes(worktree), []);
  });

  it('stay in the list when they grow beyond the limit', async () => {
    worktree = await bench.create();
    await sparse('data.bin', 2 * MB);
    assert.deepEqual(await bench.changes(worktree), ['added data.bin']);
    await truncate(join(worktree.path, 'data.bin'), MAX_UNTRACKED + 1);
    assert.equal((await bench.worktrees.changes(worktree))[0]?.isLarge, true);
    await truncate(join(worktree.path, 'data.bin'), 2 * MB);
    assert.equal((await bench.worktrees.changes(worktree))[0]?.isLarge, undefined);
  });

  it('are compared if git tracks them, of any size', async () => {
    await bench.write('model.bin', Buffer.alloc(2 * MB));
    await bench.write('same.bin', Buffer.alloc(2 * MB, 1));
    bench.commit('models');
    worktree = await bench.create();
    await truncate(join(worktree.path, 'model.bin'), MAX_UNTRACKED + 1);
    await bench.write('build/out.bin', '', worktree.path);
    await sparse('build/out.bin', MAX_UNTRACKED + 1);
    runGit(worktree.path, 'add', '-f', 'build/out.bin');
    const before = await stored();
    assert.deepEqual(await bench.changes(worktree), ['added build/out.bin', 'modified model.bin']);
    assert.ok((await stored()) - before < 20_000, 'not stored');
    await writeFile(join(worktree.path, 'model.bin'), Buffer.alloc(2 * MB));
    assert.deepEqual(await bench.changes(worktree), ['added build/out.bin']);
  });

  it('may replace a folder, and be replaced by one', async () => {
    await bench.write('data/x', '1');
    await bench.write('file', Buffer.alloc(2 * MB));
    bench.commit('folder');
    worktree = await bench.create();
    await rm(join(worktree.path, 'data'), { recursive: true });
    await sparse('data', 2 * MB);
    await rm(join(worktree.path, 'file'));
    await bench.write('file/:(top)y*', Buffer.alloc(2 * MB), worktree.path);
    const changes = ['added data', 'deleted data/x', 'deleted file', 'added file/:(top)y*'];
    assert.deepEqual(await bench.changes(worktree), changes);
    assert.deepEqual(await bench.changes(worktree), changes, 'also from the stored index');
  });
});

import assert from 'node:assert/strict';
import { readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runGit } from '../../kit/runGit';
import { takeAll } from '../ui/worktrees/takeBench';
import { WorktreeBench } from './worktreeBench';

describe('a worktree whose base was pruned', function () {
  this.timeout(60_000);
  let bench: WorktreeBench;

  beforeEach(async () => {
    bench = await WorktreeBench.open();
    await bench.write('gone.txt', 'gone\n');
    await bench.write('lib/kept.txt', 'kept\n');
    bench.commit('files');
  });

  afterEach(() => bench.close());

  const objects = (): string => join(bench.folder, '.git/objects');

  const LOSSES: Readonly<Record<string, () => Promise<unknown>>> = {
    'by rm -rf .git && git init': async () => {
      await rm(join(bench.folder, '.git'), { recursive: true });
      bench.git('init', '-q');
    },
    'by an amended commit and git gc': async () => {
      await bench.write('a.txt', 'amended\n');
      bench.git('checkout', '-q', '--orphan', 'other');
      bench.commit('amended');
      bench.git('branch', '-D', 'main');
      bench.git('worktree', 'prune');
      for (const name of await readdir(join(bench.folder, '.git/worktrees')).catch(() => []))
        await rm(join(bench.folder, '.git/worktrees', name), { recursive: true });
      for (const branch of ['parley/fix-the-login']) bench.git('branch', '-D', branch);
      bench.git('reflog', 'expire', '--expire=now', '--all');
      bench.git('gc', '-q', '--prune=now');
      await bench.write('a.txt', 'one\ntwo\nthree\n');
    },
    'by emptied objects': async () => {
      await rm(objects(), { recursive: true });
    },
    'by deleted alternates': async () => {
      await rm(join(objects(), 'info/alternates'));
    },
  };

  for (const [how, lose] of Object.entries(LOSSES)) {
    it(`still shows its changes, and they can be taken, ${how}`, async () => {
      if (how.includes('alternates')) {
        const elsewhere = join(bench.base, 'elsewhere');
        await rename(objects(), elsewhere);
        bench.git('init', '-q');
        await writeFile(join(objects(), 'info/alternates'), `${elsewhere}\n`);
      }
      const record = await bench.create();
      await bench.write('a.txt', 'one\nTWO\nthree\n', record.path);
      await bench.write('new.txt', 'new\n', record.path);
      await rm(join(record.path, 'gone.txt'));
      runGit(record.path, 'add', '-A');
      runGit(record.path, 'commit', '-qm', 'of the agent');
      await bench.write('later.txt', 'later\n', record.path);
      const changes = ['modified a.txt', 'deleted gone.txt', 'added later.txt', 'added new.txt'];
      assert.deepEqual(await bench.changes(record), changes);
      await lose();

      assert.deepEqual(await bench.changes(record), changes);
      const next = await bench.window();
      const changed = (await next.changes(record)).find(({ name }) => name === 'a.txt') ?? assert.fail('not listed');
      const { before, after } = await next.bytes(record, changed);
      const texts = [before, after].map((bytes) => bytes && Buffer.from(bytes).toString());
      assert.deepEqual(texts, ['one\ntwo\nthree\n', 'one\nTWO\nthree\n']);
      assert.deepEqual(await takeAll({ program: 'git', bench, worktrees: next }, record), []);
      assert.equal(await readFile(join(bench.folder, 'a.txt'), 'utf8'), 'one\nTWO\nthree\n');
      assert.equal(await readFile(join(bench.folder, 'later.txt'), 'utf8'), 'later\n');
      await assert.rejects(readFile(join(bench.folder, 'gone.txt')), { code: 'ENOENT' });
      next.dispose();
    });
  }

  it('lists its commits and its work before Discard while the base is there', async () => {
    const record = await bench.create();
    await bench.write('new.txt', 'new\n', record.path);
    runGit(record.path, 'add', '-A');
    runGit(record.path, 'commit', '-qm', 'of the agent');
    await bench.write('later.txt', 'later\n', record.path);
    const { uncommitted, commits } = await bench.worktrees.work(record);
    assert.deepEqual([uncommitted, commits.length], [['later.txt'], 1]);
  });
});

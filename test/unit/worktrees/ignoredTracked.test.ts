import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runGit } from '../../kit/runGit';
import { WorktreeBench } from './worktreeBench';

describe('a file of a worktree that git tracks although a rule ignores it', () => {
  let bench: WorktreeBench;
  let path: string;
  let changes: () => Promise<string[]>;

  beforeEach(async () => {
    bench = await WorktreeBench.open();
  });

  afterEach(() => bench.close());

  const git = (...args: string[]): string => runGit(path, '-c', 'advice.addEmbeddedRepo=false', ...args);

  async function create(): Promise<void> {
    const worktree = await bench.create();
    ({ path } = worktree);
    changes = () => bench.changes(worktree);
  }

  it('is listed once the agent has added it, and what git ignores is not', async () => {
    await create();
    await bench.write('b.txt', 'b\n', path);
    for (const name of ['out', 'left', 'staged']) await bench.write(`build/${name}.txt`, 'agent\n', path);
    git('add', '-A');
    git('add', '-f', 'build/out.txt');
    git('commit', '-qm', 'agent');
    git('add', '-f', 'build/staged.txt');
    const added = ['added b.txt', 'added build/out.txt', 'added build/staged.txt'];
    assert.deepEqual(await changes(), added);
    await rm(join(path, 'build/out.txt'));
    assert.deepEqual(await changes(), added.toSpliced(1, 1));
    git('checkout', '-q', '--', 'build/out.txt');
    assert.deepEqual(await changes(), added);
  });

  it('is listed if it was away for a moment', async () => {
    await bench.write('build/out.txt', 'first\n');
    bench.git('add', '-f', 'build/out.txt');
    bench.commit('forced');
    await create();
    assert.deepEqual(await changes(), []);
    await rm(join(path, 'build/out.txt'));
    assert.deepEqual(await changes(), ['deleted build/out.txt']);
    await bench.write('build/out.txt', 'agent\n', path);
    assert.deepEqual(await changes(), ['modified build/out.txt']);
  });

  it('can be a nested repository, whose programs do not run', async () => {
    await create();
    const trace = join(bench.base, 'ran');
    await bench.write('build/sub/x.txt', 'one', path);
    const nested = join(path, 'build/sub');
    runGit(nested, 'init', '-q');
    runGit(nested, 'add', '-A');
    runGit(nested, 'commit', '-qm', 'nested');
    runGit(nested, 'config', 'filter.evil.clean', `touch '${trace}'; cat`);
    git('add', '-f', 'build/sub');
    await bench.write('build/sub/.gitattributes', '* filter=evil\n', path);
    await bench.write('build/sub/x.txt', 'two', path);
    for (let time = 0; time < 2; time++) assert.deepEqual(await changes(), ['added build/sub']);
    assert.equal(existsSync(trace), false);
  });

  it('is not one outside of the worktree or beyond a link, whatever its index says', async () => {
    await create();
    await bench.write('.gitignore', '*\n', path);
    const file = join(git('rev-parse', '--absolute-git-dir').trim(), 'index');
    const before = await readFile(file, 'latin1');
    await mkdir(join(bench.base, 'outside'));
    await writeFile(join(bench.base, 'outside/file'), 'secret\n');
    await symlink(join(bench.base, 'outside'), join(path, '-link'));
    await writeFile(join(path, '../probe.x'), 'secret\n');
    for (const name of ['../probe.x', '-link/file']) {
      await writeFile(file, before.replace('.gitignore', name), 'latin1');
      assert.ok(git('ls-files', '-z').includes(name));
      assert.deepEqual(await changes(), ['modified .gitignore']);
    }
    await writeFile(file, 'no index');
    assert.deepEqual(await changes(), ['modified .gitignore']);
  });
});

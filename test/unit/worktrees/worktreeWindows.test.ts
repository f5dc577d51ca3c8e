import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import files, { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RepositoryWorktrees } from '../../../src/worktrees/repositoryWorktrees';
import { runGit } from '../../kit/runGit';
import { NOTHING_LEFT, WorktreeBench, onlyWithSh } from './worktreeBench';

/** The owner of a worktree: a workspace, a window, a repository. */
describe('worktrees of several windows', () => {
  let bench: WorktreeBench;
  let opened: RepositoryWorktrees[];

  beforeEach(async () => {
    bench = await WorktreeBench.open();
    opened = [];
  });

  afterEach(async () => {
    for (const window of opened) window.dispose();
    await bench.close();
  });

  async function window(program?: string, owner?: string, folder?: string): Promise<RepositoryWorktrees> {
    const one = await bench.window(program, undefined, owner, folder);
    opened.push(one);
    return one;
  }

  it('are not removed by a window of another workspace, which does not know their sessions', async () => {
    const worktree = await bench.create();
    bench.worktrees.dispose();
    const parent = await window('git', 'parent folder', bench.base);
    assert.deepEqual(
      parent.usable().map(({ id }) => id),
      [worktree.id],
      'it is listed',
    );
    await parent.cleanUp(() => false);
    assert.equal(existsSync(worktree.path), true);
    await (await window()).cleanUp(() => false);
    assert.deepEqual(bench.left(), NOTHING_LEFT);
  });

  onlyWithSh('a worktree that another window has taken since it was looked at is not removed', async () => {
    const worktree = await bench.create();
    bench.worktrees.dispose();
    const other = await window();
    const record = join(bench.storage, worktree.id, 'worktree.json');
    // The other window has a session in it while this one requests git's list, and is closed before this one acquires the lock.
    const used = JSON.stringify({ ...JSON.parse(await readFile(record, 'utf8')), session: 'session-1' });
    await writeFile(join(bench.base, 'used.json'), used);
    const program = join(bench.base, 'git.sh');
    const script = `#!/bin/sh\ncase "$*" in *"worktree list"*) cp '${bench.base}/used.json' '${record}';; esac\nexec git "$@"\n`;
    await writeFile(program, script, { mode: 0o755 });
    await (await window(program)).cleanUp((session) => session === 'session-1');
    assert.equal(existsSync(worktree.path), true);
    assert.equal(other.reserve(worktree.path), true);
  });

  it('are locked by a window on them: others cannot send there or discard them', async () => {
    const worktree = await bench.create();
    bench.worktrees.dispose();
    const own = await window('git', 'the worktree', join(worktree.path));
    const other = await window();
    assert.equal(other.reserve(join(worktree.path, 'src')), false);
    await assert.rejects(other.discard(worktree.id), /Another window is using this worktree/);
    assert.equal(own.reserve(worktree.path), true);
    assert.equal(own.reserve(bench.folder), true, 'no worktree');
    own.dispose();
    assert.equal(other.reserve(worktree.path), true);
  });

  it('are found when their folder is added later', async () => {
    const worktree = await bench.create();
    bench.worktrees.dispose();
    const elsewhere = join(bench.base, 'elsewhere');
    await mkdir(elsewhere);
    const late = await window('git', 'workspace', elsewhere);
    assert.deepEqual(late.usable(), []);
    let told = 0;
    late.onDidChange(() => told++);
    await late.setFolders([elsewhere, bench.folder]);
    assert.deepEqual(
      late.usable().map(({ id }) => id),
      [worktree.id],
    );
    assert.equal(told, 1);
    await late.setFolders([elsewhere]);
    assert.deepEqual(late.usable(), []);
  });

  onlyWithSh('opening runs no git: the folder of another repository may not answer', async () => {
    const worktree = await bench.create();
    bench.worktrees.dispose();
    const record = join(bench.storage, worktree.id, 'worktree.json');
    const dead = { ...JSON.parse(await readFile(record, 'utf8')), repository: join(bench.base, 'dead') };
    await writeFile(record, JSON.stringify(dead));
    const program = join(bench.base, 'git.sh');
    await writeFile(program, `#!/bin/sh\n: > '${bench.base}/ran'\nexec git "$@"\n`, { mode: 0o755 });
    const one = await window(program);
    assert.equal(existsSync(join(bench.base, 'ran')), false);
    assert.deepEqual(one.usable(), []);
  });

  it('are not shared with a copy of their repository', async () => {
    const worktree = await bench.create();
    bench.worktrees.dispose();
    const copy = join(bench.base, 'copy');
    execFileSync('cp', ['-r', bench.folder, copy]);
    const other = await window('git', 'copy', copy);
    await other.cleanUp(() => false);
    assert.deepEqual(other.usable(), []);
    assert.equal((await window()).get(worktree.id)?.repository, bench.folder);
  });

  it('stay known while their records cannot be read', async () => {
    const worktree = await bench.create();
    bench.worktrees.dispose();
    const other = await window();
    const { readdir, readFile: read } = files;
    const fail = (): Promise<never> =>
      Promise.reject(Object.assign(new Error('too many open files'), { code: 'EMFILE' }));
    for (const broken of [{ readdir: fail }, { readFile: fail }]) {
      Object.assign(files, broken);
      try {
        await other.refresh();
      } finally {
        Object.assign(files, { readdir, readFile: read });
      }
      assert.deepEqual(
        other.usable().map(({ id }) => id),
        [worktree.id],
      );
    }
    await rm(join(worktree.path, '..'), { recursive: true });
    await other.refresh();
    assert.deepEqual(other.usable(), []);
  });

  it('are not discarded if they contain work that the user did not confirm', async () => {
    const worktree = await bench.create();
    await bench.write('one.txt', '1', worktree.path);
    const agreed = await bench.worktrees.work(worktree);
    await bench.write('two.txt', '2', worktree.path);
    assert.equal(await bench.worktrees.discard(worktree.id, agreed), 'changed');
    assert.equal(await readFile(join(worktree.path, 'two.txt'), 'utf8'), '2');
    assert.equal(await bench.worktrees.discard(worktree.id, await bench.worktrees.work(worktree)), 'discarded');
    assert.deepEqual(bench.left(), NOTHING_LEFT);
  });

  onlyWithSh('a discard that git refuses leaves every file', async () => {
    const worktree = await bench.create();
    await bench.write('one.txt', '1', worktree.path);
    bench.worktrees.dispose();
    const program = join(bench.base, 'git.sh');
    const script = '#!/bin/sh\ncase "$*" in *"worktree remove"*) echo broken >&2; exit 1;; esac\nexec git "$@"\n';
    await writeFile(program, script, { mode: 0o755 });
    const one = await window(program);
    await assert.rejects(one.discard(worktree.id), /broken/);
    assert.equal(await readFile(join(worktree.path, 'one.txt'), 'utf8'), '1');
    assert.deepEqual((await one.work(worktree)).uncommitted, ['one.txt']);
    assert.deepEqual(
      one.usable().map(({ id }) => id),
      [worktree.id],
    );
  });

  it('cannot be discarded without their repository, which is reported', async () => {
    const worktree = await bench.create();
    const away = join(bench.base, 'away');
    await rename(bench.folder, away);
    assert.equal(await bench.worktrees.discard(worktree.id), 'noRepository');
    await rename(away, bench.folder);
    assert.equal(existsSync(worktree.path), false);
  });

  it('are discarded with a branch that the agent renamed, but not one that it checked out', async () => {
    const [renamed, switched] = [await bench.create(), await bench.create()];
    runGit(renamed.path, 'commit', '-qm', 'own work', '--allow-empty');
    runGit(renamed.path, 'branch', '-m', 'feature/login');
    bench.git('branch', 'of-the-user');
    runGit(switched.path, 'checkout', '-q', 'of-the-user');
    runGit(switched.path, 'branch', '-qD', switched.branch);
    assert.match((await bench.worktrees.work(renamed)).commits.join(), /own work$/);
    for (const { id } of [renamed, switched]) await bench.worktrees.discard(id);
    assert.deepEqual(bench.git('branch', '--format=%(refname:short)').trim().split('\n'), ['main', 'of-the-user']);
    bench.git('branch', '-D', 'of-the-user');
    assert.deepEqual(bench.left(), NOTHING_LEFT);
  });

  it('are found and discarded with a branch whose name Git could read as an option', async () => {
    const worktree = await bench.create();
    // Git itself renames no branch to this.
    const log = runGit(worktree.path, 'rev-parse', '--path-format=absolute', '--git-path', 'logs/refs/heads').trim();
    const id = bench.git('rev-parse', worktree.branch).trim();
    await writeFile(
      join(log, '-x'),
      `${id} ${id} a <a@b> 1 +0000\tBranch: renamed refs/heads/${worktree.branch} to refs/heads/-x\n`,
    );
    bench.git('update-ref', 'refs/heads/-x', id);
    runGit(worktree.path, 'symbolic-ref', 'HEAD', 'refs/heads/-x');
    bench.git('update-ref', '-d', `refs/heads/${worktree.branch}`);
    bench.worktrees.dispose();
    const next = await window();
    await next.cleanUp(() => true);
    next.dispose();
    const last = await window();
    assert.deepEqual(
      last.usable().map(({ branch }) => branch),
      ['-x'],
    );
    await last.renameBranch(worktree.id, 'other words');
    assert.equal(bench.git('branch', '--format=%(refname:short)'), 'main\nparley/other-words\n');
    bench.git('update-ref', 'refs/heads/-x', id);
    runGit(worktree.path, 'symbolic-ref', 'HEAD', 'refs/heads/-x');
    bench.git('update-ref', '-d', 'refs/heads/parley/other-words');
    await last.discard(worktree.id);
    last.dispose();
    bench.git('update-ref', '-d', 'refs/heads/-x');
    assert.deepEqual(bench.left(), NOTHING_LEFT);
  });
});

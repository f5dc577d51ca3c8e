import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, readFile, readlink, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ParleyError } from '../../../src/base/errors';
import { nullLogger } from '../../../src/base/logger';
import { Git } from '../../../src/node/gitCommand';
import type { NewWorktree } from '../../../src/worktrees/createWorktree';
import { RepositoryWorktrees } from '../../../src/worktrees/repositoryWorktrees';
import type { WorktreeRecord } from '../../../src/worktrees/worktreeRecord';
import { removeFolder } from '../../host/workspace.mjs';
import { runGit } from '../../kit/runGit';
import { temporaryFolder } from '../../kit/temporaryFolder';
import { onlyWithSh } from './worktreeBench';

describe('worktrees', () => {
  let base: string;
  let folder: string;
  let worktrees: RepositoryWorktrees;

  beforeEach(async () => {
    base = temporaryFolder();
    folder = join(base, 'project');
    await mkdir(folder);
    git('init', '-q', '-b', 'main');
    await write('a.txt', 'one\ntwo\nthree\n');
    await write('.gitignore', '.env*\nbuild/\n');
    git('add', '-A');
    git('commit', '-qm', 'first');
    worktrees = await open();
  });

  afterEach(async () => {
    worktrees.dispose();
    await removeFolder(base);
  });

  const git = (...args: string[]): string => runGit(folder, ...args);
  const open = (at = folder): Promise<RepositoryWorktrees> => {
    const command = new Git('git', join(base, 'git'));
    return RepositoryWorktrees.open(command, nullLogger, join(base, 'storage'), 'workspace', [at]);
  };
  async function write(name: string, text: string | Buffer, at = folder): Promise<void> {
    await mkdir(dirname(join(at, name)), { recursive: true });
    await writeFile(join(at, name), text);
  }
  const create = async (more: Partial<NewWorktree> = {}): Promise<WorktreeRecord> =>
    (await worktrees.create({ folder, text: 'Fix the login', include: [], ...more })).worktree;
  const text = (worktree: WorktreeRecord, name: string): Promise<string> => readFile(join(worktree.path, name), 'utf8');
  /** Worktrees and branches that git and the disk still have. */
  const left = (): unknown => ({
    worktrees: git('worktree', 'list', '--porcelain').match(/^worktree .*/gm)?.length,
    branches: git('branch', '--format=%(refname:short)').trim().split('\n'),
    folders: readdirSync(join(base, 'storage')).filter((name) => name !== '.locks'),
  });
  const nothing = { worktrees: 1, branches: ['main'], folders: [] };

  it('contain the commit, uncommitted, untracked and selected ignored files, and links, but no deleted files', async () => {
    await write('gone.txt', 'x');
    await write('kept.bin', Buffer.from([0, 255, 13, 10]));
    git('add', '-A');
    git('commit', '-qm', 'second');
    await rm(join(folder, 'gone.txt'));
    await write('a.txt', 'one\nmine\nthree\n');
    await write('new/untracked ü\n.txt', 'mine');
    await write('staged.sh', 'echo');
    await chmod(join(folder, 'staged.sh'), 0o755);
    git('add', 'staged.sh');
    await symlink('a.txt', join(folder, 'link'));
    await write('.env.local', 'SECRET=1');
    await write('sub/.env', 'SECRET=2');
    await write('build/out.js', 'large');

    const worktree = await create({ include: ['.env*'] });

    assert.equal(worktree.branch, 'parley/fix-the-login');
    assert.equal(await text(worktree, 'a.txt'), 'one\nmine\nthree\n');
    assert.equal(await text(worktree, 'new/untracked ü\n.txt'), 'mine');
    assert.equal(await readlink(join(worktree.path, 'link')), 'a.txt');
    if (process.platform !== 'win32') assert.equal((await stat(join(worktree.path, 'staged.sh'))).mode & 0o111, 0o111);
    assert.deepEqual(await readFile(join(worktree.path, 'kept.bin')), Buffer.from([0, 255, 13, 10]));
    assert.equal(await text(worktree, '.env.local'), 'SECRET=1');
    assert.equal(await text(worktree, 'sub/.env'), 'SECRET=2');
    assert.deepEqual(
      ['gone.txt', 'build'].filter((name) => existsSync(join(worktree.path, name))),
      [],
    );
    assert.equal(git('status', '--porcelain').includes('a.txt'), true, 'the own work tree is as it was');
    assert.deepEqual(await worktrees.changes(worktree), [], 'the work of the user is not a change of the agent');
    assert.deepEqual(await worktrees.work(worktree), { uncommitted: [], commits: [], begun: [], ignored: [] });
  });

  it('link ignored folders, which are no work, and whose files outlive a discard', async () => {
    await write('.gitignore', '.env*\nbuild/\nnode_modules/\n');
    await write('node_modules/a/index.js', 'one');
    await write('node_modules/a/.env', 'SECRET=1');
    await write('sub [1]/node_modules/b.js', 'two');
    await write('sub [1]/c.txt', 'mine');
    await write('build/out.js', 'not named');
    const [worktree, other] = [
      await create({ link: ['node_modules', '/a.txt', '../'], include: ['.env*'] }),
      await create({ link: ['node_modules'] }),
    ];
    for (const name of ['node_modules', 'sub [1]/node_modules'])
      assert.equal(await readlink(join(worktree.path, name)).catch(() => 'none'), join(folder, name));
    assert.equal(existsSync(join(worktree.path, 'build')), false);
    const none = { uncommitted: [], commits: [], begun: [], ignored: [] };
    assert.deepEqual([await worktrees.changes(worktree), await worktrees.work(worktree)], [[], none]);
    const { bytes, isPartial } = await worktrees.size(worktree);
    assert.ok(bytes > 0 && !isPartial);

    await rm(join(worktree.path, 'node_modules'));
    await write('node_modules/own.js', 'of the agent', worktree.path);
    const { ignored } = await worktrees.work(worktree);
    assert.deepEqual(
      ignored.map(({ name, files }) => [name, files]),
      [['node_modules/', 1]],
      'a folder that has replaced the link is work',
    );
    await worktrees.discard(worktree.id);
    worktrees.dispose();
    worktrees = await open();
    await worktrees.cleanUp(() => false);
    assert.equal(existsSync(other.path), false, 'a worktree with links only is empty');
    const kept = ['node_modules/a/index.js', 'node_modules/a/.env', 'sub [1]/node_modules/b.js'];
    assert.deepEqual(await Promise.all(kept.map((name) => readFile(join(folder, name), 'utf8'))), [
      'one',
      'SECRET=1',
      'two',
    ]);
  });

  it('start from another branch, without uncommitted work but with ignored files', async () => {
    git('checkout', '-qb', 'release');
    await write('a.txt', 'released\n');
    git('commit', '-qam', 'a release');
    git('checkout', '-q', 'main');
    git('update-ref', 'refs/remotes/origin/topic', 'release');
    git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/topic');
    await write('a.txt', 'mine\n');
    await write('new.txt', 'mine\n');
    await write('.env', 'SECRET=1');
    await create();
    const bases = await worktrees.bases(folder);
    assert.deepEqual(
      bases.map(({ name }) => name),
      ['release', 'origin/topic'],
      'neither the current branch, nor those of Parley, nor origin/HEAD',
    );
    assert.equal(bases[0]?.subject, 'a release');

    const worktree = await create({ from: 'refs/heads/release', include: ['.env*'] });
    assert.equal(await text(worktree, 'a.txt'), 'released\n');
    assert.equal(await text(worktree, '.env'), 'SECRET=1');
    assert.equal(existsSync(join(worktree.path, 'new.txt')), false);
    assert.deepEqual(await worktrees.changes(worktree), []);
    assert.deepEqual(await worktrees.work(worktree), { uncommitted: [], commits: [], begun: [], ignored: [] });
    await assert.rejects(create({ from: 'refs/heads/gone' }));
  });

  it('contain the changes that the user hides from git with a flag of the index', async () => {
    for (const name of ['skipped.json', 'assumed.json', 'both.json']) await write(name, 'shared');
    git('add', '-A');
    git('commit', '-qm', 'settings');
    for (const name of ['skipped.json', 'both.json']) git('update-index', '--skip-worktree', name);
    for (const name of ['assumed.json', 'both.json']) git('update-index', '--assume-unchanged', name);
    for (const name of ['skipped.json', 'assumed.json', 'both.json']) await write(name, 'mine');
    const worktree = await create();
    for (const name of ['skipped.json', 'assumed.json', 'both.json']) assert.equal(await text(worktree, name), 'mine');
    assert.deepEqual(await worktrees.changes(worktree), [], 'the work of the user is not a change of the agent');
  });

  it('list the agent’s changes with the bytes before and after', async () => {
    await write('a.txt', 'one\nmine\nthree\n');
    const worktree = await create();
    await write('a.txt', 'one\nmine\nAGENT\n', worktree.path);
    await write('b.txt', 'new', worktree.path);
    await rm(join(worktree.path, '.gitignore'));
    const changes = await worktrees.changes(worktree);
    assert.deepEqual(
      changes.map(({ name, status }) => `${status} ${name}`),
      ['deleted .gitignore', 'modified a.txt', 'added b.txt'],
    );
    const sides = async (at: number): Promise<unknown> => {
      const { before, after } = await worktrees.bytes(worktree, changes[at] ?? assert.fail());
      return [before && Buffer.from(before).toString(), after && Buffer.from(after).toString()];
    };
    assert.deepEqual(await sides(0), ['.env*\nbuild/\n', undefined]);
    assert.deepEqual(await sides(1), ['one\nmine\nthree\n', 'one\nmine\nAGENT\n']);
    assert.deepEqual(await sides(2), [undefined, 'new']);
    const run = (...args: string[]): string => runGit(worktree.path, ...args);
    run('add', 'b.txt');
    run('commit', '-qm', 'by the agent');
    const { uncommitted, commits } = await worktrees.work(worktree);
    assert.deepEqual(uncommitted, ['.gitignore', 'a.txt']);
    assert.match(commits.join(), /by the agent$/);
    assert.equal((await worktrees.changes(worktree)).length, 3, 'a commit is a change as well');
  });

  it('leave nothing behind after a discard, even if the user has deleted a folder', async () => {
    const [one, two] = [await create(), await create()];
    assert.deepEqual([one.branch, two.branch], ['parley/fix-the-login', 'parley/fix-the-login-2']);
    await write('new.txt', 'uncommitted', one.path);
    await rm(two.path, { recursive: true });
    assert.deepEqual((await worktrees.work(one)).uncommitted, ['new.txt']);
    assert.deepEqual(await worktrees.work(two), { uncommitted: [], commits: [], begun: [], ignored: [] });
    for (const { id } of [one, two]) await worktrees.discard(id);
    assert.deepEqual(left(), nothing);
    assert.deepEqual(worktrees.usable(), []);
  });

  it('are found in the next window, which removes what a crash left behind', async () => {
    const kept = await create();
    await worktrees.assign(kept.id, 'session-1');
    const [cut, agreed] = [await create(), await create()];
    const record = (id: string): string => join(base, 'storage', id, 'worktree.json');
    const change = async (id: string, more: object): Promise<void> =>
      writeFile(record(id), JSON.stringify({ ...JSON.parse(await readFile(record(id), 'utf8')), ...more }));
    await change(cut.id, { isReady: false });
    await change(agreed.id, { isDiscarded: true });
    await write('not-a-record/worktree.json', '{', join(base, 'storage'));

    worktrees.dispose();
    const again = await open();
    assert.deepEqual(again.usable(), [{ ...kept, session: 'session-1' }]);
    await again.cleanUp((session) => session === 'session-1');
    assert.deepEqual(left(), {
      worktrees: 2,
      branches: ['main', 'parley/fix-the-login'],
      folders: [kept.id, 'not-a-record'].sort(),
    });
  });

  it('are removed if no session uses them and nothing changed in them', async () => {
    const [empty, changed, used] = [await create(), await create(), await create()];
    // The chat worked in the first one before.
    for (const { id } of [empty, used]) await worktrees.assign(id, 'session-1');
    await write('new.txt', '1', changed.path);
    worktrees.dispose();
    await (await open()).cleanUp((session) => session === 'session-1');
    assert.deepEqual(
      [empty, changed, used].map(({ path }) => existsSync(path)),
      [false, true, true],
    );
  });

  it('stay unchanged if git may not run', async () => {
    const cut = await create();
    const record = join(base, 'storage', cut.id, 'worktree.json');
    await writeFile(record, JSON.stringify({ ...JSON.parse(await readFile(record, 'utf8')), isReady: false }));
    worktrees.dispose();
    const untrusted = new Git('git', join(base, 'git'), () => false);
    const storage = join(base, 'storage');
    const other = await RepositoryWorktrees.open(untrusted, nullLogger, storage, 'workspace', [folder]);
    await other.cleanUp(() => false);
    assert.equal(existsSync(cut.path), true);
    await (await open()).cleanUp(() => false);
    assert.deepEqual(left(), nothing);
  });

  for (const step of ['worktree add', 'reset --hard', 'init -q', 'write-tree']) {
    onlyWithSh(`leave nothing behind when git fails at ${step}`, async () => {
      const program = join(base, 'git.sh');
      await writeFile(program, `#!/bin/sh\ncase "$*" in *"${step}"*) echo broken >&2; exit 1;; esac\nexec git "$@"\n`, {
        mode: 0o755,
      });
      const command = new Git(program, join(base, 'git'));
      const storage = join(base, 'storage');
      const broken = await RepositoryWorktrees.open(command, nullLogger, storage, 'workspace', [folder]);
      await assert.rejects(broken.create({ folder, text: 'x', include: [] }), /broken/);
      assert.deepEqual(left(), nothing);
    });
  }

  it('are separate for two windows that create and discard simultaneously', async () => {
    const other = await open();
    const made = await Promise.all(
      [worktrees, other, worktrees, other].map((each) => each.create({ folder, text: 'attempt', include: [] })),
    );
    assert.equal(new Set(made.map(({ worktree }) => worktree.branch)).size, 4);
    for (const each of [worktrees, other]) each.dispose();
    const third = await open();
    await Promise.all(made.map(({ worktree }) => third.discard(worktree.id)));
    assert.deepEqual(left(), nothing);
  });

  onlyWithSh('run no hook and no filter of the repository', async () => {
    const trace = join(base, 'ran');
    await write('.gitattributes', '*.dat filter=evil\n');
    await write('x.dat', 'as the user has it');
    git('add', '-A');
    git('commit', '-qm', 'data');
    for (const name of ['post-checkout', 'pre-commit', 'reference-transaction'])
      await writeFile(join(folder, '.git', 'hooks', name), `#!/bin/sh\ntouch '${trace}'\n`, { mode: 0o755 });
    for (const way of ['smudge', 'clean', 'process']) git('config', `filter.evil.${way}`, `touch '${trace}'; cat`);
    git('config', 'core.fsmonitor', `touch '${trace}'`);
    const worktree = await create();
    await write('x.dat', 'changed', worktree.path);
    assert.equal((await worktrees.changes(worktree)).length, 1);
    await worktrees.discard(worktree.id);
    assert.equal(existsSync(trace), false);
  });

  it('contain files of a filter such as LFS with the user’s content', async () => {
    await write('.gitattributes', '*.dat filter=lfs\n');
    await write('x.dat', 'pointer');
    git('-c', 'filter.lfs.clean=', 'add', '-A');
    git('commit', '-qm', 'data');
    await write('x.dat', 'the large file');
    const worktree = await create();
    assert.equal(await text(worktree, 'x.dat'), 'the large file');
    assert.deepEqual(await worktrees.changes(worktree), []);
  });

  it('are found after their repository was moved', async () => {
    const worktree = await create();
    worktrees.dispose();
    const moved = join(base, 'elsewhere');
    await rename(folder, moved);
    folder = moved;
    const again = await open(moved);
    await again.cleanUp(() => true);
    assert.deepEqual(
      again.usable().map(({ id, repository }) => ({ id, repository })),
      [{ id: worktree.id, repository: moved }],
    );
    await write('b.txt', 'new', worktree.path);
    assert.equal((await again.changes(again.get(worktree.id) ?? assert.fail())).length, 1);
    await again.discard(worktree.id);
    assert.deepEqual(left(), nothing);
  });

  it('rename the branch after the first message, unless it is gone', async () => {
    const worktree = await create({ text: '' });
    assert.equal(worktree.branch, 'parley/chat');
    await worktrees.renameBranch(worktree.id, 'Add tests, please!');
    assert.equal(worktrees.get(worktree.id)?.branch, 'parley/add-tests-please');
    git('-C', worktree.path, 'checkout', '-q', '--detach');
    git('branch', '-qD', 'parley/add-tests-please');
    await worktrees.renameBranch(worktree.id, 'Something else');
    assert.equal(worktrees.get(worktree.id)?.branch, 'parley/add-tests-please');
    await worktrees.discard(worktree.id);
    assert.deepEqual(left(), nothing);
  });

  it('keep unique branches when the attempts of a race are renamed simultaneously', async () => {
    const all = [await create({}), await create({}), await create({}), await create({})];
    await Promise.all(all.map(({ id }) => worktrees.renameBranch(id, 'Add tests')));
    const heads = all.map(({ path }) => git('-C', path, 'branch', '--show-current').trim());
    assert.deepEqual(
      heads.toSorted(),
      [1, 2, 3, 4].map((at) => `parley/add-tests${at === 1 ? '' : `-${at}`}`),
    );
    assert.deepEqual(
      all.map(({ id }) => worktrees.get(id)?.branch),
      heads,
    );
    for (const { id } of all) await worktrees.discard(id);
    assert.deepEqual(left(), nothing);
  });

  it('map a subfolder of the repository', async () => {
    await write('packages/app/index.ts', '1');
    const worktree = await create({ folder: join(folder, 'packages', 'app') });
    assert.equal(worktrees.workingFolder(worktree), join(worktree.path, 'packages', 'app'));
    assert.equal(worktrees.around(join(worktree.path, 'packages'))?.id, worktree.id);
    assert.equal(worktrees.around(folder), undefined);
  });

  it('give the reason if they cannot be created: no repository, no commit, a bare one, too many ignored files', async () => {
    const why = (at: string, include: readonly string[] = []): Promise<string> =>
      worktrees.create({ folder: at, text: 'x', include }).then(
        () => assert.fail('created'),
        (error: unknown) => (ParleyError.is(error, 'badInput') ? `${error.message}. ${error.nextStep}` : String(error)),
      );
    const plain = join(base, 'plain');
    await mkdir(plain);
    assert.match(
      await why(plain),
      /is not in the working tree of a Git repository.*Worktrees require a Git repository that is not bare/,
    );
    runGit(plain, 'init', '-q');
    assert.match(await why(plain), /has no commits yet\. Commit once/);
    const bare = join(base, 'bare.git');
    runGit(folder, 'clone', '-q', '--bare', folder, bare);
    assert.match(await why(bare), /is not in the working tree of a Git repository/);
    assert.deepEqual(left(), nothing);
  });

  it('are canceled by a signal, and leave nothing behind', async () => {
    const stop = new AbortController();
    const creating = worktrees.create({ folder, text: 'x', include: [] }, stop.signal);
    stop.abort();
    await assert.rejects(
      creating,
      (error) => ParleyError.is(error, 'canceled') || (error as Error).name === 'AbortError',
    );
    assert.deepEqual(left(), nothing);
  });
});

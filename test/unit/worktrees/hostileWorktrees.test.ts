import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, readdir, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Git } from '../../../src/node/gitCommand';
import type { RepositoryWorktrees } from '../../../src/worktrees/repositoryWorktrees';
import type { WorktreeRecord } from '../../../src/worktrees/worktreeRecord';
import { runGit } from '../../kit/runGit';
import { NOTHING_LEFT, WorktreeBench, onlyWithSh } from './worktreeBench';

/** Unusual and hostile worktrees and repositories. Each worktree can be read and is removed completely. */
describe('hostile worktrees', () => {
  let bench: WorktreeBench;

  beforeEach(async () => {
    bench = await WorktreeBench.open();
  });

  afterEach(() => bench.close());

  const text = (worktree: WorktreeRecord, name: string): Promise<string> => readFile(join(worktree.path, name), 'utf8');

  const tampered: Readonly<Record<string, (path: string) => Promise<void>>> = {
    'is deleted': (path) => rm(join(path, '.git')),
    'is garbage': (path) => writeFile(join(path, '.git'), 'hello'),
    'is another repository': async (path) => {
      await rm(join(path, '.git'));
      runGit(path, 'init', '-q');
      runGit(path, 'commit', '-qm', 'x', '--allow-empty');
    },
    'names another repository': async (path) => {
      const other = join(path, '..', '..', '..', 'other');
      await mkdir(other);
      runGit(other, 'init', '-q');
      await writeFile(join(path, '.git'), `gitdir: ${join(other, '.git')}\n`);
    },
  };
  for (const [what, tamper] of Object.entries(tampered)) {
    it(`are read and discarded when their .git file ${what}`, async () => {
      const worktree = await bench.create();
      await bench.write('new.txt', '1', worktree.path);
      await tamper(worktree.path);
      assert.deepEqual(await bench.changes(worktree), ['added new.txt']);
      assert.deepEqual(await bench.worktrees.work(worktree), {
        uncommitted: what === 'is another repository' ? ['.git/', 'new.txt'] : ['new.txt'],
        commits: [],
        begun: [],
        ignored: [],
      });
      await bench.worktrees.discard(worktree.id);
      assert.deepEqual(bench.left(), NOTHING_LEFT);
    });
  }

  it('are discarded without following a link in place of their folder', async () => {
    const worktree = await bench.create();
    const outside = join(bench.base, 'outside');
    await bench.write('precious.txt', 'x', outside);
    await rename(worktree.path, join(bench.base, 'moved'));
    await symlink(outside, worktree.path);
    await assert.rejects(bench.worktrees.changes(worktree), /does not exist/);
    await bench.worktrees.discard(worktree.id);
    assert.equal(existsSync(join(outside, 'precious.txt')), true);
    assert.deepEqual(bench.left(), NOTHING_LEFT);
  });

  it('are discarded without their branch when the main folder goes on with it', async () => {
    const worktree = await bench.create();
    runGit(worktree.path, 'checkout', '-q', '--detach');
    bench.git('checkout', '-q', worktree.branch);
    await bench.worktrees.discard(worktree.id);
    assert.deepEqual(bench.left(), { worktrees: 1, branches: ['main', worktree.branch], folders: [] });
  });

  it('of a discarded worktree belong to the main folder, and are discarded', async () => {
    const outer = await bench.create();
    const window = await bench.window('git', bench.storage, 'workspace', outer.path);
    const { worktree } = await window.create({ folder: outer.path, text: 'Inner', include: [] });
    window.dispose();
    await bench.worktrees.setFolders([bench.folder, outer.path]);
    await bench.write('new.txt', '1', worktree.path);
    await bench.worktrees.discard(outer.id);
    const inner = bench.worktrees.get(worktree.id) ?? assert.fail();
    assert.equal(inner.repository, bench.folder);
    assert.deepEqual(await bench.changes(inner), ['added new.txt']);
    assert.equal(await bench.worktrees.discard(inner.id), 'discarded');
    assert.deepEqual(bench.left(), NOTHING_LEFT);
  });

  it('say that their repository is gone, and are discarded', async () => {
    const outer = await bench.create();
    const window = await bench.window('git', bench.storage, 'workspace', outer.path);
    const { worktree } = await window.create({ folder: outer.path, text: 'Inner', include: [] });
    await rm(outer.path, { recursive: true });
    await bench.write('new.txt', '1', worktree.path);
    assert.deepEqual(
      (await window.changes(worktree)).map(({ name }) => name),
      ['new.txt'],
    );
    await assert.rejects(window.work(worktree), { message: /^The repository .* of the worktree does not exist$/ });
    assert.equal(await window.discard(worktree.id), 'noRepository');
    assert.equal(existsSync(worktree.path), false);
    window.dispose();
  });

  onlyWithSh('keep no unfinished objects of a git that was ended', async () => {
    const worktree = await bench.create();
    const objects = join(worktree.path, '..', '.parley.git', 'objects');
    const script = `#!/bin/sh\ncase "$*" in *"add --all"*) mkdir -p "${objects}/aa"; echo x > "${objects}/aa/tmp_obj_x"; exit 9;; esac\nexec git "$@"\n`;
    await writeFile(join(bench.base, 'ended.sh'), script, { mode: 0o755 });
    const window = await bench.window(join(bench.base, 'ended.sh'));
    await assert.rejects(window.changes(worktree));
    assert.deepEqual(await readdir(join(objects, 'aa')), []);
    window.dispose();
  });

  it('are discarded without the branch that a symbolic reference in place of theirs leads to', async () => {
    const worktree = await bench.create();
    bench.git('branch', 'precious');
    bench.git('symbolic-ref', `refs/heads/${worktree.branch}`, 'refs/heads/precious');
    await bench.worktrees.discard(worktree.id);
    assert.deepEqual(bench.left(), { worktrees: 1, branches: ['main', 'precious'], folders: [] });
  });

  it('lose nothing if another git has locked the branches', async () => {
    const worktree = await bench.create();
    runGit(worktree.path, 'checkout', '-q', '--detach');
    runGit(worktree.path, 'commit', '-qm', 'detached', '--allow-empty');
    const lock = join(bench.folder, '.git', 'packed-refs.lock');
    await writeFile(lock, '');
    await assert.rejects(bench.worktrees.discard(worktree.id), /update-ref failed/);
    await rm(lock);
    assert.match((await bench.worktrees.work(worktree)).commits.join(), / detached$/);
    await bench.worktrees.discard(worktree.id);
    assert.deepEqual(bench.left(), NOTHING_LEFT);
  });

  /** A window in which a program creates the folder of a worktree again as soon as it is gone, a number of times. */
  async function windowWithWatcher(path: string, times: number): Promise<RepositoryWorktrees> {
    const program = join(bench.base, 'watched.sh');
    const count = join(bench.base, 'count');
    const again = `[ "$(cat '${count}' | wc -l)" -lt ${times} ] && echo >> '${count}' && mkdir -p '${path}/build'`;
    const script = `#!/bin/sh\ncase "$*" in *"worktree remove"*) ${again};; esac\nexec git "$@"\n`;
    await writeFile(count, '');
    await writeFile(program, script, { mode: 0o755 });
    bench.worktrees.dispose();
    return bench.window(program);
  }

  onlyWithSh('are discarded although a program creates their folder again', async () => {
    const worktree = await bench.create();
    const window = await windowWithWatcher(worktree.path, 2);
    assert.equal(await window.discard(worktree.id), 'discarded');
    assert.deepEqual(bench.left(), NOTHING_LEFT);
    window.dispose();
  });

  onlyWithSh('stay whole if a program creates their folder again and again', async () => {
    const worktree = await bench.create();
    await bench.write('new.txt', '1', worktree.path);
    const window = await windowWithWatcher(worktree.path, 100);
    await assert.rejects(window.discard(worktree.id), /worktree failed/);
    assert.ok((await window.work(worktree)).uncommitted.includes('new.txt'));
    assert.deepEqual(
      (await window.changes(worktree)).map(({ name }) => name),
      ['new.txt'],
    );
    assert.equal(bench.git('branch', '--list', worktree.branch).trim().replace('+ ', ''), worktree.branch);
    window.dispose();
  });

  it('name what a crash has left of a discard', async () => {
    const worktree = await bench.create();
    await bench.write('new.txt', '1', worktree.path);
    await rename(worktree.path, join(dirname(worktree.path), '.discarded'));
    await mkdir(worktree.path);
    assert.ok((await bench.worktrees.work(worktree)).uncommitted.includes('../.discarded/'));
    await bench.worktrees.discard(worktree.id);
    assert.deepEqual(bench.left(), NOTHING_LEFT);
  });

  it('stay in the list if they cannot be discarded', async () => {
    const worktree = await bench.create();
    runGit(worktree.path, 'worktree', 'move', worktree.path, join(bench.base, 'moved'));
    await assert.rejects(bench.worktrees.discard(worktree.id), /checked out at/);
    assert.deepEqual(
      bench.worktrees.usable().map(({ id }) => id),
      [worktree.id],
    );
    bench.git('worktree', 'remove', '--force', join(bench.base, 'moved'));
    await bench.worktrees.discard(worktree.id);
    assert.deepEqual(bench.left(), NOTHING_LEFT);
  });

  onlyWithSh('stay in the list when git cannot list them, with its reason', async () => {
    const worktree = await bench.create();
    bench.worktrees.dispose();
    const program = join(bench.base, 'git.sh');
    const script = '#!/bin/sh\ncase "$*" in *"worktree list"*) echo broken >&2; exit 1;; esac\nexec git "$@"\n';
    await writeFile(program, script, { mode: 0o755 });
    const window = await bench.window(program);
    await assert.rejects(window.discard(worktree.id), /broken/);
    assert.equal(window.usable().length, 1);
    window.dispose();
    const again = await bench.window();
    await again.discard(worktree.id);
    assert.deepEqual(bench.left(), NOTHING_LEFT);
    again.dispose();
  });

  it('are discarded without disk space for new files', async () => {
    const worktree = await bench.create();
    const record = join(bench.storage, worktree.id, 'worktree.json');
    await rm(record);
    await bench.write('worktree.json/in-the-way', '', dirname(record));
    await bench.worktrees.discard(worktree.id);
    assert.deepEqual(bench.left(), NOTHING_LEFT);
  });

  it('list a nested repository without a commit, which git does not track', async () => {
    const worktree = await bench.create();
    await bench.write('sub/x', '1', worktree.path);
    runGit(join(worktree.path, 'sub'), 'init', '-q');
    assert.deepEqual(await bench.changes(worktree), ['added sub']);
    assert.deepEqual((await bench.worktrees.work(worktree)).uncommitted, ['sub']);
    bench.worktrees.dispose();
    const next = await bench.window();
    await next.cleanUp(() => false);
    assert.equal(existsSync(join(worktree.path, 'sub', 'x')), true, 'not empty');
    next.dispose();
  });

  it('are read without an index', async () => {
    const worktree = await bench.create();
    await bench.write('a.txt', 'agent', worktree.path);
    await rm(join(bench.folder, '.git', 'worktrees', 'project', 'index'));
    assert.deepEqual(await bench.changes(worktree), ['modified a.txt']);
  });

  it('report a change of the same size in the same second as the index', async () => {
    bench.git('config', 'core.checkStat', 'minimal');
    const worktree = await bench.create();
    const [file, index] = [join(worktree.path, 'a.txt'), join(bench.folder, '.git', 'worktrees', 'project', 'index')];
    const before = new Date('2020-01-01T00:00:00Z');
    await utimes(file, before, before);
    runGit(worktree.path, 'update-index', '--refresh');
    await utimes(index, before, before);
    await writeFile(file, 'ONE\ntwo\nthree\n');
    await utimes(file, before, before);
    assert.deepEqual(await bench.changes(worktree), ['modified a.txt']);
  });

  it('list a link that became a file as special', async () => {
    await symlink('a.txt', join(bench.folder, 'link'));
    bench.commit('link');
    const worktree = await bench.create();
    await rm(join(worktree.path, 'link'));
    await bench.write('link', 'now a file', worktree.path);
    const [change] = await bench.worktrees.changes(worktree);
    assert.deepEqual([change?.name, change?.isSpecial], ['link', true]);
  });

  it('list only commits that are on no other branch', async () => {
    const worktree = await bench.create();
    runGit(worktree.path, 'commit', '-qm', 'merged', '--allow-empty');
    bench.git('branch', 'keeper', worktree.branch);
    runGit(worktree.path, 'commit', '-qm', 'own', '--allow-empty');
    assert.match((await bench.worktrees.work(worktree)).commits.join('|'), /^\w+ own$/);
    bench.git('branch', '-D', 'keeper');
    await bench.worktrees.discard(worktree.id);
    assert.deepEqual(bench.left(), NOTHING_LEFT);
  });

  it('may contain a file in place of a folder, and a folder in place of a file or link', async () => {
    const outside = join(bench.base, 'outside');
    await mkdir(outside);
    for (const name of ['unstaged/x', 'staged/x', 'file']) await bench.write(name, '1');
    await symlink(outside, join(bench.folder, 'link'));
    bench.commit('folders');
    for (const name of ['unstaged', 'staged', 'file', 'link']) await rm(join(bench.folder, name), { recursive: true });
    for (const name of ['unstaged', 'staged', 'file/y', 'link/y']) await bench.write(name, name);
    bench.git('add', 'staged');
    const worktree = await bench.create();
    for (const name of ['unstaged', 'staged', 'file/y', 'link/y']) assert.equal(await text(worktree, name), name);
    assert.equal(existsSync(join(outside, 'y')), false);
    assert.deepEqual(await bench.changes(worktree), []);
  });

  it('list a file name that is not UTF-8 as omitted', async function () {
    const name = Buffer.concat([Buffer.from(`${bench.folder}/b`), Buffer.from([0xe4]), Buffer.from('d.txt')]);
    // Some platforms have no such names.
    const isPossible = await writeFile(name, '1').then(
      async () => (await stat(name)).isFile(),
      () => false,
    );
    const { skipped } = await bench.worktrees.create({ folder: bench.folder, text: 'x', include: [] });
    assert.equal(skipped.length, isPossible ? 1 : 0);
  });

  it('leave out globally ignored files if another setting has no value', async () => {
    await bench.write('ignore', 'secret\n', bench.base);
    await bench.write('secret', '1');
    bench.git('config', 'core.excludesFile', join(bench.base, 'ignore'));
    await appendFile(join(bench.folder, '.git', 'config'), '[core]\n\tautocrlf\n');
    const worktree = await bench.create();
    assert.equal(existsSync(join(worktree.path, 'secret')), false);
  });

  it('get the line ends of a setting without a value, which means true', async () => {
    await appendFile(join(bench.folder, '.git', 'config'), '[core]\n\tautocrlf\n');
    const worktree = await bench.create();
    assert.equal(await text(worktree, 'a.txt'), 'one\r\ntwo\r\nthree\r\n');
    assert.deepEqual(await bench.changes(worktree), []);
  });

  it('list what git cannot add beside changes that it can add', async () => {
    const worktree = await bench.create();
    await bench.write('sub/x', '1', worktree.path);
    runGit(join(worktree.path, 'sub'), 'init', '-q');
    await bench.write('new.txt', '1', worktree.path);
    for (let time = 0; time < 2; time++)
      assert.deepEqual(await bench.changes(worktree), ['added new.txt', 'added sub'], 'also from the stored index');
  });

  it('get another branch name if a branch of the user makes theirs impossible', async () => {
    bench.git('branch', 'parley/fix-the-login/sub');
    const worktree = await bench.create();
    assert.equal(worktree.branch, 'parley/fix-the-login-2');
    await bench.worktrees.renameBranch(worktree.id, 'Aux');
    assert.equal(bench.worktrees.get(worktree.id)?.branch, 'parley/aux-chat', 'Windows has no file “aux”');
    await bench.worktrees.discard(worktree.id);
    bench.git('branch', '-D', 'parley/fix-the-login/sub');
    bench.git('branch', 'parley');
    await assert.rejects(bench.create(), /has a branch named “parley”/);
    bench.git('branch', '-D', 'parley');
    assert.deepEqual(bench.left(), NOTHING_LEFT);
  });

  const attributed: Readonly<Record<string, () => Promise<void>>> = {
    'only the commit': async () => {
      await bench.write('.gitattributes', '*.txt filter=evil\n');
      bench.commit('attributes');
      await bench.write('.gitattributes', '');
    },
    'only info/attributes': () => bench.write('.git/info/attributes', '*.txt filter=evil\n'),
    'an ignored file': async () => {
      await bench.write('.gitignore', '.gitattributes\n');
      bench.commit('ignore');
      await bench.write('.gitattributes', '*.txt filter=evil\n');
    },
  };
  for (const [where, attribute] of Object.entries(attributed)) {
    it(`run no filter of ${where}`, async () => {
      await attribute();
      const trace = join(bench.base, 'ran');
      for (const way of ['smudge', 'clean']) bench.git('config', `filter.evil.${way}`, `touch '${trace}'; cat`);
      const worktree = await bench.create({ include: ['.gitattributes'] });
      await bench.write('a.txt', 'agent', worktree.path);
      assert.deepEqual(await bench.changes(worktree), ['modified a.txt']);
      assert.equal(existsSync(trace), false);
    });
  }

  onlyWithSh('run no hook of the configuration (git 2.54), whatever its name', async () => {
    const trace = join(bench.base, 'ran');
    const program = join(bench.base, 'git.sh');
    const names = ['evil', 'a=b'];
    for (const name of names) bench.git('config', `hook.${name}.event`, 'reference-transaction');
    // After commands that have run hooks, does what git 2.54 does.
    const script = `#!/bin/sh
git "$@"
code=$?
case "$*" in *" worktree add "* | *" worktree remove "* | *" reset "* | *" branch "* | *" update-ref "*)
  echo "$*" >> '${trace}-commands'
  for name in ${names.join(' ')}; do
    [ "$(git config --bool "hook.$name.enabled")" = false ] || echo "$name $*" >> '${trace}'
  done
esac
exit $code
`;
    await writeFile(program, script, { mode: 0o755 });
    bench.worktrees.dispose();
    const window = await bench.window(program);
    const { worktree } = await window.create({ folder: bench.folder, text: 'Fix the login', include: [] });
    await window.renameBranch(worktree.id, 'Other words');
    await window.discard(worktree.id);
    window.dispose();
    const commands = await readFile(`${trace}-commands`, 'utf8');
    for (const command of ['worktree add', 'reset', 'branch -m', 'worktree remove', 'update-ref --no-deref -d'])
      assert.ok(commands.includes(` ${command} `), command);
    assert.equal(await readFile(trace, 'utf8').catch(() => ''), '');
    assert.deepEqual(bench.left(), NOTHING_LEFT);
  });

  onlyWithSh('run no program that checks signatures', async () => {
    const trace = join(bench.base, 'ran');
    const program = join(bench.base, 'gpg.sh');
    await writeFile(program, `#!/bin/sh\ntouch '${trace}'\nexit 1\n`, { mode: 0o755 });
    const worktree = await bench.create();
    const signed = runGit(worktree.path, 'cat-file', 'commit', 'HEAD').replace(
      /^committer .*$/m,
      '$&\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----',
    );
    const file = join(bench.base, 'commit');
    await writeFile(file, signed);
    runGit(
      worktree.path,
      'update-ref',
      'HEAD',
      runGit(worktree.path, 'hash-object', '-t', 'commit', '-w', file).trim(),
    );
    bench.git('config', 'log.showSignature', 'true');
    bench.git('config', 'gpg.program', program);
    assert.equal((await bench.worktrees.work(worktree)).commits.length, 1);
    assert.equal(existsSync(trace), false);
  });

  it('work in a sparse checkout, during a rebase with conflicts, and with a detached HEAD', async () => {
    await bench.write('seen/x', '1');
    await bench.write('unseen/x', '1');
    bench.commit('folders');
    bench.git('checkout', '-qb', 'other');
    await bench.write('a.txt', 'other\n');
    bench.commit('other');
    bench.git('checkout', '-q', 'main');
    await bench.write('a.txt', 'main\n');
    bench.commit('main');
    bench.git('sparse-checkout', 'set', 'seen');
    assert.throws(() => bench.git('rebase', 'other'));
    const worktree = await bench.create();
    assert.match(await text(worktree, 'a.txt'), /<<<<<<</);
    assert.equal(existsSync(join(worktree.path, 'unseen')), false);
    assert.deepEqual(await bench.changes(worktree), []);
    bench.git('rebase', '--abort');
    bench.git('checkout', '-q', '--detach');
    assert.deepEqual(await bench.changes(await bench.create()), []);
  });

  onlyWithSh('say that a call took too long, not that it was canceled', async () => {
    const program = join(bench.base, 'git.sh');
    await writeFile(program, `#!/bin/sh\nexec sleep 60\n`, { mode: 0o755 });
    const git = new Git(program, join(bench.base, 'git'));
    await assert.rejects(git.run(['status'], { cwd: bench.base, signal: AbortSignal.timeout(20) }), /timed out/);
  });
});

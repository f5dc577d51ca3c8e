import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, readdir, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nullLogger } from '../../../../src/base/logger';
import { Git } from '../../../../src/node/gitCommand';
import { ShadowRepository } from '../../../../src/review/git/shadowRepository';
import { MAX_FILE } from '../../../../src/review/git/updateIndex';
import { WorkspaceSnapshots } from '../../../../src/review/git/workspaceSnapshots';
import type { FileContent } from '../../../../src/review/storage/fileContent';
import { findCommitted } from '../../../../src/review/tracking/commitWatcher';
import { runGit } from '../../../kit/runGit';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('shadow of a folder', function () {
  let base: string;
  let folder: string;
  let storage: string;
  let git: Git;

  beforeEach(async () => {
    base = temporaryFolder();
    folder = join(base, 'work');
    storage = join(base, 'storage');
    await mkdir(folder);
    await mkdir(storage);
    git = new Git('git', storage);
    assert.ok(await git.available());
  });

  const shadow = (): ShadowRepository => new ShadowRepository(git, nullLogger, storage, folder);
  const roots = (): WorkspaceSnapshots => new WorkspaceSnapshots(git, nullLogger, storage, () => [folder]);
  const write = async (name: string, text: string | Buffer): Promise<void> => {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), text);
  };
  const run = (...args: string[]): string => runGit(folder, ...args);
  const commit = (): void => {
    run('add', '-A');
    run('commit', '-qm', 'x');
  };
  const text = async (at: ShadowRepository, tree: string, name: string): Promise<string | undefined> => {
    const file = (await at.contents({ tree }, [join(folder, name)])).get(join(folder, name));
    return file?.bytes && Buffer.from(file.bytes).toString('latin1');
  };

  /** Hash over names and contents of everything below a folder. */
  async function fingerprint(path: string): Promise<string> {
    const hash = createHash('sha256');
    for (const entry of (await readdir(path, { withFileTypes: true, recursive: true })).sort((a, b) =>
      join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1,
    )) {
      hash.update(join(entry.parentPath, entry.name));
      if (entry.isFile()) hash.update(await readFile(join(entry.parentPath, entry.name)));
    }
    return hash.digest('hex');
  }

  const damages: Record<string, (gitDir: string) => Promise<void>> = {
    'NUL bytes in its index': async (gitDir) => writeFile(join(gitDir, 'index'), Buffer.alloc(200)),
    'a truncated index': async (gitDir) =>
      writeFile(join(gitDir, 'index'), (await readFile(join(gitDir, 'index'))).subarray(0, 40)),
    'a folder as its index': async (gitDir) => {
      await rm(join(gitDir, 'index'));
      await mkdir(join(gitDir, 'index'));
    },
    'no index': async (gitDir) => rm(join(gitDir, 'index')),
    'an empty HEAD': async (gitDir) => writeFile(join(gitDir, 'HEAD'), ''),
    'no HEAD': async (gitDir) => rm(join(gitDir, 'HEAD')),
    'NUL bytes in its config': async (gitDir) => writeFile(join(gitDir, 'config'), Buffer.alloc(50)),
    'no folder of objects': async (gitDir) => rm(join(gitDir, 'objects'), { recursive: true }),
    'emptied objects': async (gitDir) => {
      for (const entry of await readdir(join(gitDir, 'objects'), { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        if (entry.isFile() && entry.name.length > 30) await chmod(path, 0o600).then(() => writeFile(path, ''));
      }
    },
    'deleted objects': async (gitDir) => {
      for (const name of await readdir(join(gitDir, 'objects'))) {
        if (name.length === 2) await rm(join(gitDir, 'objects', name), { recursive: true });
      }
    },
    'no alternates': async (gitDir) => rm(join(gitDir, 'objects', 'info', 'alternates'), { force: true }),
    'no folder info': async (gitDir) => rm(join(gitDir, 'info'), { recursive: true }),
    'no folder at all': async (gitDir) => rm(gitDir, { recursive: true }),
    'a file in its place': async (gitDir) => {
      await rm(gitDir, { recursive: true });
      await writeFile(gitDir, 'x');
    },
  };

  for (const [damage, harm] of Object.entries(damages)) {
    for (const isNewWindow of [false, true]) {
      it(`heals with ${damage}, ${isNewWindow ? 'in a new window' : 'in the same window'}`, async () => {
        run('init', '-q');
        await write('committed', 'committed');
        commit();
        await write('own', 'own');
        const before = shadow();
        await before.snapshot();
        const [name = ''] = (await readdir(storage)).filter((entry) => /^[0-9a-f]{24}$/.test(entry));
        await harm(join(storage, name));
        const after = isNewWindow ? shadow() : before;
        const { tree } = await after.snapshot();
        assert.deepEqual([await text(after, tree, 'committed'), await text(after, tree, 'own')], ['committed', 'own']);
        await write('own', 'changed');
        assert.deepEqual((await after.changedPaths()).paths, [join(folder, 'own')]);
      });
    }
  }

  const losses: Record<string, () => Promise<unknown>> = {
    'a new repository': async () => {
      await rm(join(folder, '.git'), { recursive: true });
      run('init', '-q');
    },
    'a pruned commit': async () => {
      run('rm', '-q', '--cached', 'sub/committed');
      run('commit', '-q', '--amend', '--allow-empty', '-m', 'other');
      run('reflog', 'expire', '--expire=now', '--all');
      return run('gc', '-q', '--prune=now');
    },
    'a moved repository': async () => run('init', '-q', '--separate-git-dir', join(base, 'elsewhere')),
    'emptied objects': async () => rm(join(folder, '.git', 'objects'), { recursive: true }),
  };

  for (const [loss, lose] of Object.entries(losses)) {
    it(`owns the committed files during a turn: ${loss}`, async () => {
      run('init', '-q');
      await write('sub/committed', 'committed');
      commit();
      const at = shadow();
      const { tree } = await at.snapshot();
      await lose();
      await write('sub/committed', 'changed');
      const { paths } = await at.changedPaths();
      assert.ok(paths.includes(join(folder, 'sub', 'committed')), paths.join());
      assert.equal(await text(at, tree, 'sub/committed'), 'committed');
    });
  }

  it('owns the files of a repository that was created anew before the turn', async () => {
    run('init', '-q');
    await write('committed', 'committed');
    commit();
    const at = shadow();
    await at.snapshot();
    await rm(join(folder, '.git'), { recursive: true });
    run('init', '-q');
    const { tree } = await at.snapshot();
    assert.equal(await text(at, tree, 'committed'), 'committed');
  });

  it('runs no git in an untrusted workspace, reports that, and starts after trust is given', async () => {
    await write('a.txt', 'a\n');
    run('init', '-q');
    let trusted = false;
    git = new Git('git', storage, () => trusted);
    const at = roots();
    const { problems } = await at.record(new AbortController().signal);
    assert.match(problems.join(), /^Git is not used because the workspace is not trusted/);
    await at.locate();
    assert.deepEqual([at.repositories(), await readdir(storage)], [[], ['empty']]);
    await assert.rejects(git.text(['version'], { cwd: folder }), /not trusted/);
    trusted = true;
    const { roots: found, problems: left } = await at.snapshot(new AbortController().signal);
    assert.deepEqual([found.length, left], [1, []]);
  });

  it('lists changes since a snapshot, and returns the earlier content', async () => {
    await write('a.txt', 'a\n');
    await write('deep/b.txt', 'b\n');
    const at = shadow();
    const { tree } = await at.snapshot();
    await write('a.txt', 'changed\n');
    await unlink(join(folder, 'deep/b.txt'));
    await write('new.txt', 'new\n');
    const { paths } = await at.changedPaths();
    assert.deepEqual(
      [...paths].sort(),
      ['a.txt', 'deep/b.txt', 'new.txt'].map((name) => join(folder, name)),
    );
    assert.equal(await text(at, tree, 'a.txt'), 'a\n');
    assert.equal(await text(at, tree, 'deep/b.txt'), 'b\n');
    assert.equal(await text(at, tree, 'new.txt'), undefined);
  });

  it('does not hang on named pipes in place of repository files, and logs where git hangs', async function () {
    if (process.platform === 'win32') this.skip();
    await write('a.txt', 'a\n');
    run('init', '-q');
    commit();
    const pipe = async (name: string): Promise<void> => {
      await rm(join(folder, name), { force: true });
      execFileSync('mkfifo', [join(folder, name)]);
    };
    for (const name of ['.git/info/exclude', '.git/index']) await pipe(name);
    const { tree } = await shadow().snapshot();
    assert.equal(await text(shadow(), tree, 'a.txt'), 'a\n');
    // Git itself reads these.
    git = new Git('git', storage, undefined, 3000);
    assert.ok(await git.available());
    const at = shadow();
    await at.snapshot();
    await pipe('.gitignore');
    await assert.rejects(at.changedPaths(), /timed out/);
    await assert.rejects(at.findIgnored([join(folder, 'b.txt')]), /timed out/);
    const { problems } = await roots().record(AbortSignal.timeout(300));
    assert.match(problems.join(), /took too long|timed out/);
    await pipe('.git/HEAD');
    await roots().locate();
  });

  it('does not change a byte of the user’s repository with staged changes and hooks', async () => {
    run('init', '-q');
    await write('a.txt', 'a\n');
    await write('b.txt', 'b\n');
    commit();
    await write('a.txt', 'staged\n');
    run('add', 'a.txt');
    await write('a.txt', 'staged and more\n');
    const before = await fingerprint(join(folder, '.git'));
    const at = shadow();
    const { tree } = await at.snapshot();
    await write('b.txt', 'B\n');
    await at.changedPaths();
    const later = await at.snapshot();
    await at.retain('one', tree);
    await at.collect();
    assert.equal(await fingerprint(join(folder, '.git')), before);
    assert.equal(await text(at, tree, 'a.txt'), 'staged and more\n');
    assert.deepEqual(
      (await at.compare({ tree }, later)).map(({ path }) => path),
      [join(folder, 'b.txt')],
    );
  });

  it('respects .gitignore and info/exclude, and includes ignored files that are tracked', async () => {
    run('init', '-q');
    await write('tracked.log', 'x\n');
    commit();
    await write('.gitignore', '*.log\n');
    await write('other.log', 'x\n');
    await write('.git/info/exclude', 'private\n');
    await write('private', 'x\n');
    const at = shadow();
    const { tree } = await at.snapshot();
    assert.equal(await text(at, tree, 'tracked.log'), 'x\n');
    assert.equal(await text(at, tree, 'other.log'), undefined);
    assert.equal(await text(at, tree, 'private'), undefined);
    const ignored = await at.findIgnored([join(folder, 'other.log'), join(folder, 'a.txt')]);
    assert.deepEqual([...ignored], [join(folder, 'other.log')]);
  });

  it('respects the user’s global ignore file', async () => {
    await writeFile(join(base, 'ignored-everywhere'), '*.swp\n');
    run('init', '-q');
    run('config', 'core.excludesFile', join(base, 'ignored-everywhere'));
    await write('a.swp', 'x\n');
    await write('a.txt', 'x\n');
    const at = shadow();
    const { tree } = await at.snapshot();
    assert.equal(await text(at, tree, 'a.txt'), 'x\n');
    assert.equal(await text(at, tree, 'a.swp'), undefined);
  });

  it('stores the bytes of files without conversion of line ends, filters and identities', async () => {
    run('init', '-q');
    run('config', 'filter.upper.clean', 'tr a-z A-Z');
    run('config', 'core.autocrlf', 'true');
    await write('.gitattributes', '*.up filter=upper\n*.id ident\n*.crlf text\n');
    await write('f.up', 'lower\n');
    await write('f.crlf', 'one\r\ntwo\r\n');
    await write('f.id', '$Id$\n');
    await write('f.bin', Buffer.from([0, 1, 255, 13, 10]));
    commit();
    assert.equal(run('show', 'HEAD:f.up'), 'LOWER\n');
    assert.equal(run('show', 'HEAD:f.crlf'), 'one\ntwo\n');
    const at = shadow();
    const { tree } = await at.snapshot();
    assert.equal(await text(at, tree, 'f.up'), 'lower\n');
    assert.equal(await text(at, tree, 'f.crlf'), 'one\r\ntwo\r\n');
    assert.equal(await text(at, tree, 'f.id'), '$Id$\n');
    assert.equal(await text(at, tree, 'f.bin'), '\x00\x01\xff\r\n');
  });

  it('runs no program of a hostile repository', async () => {
    run('init', '-q');
    await write('a.txt', 'a\n');
    await write('.gitattributes', '* filter=evil diff=evil merge=evil\n');
    commit();
    const marker = join(base, 'ran');
    const script = join(base, 'evil.sh');
    await writeFile(script, `#!/bin/sh\ntouch ${marker}\ncat\n`);
    await chmod(script, 0o755);
    for (const key of ['core.fsmonitor', 'filter.evil.clean', 'filter.evil.smudge', 'filter.evil.process'])
      run('config', key, script);
    for (const key of [
      'diff.external',
      'core.sshCommand',
      'core.pager',
      'core.editor',
      'gpg.program',
      'diff.evil.textconv',
    ])
      run('config', key, script);
    await mkdir(join(folder, '.git/hooks'), { recursive: true });
    for (const hook of ['post-index-change', 'pre-auto-gc', 'reference-transaction', 'post-checkout', 'pre-commit']) {
      await writeFile(join(folder, '.git/hooks', hook), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    }
    await rm(marker, { force: true });
    const all = roots();
    await all.snapshot(AbortSignal.timeout(20_000));
    await write('a.txt', 'changed\n');
    await write('b.txt', 'b\n');
    await all.changedPaths();
    const { roots: taken } = await all.snapshot(AbortSignal.timeout(20_000));
    await findCommitted(git, all, new Map([[join(folder, 'a.txt'), { mode: '100644', bytes: 'a\n' }]]), undefined);
    const at = all.shadowRepository(folder);
    await at.retain('one', taken[0]!.tree);
    await at.drop(['one']);
    await at.collect();
    assert.deepEqual((await readdir(base)).sort(), ['evil.sh', 'storage', 'work']);
  });

  it('counts as committed only what came with the commit, with its mode', async () => {
    if (process.platform === 'win32') return;
    run('init', '-q');
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await write(name, 'old\n');
    commit();
    const all = roots();
    await all.snapshot(AbortSignal.timeout(20_000));
    const at = (name: string): string => join(folder, name);
    const changed: ReadonlyMap<string, FileContent> = new Map([
      [at('a.txt'), { mode: '100755', bytes: 'old\n' }],
      [at('b.txt'), { mode: '100644', bytes: 'new\n' }],
      // An agent has taken back what the user had not committed.
      [at('c.txt'), { mode: '100644', bytes: 'old\n' }],
    ]);
    const committed = (since: string): Promise<readonly string[]> => findCommitted(git, all, changed, since);
    const first = run('rev-parse', 'HEAD').trim();
    await write('b.txt', 'new\n');
    commit();
    assert.deepEqual(await committed(first), [at('b.txt')]);
    const second = run('rev-parse', 'HEAD').trim();
    await chmod(at('a.txt'), 0o755);
    commit();
    assert.deepEqual(await committed(second), [at('a.txt')]);
  });

  it('stores links, not their targets', async () => {
    await writeFile(join(base, 'secret'), 'secret');
    await symlink(join(base, 'secret'), join(folder, 'link'));
    await symlink(base, join(folder, 'dir'));
    const at = shadow();
    const { tree } = await at.snapshot();
    assert.equal(await text(at, tree, 'link'), join(base, 'secret'));
    assert.equal(await text(at, tree, 'dir'), base);
  });

  it('includes the files of nested repositories, with and without a commit', async () => {
    run('init', '-q');
    await write('a.txt', 'a\n');
    commit();
    for (const name of ['inner', 'fresh']) {
      await write(`${name}/x.txt`, 'x\n');
      run('-C', name, 'init', '-q');
    }
    run('-C', 'inner', 'add', '-A');
    run('-C', 'inner', 'commit', '-qm', 'x');
    const all = roots();
    const { roots: taken } = await all.snapshot(AbortSignal.timeout(20_000));
    assert.deepEqual(taken.map((root) => root.folder).sort(), [folder, join(folder, 'fresh'), join(folder, 'inner')]);
    await write('inner/x.txt', 'changed\n');
    await write('fresh/y.txt', 'y\n');
    assert.deepEqual([...(await all.changedPaths())].sort(), [
      join(folder, 'fresh/y.txt'),
      join(folder, 'inner/x.txt'),
    ]);
    const known = await all.lookUp([join(folder, 'inner/x.txt'), join(folder, 'fresh/y.txt')]);
    assert.equal(known.get(join(folder, 'inner/x.txt'))?.content?.bytes, 'x\n');
    assert.deepEqual(known.get(join(folder, 'fresh/y.txt')), { content: undefined });
  });

  it('works in a subfolder of its repository', async () => {
    run('init', '-q');
    await write('sub/a.txt', 'a\n');
    await write('outside.txt', 'o\n');
    await write('.gitignore', '*.log\n');
    commit();
    folder = join(folder, 'sub');
    const at = shadow();
    const { tree } = await at.snapshot();
    await writeFile(join(folder, '../outside.txt'), 'changed\n');
    await write('a.txt', 'changed\n');
    await write('x.log', 'ignored\n');
    assert.deepEqual((await at.changedPaths()).paths, [join(folder, 'a.txt')]);
    assert.equal(await text(at, tree, 'a.txt'), 'a\n');
  });

  it('omits large files, and lists them', async () => {
    await write('small', 'x');
    await write('large', Buffer.alloc(MAX_FILE + 1));
    const at = roots();
    const { omitted } = await at.snapshot(AbortSignal.timeout(20_000));
    assert.deepEqual(omitted, [join(folder, 'large')]);
    await write('large', Buffer.alloc(MAX_FILE + 2));
    assert.deepEqual(await at.changedPaths(), []);
    assert.equal((await at.lookUp([join(folder, 'large')])).size, 0);
  });

  it('detects a changed mode, a file that became a folder, and unusual names', async () => {
    await write('run.sh', 'x\n');
    await write('thing', 'file\n');
    await write('odd "name"\n\t é.txt', 'odd\n');
    const at = shadow();
    const { tree } = await at.snapshot();
    await chmod(join(folder, 'run.sh'), 0o755);
    await unlink(join(folder, 'thing'));
    await write('thing/inside', 'x\n');
    const after = await at.snapshot();
    const differences = await at.compare({ tree }, after);
    assert.deepEqual(
      differences.map(({ path, before, after: now }) => [path.slice(folder.length + 1), before.mode, now.mode]),
      [
        ['run.sh', '100644', '100755'],
        ['thing', '100644', '000000'],
        ['thing/inside', '000000', '100644'],
      ],
    );
    assert.equal(await text(at, tree, 'odd "name"\n\t é.txt'), 'odd\n');
  });

  it('is not affected by assume-unchanged, a split index, or unmerged files', async () => {
    run('init', '-q', '-b', 'main');
    await write('a.txt', 'a\n');
    await write('b.txt', 'b\n');
    commit();
    run('checkout', '-qb', 'other');
    await write('b.txt', 'other\n');
    commit();
    run('checkout', '-q', 'main');
    await write('b.txt', 'main\n');
    commit();
    assert.throws(() => run('merge', 'other'));
    run('update-index', '--assume-unchanged', 'a.txt');
    run('update-index', '--split-index');
    await write('a.txt', 'changed behind git\n');
    const at = shadow();
    const { tree } = await at.snapshot();
    assert.equal(await text(at, tree, 'a.txt'), 'changed behind git\n');
    assert.match((await text(at, tree, 'b.txt')) ?? '', /<<<<<<</);
  });

  it('has the files on disk also where git skips them: in a sparse checkout, and hidden local changes', async () => {
    run('init', '-q', '-b', 'main');
    await write('in/a.txt', 'a\n');
    await write('out/b.txt', 'b\n');
    await write('local.json', 'committed\n');
    commit();
    run('sparse-checkout', 'set', 'in');
    run('update-index', '--skip-worktree', 'local.json');
    await write('local.json', 'mine\n');
    const at = shadow();
    const { tree } = await at.snapshot();
    assert.deepEqual(await Promise.all(['in/a.txt', 'out/b.txt', 'local.json'].map((name) => text(at, tree, name))), [
      'a\n',
      undefined,
      'mine\n',
    ]);
    await write('out/b.txt', 'agent\n');
    await write('local.json', 'agent\n');
    const { paths } = await at.changedPaths();
    assert.deepEqual(
      paths.toSorted(),
      ['local.json', 'out/b.txt'].map((name) => join(folder, name)),
    );
  });

  it('takes names that differ by case as its folder does, whatever the disk of the storage does', async () => {
    const at = shadow();
    await at.snapshot();
    const [name = ''] = await readdir(storage).then((names) => names.filter((each) => /^[0-9a-f]{24}$/.test(each)));
    runGit(join(storage, name), 'config', 'core.ignorecase', 'true');
    // An empty folder does not tell.
    await write('B.txt', 'upper\n');
    if (existsSync(join(folder, 'b.TXT'))) return;
    await at.snapshot();
    await write('b.txt', 'lower\n');
    assert.deepEqual((await at.changedPaths()).paths, [join(folder, 'b.txt')]);
  });

  it('is canceled while git does not answer', async function () {
    if (process.platform === 'win32') this.skip();
    const silent = join(base, 'silent-git');
    await writeFile(silent, '#!/bin/sh\ncase "$*" in *rev-parse*) exec sleep 600;; esac\nexec git "$@"\n');
    await chmod(silent, 0o755);
    git = new Git(silent, storage);
    const { problems, roots: found } = await roots().snapshot(AbortSignal.timeout(100));
    assert.match(problems.join(), /recording the folder took too long/);
    assert.deepEqual(found, []);
  });

  it('survives a cancellation, and resumes afterwards', async () => {
    for (let at = 0; at < 50; at++) await write(`${at}.txt`, `${at}\n`);
    const all = roots();
    const { problems, roots: none } = await all.snapshot(AbortSignal.abort());
    assert.equal(none.length, 0);
    assert.match(problems[0] ?? '', /took too long/);
    const { roots: taken } = await all.snapshot(AbortSignal.timeout(20_000));
    assert.equal(await text(all.shadowRepository(folder), taken[0]!.tree, '49.txt'), '49\n');
  });

  it('keeps trees until they are dropped', async () => {
    await write('a.txt', 'a\n');
    const at = shadow();
    const { tree } = await at.snapshot();
    await at.retain('one', tree);
    await at.collect();
    assert.equal(await text(at, tree, 'a.txt'), 'a\n');
    assert.ok((await at.size()) > 0);
  });

  it('reports that git is missing', async () => {
    const none = new Git(join(base, 'no-git'), storage);
    const all = new WorkspaceSnapshots(none, nullLogger, storage, () => [folder]);
    const { roots: taken, problems } = await all.snapshot(AbortSignal.timeout(20_000));
    assert.deepEqual(taken, []);
    assert.match(problems[0] ?? '', /^Git was not found/);
    assert.equal((await all.lookUp([join(folder, 'a')])).size, 0);
  });
});

import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitCall } from '../../../src/node/gitCommand';
import { Git } from '../../../src/node/gitCommand';
import { ignoredFiles } from '../../../src/worktrees/ignoredFiles';
import type { WorktreeWork } from '../../../src/worktrees/worktreeChanges';
import { isEmptyWork, worktreeWork } from '../../../src/worktrees/worktreeChanges';
import { worktreeContent } from '../../../src/worktrees/worktreeContent';
import type { WorktreeRecord } from '../../../src/worktrees/worktreeRecord';
import { runGit } from '../../kit/runGit';
import { WorktreeBench } from './worktreeBench';

/** Ways in which an agent hides its work, or makes Parley's git run a program. */
describe('hidden work in worktrees', () => {
  let bench: WorktreeBench;
  let trace: string;

  beforeEach(async () => {
    bench = await WorktreeBench.open();
    trace = join(bench.base, 'ran');
  });

  afterEach(() => bench.close());

  const uncommitted = async (worktree: WorktreeRecord): Promise<readonly string[]> =>
    (await bench.worktrees.work(worktree)).uncommitted;

  /** A repository in the worktree whose configuration runs programs. */
  async function nest(worktree: WorktreeRecord, name = 'sub'): Promise<string> {
    const nested = join(worktree.path, name);
    await bench.write(`${name}/x.txt`, 'one', worktree.path);
    await bench.write(`${name}/.gitattributes`, '* filter=evil\n', worktree.path);
    runGit(nested, 'init', '-q');
    runGit(nested, 'add', '-A');
    runGit(nested, 'commit', '-qm', 'nested');
    for (const way of ['clean', 'smudge', 'process'])
      runGit(nested, 'config', `filter.evil.${way}`, `touch '${trace}'; cat`);
    runGit(nested, 'config', 'core.fsmonitor', `touch '${trace}'`);
    await bench.write(`${name}/x.txt`, 'two', worktree.path);
    return nested;
  }

  it('runs no program of a nested repository, in the index or not', async () => {
    const worktree = await bench.create();
    const nested = await nest(worktree);
    assert.deepEqual(await bench.changes(worktree), ['added sub']);
    runGit(worktree.path, '-c', 'advice.addEmbeddedRepo=false', 'add', 'sub');
    await rm(trace, { force: true });
    assert.deepEqual(await uncommitted(worktree), ['sub']);
    assert.ok((await slowWork(worktree)).uncommitted.includes('sub'));
    assert.deepEqual(await bench.changes(worktree), ['added sub']);
    assert.equal(existsSync(trace), false);
    assert.deepEqual(await uncommitted(worktree), ['sub']);
    runGit(worktree.path, 'commit', '-qm', 'a submodule');
    assert.deepEqual(await uncommitted(worktree), ['sub'], 'its own files are in no commit of the worktree');
    runGit(
      nested,
      '-c',
      'filter.evil.clean=cat',
      '-c',
      'filter.evil.process=',
      '-c',
      'core.fsmonitor=false',
      'commit',
      '-qam',
      'y',
    );
    await rm(trace, { force: true });
    assert.deepEqual(await bench.changes(worktree), ['added sub']);
    assert.deepEqual(await uncommitted(worktree), ['sub']);
    await bench.worktrees.discard(worktree.id);
    assert.equal(existsSync(trace), false);
  });

  it('lists a submodule of the user by its commit, and runs nothing in it', async () => {
    const library = join(bench.base, 'library');
    await bench.write('x.txt', '1', library);
    runGit(library, 'init', '-q');
    runGit(library, 'add', '-A');
    runGit(library, 'commit', '-qm', 'library');
    bench.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library, 'sub');
    bench.commit('submodule');
    const worktree = await bench.create();
    assert.deepEqual(await bench.changes(worktree), [], 'not checked out');
    assert.deepEqual(await uncommitted(worktree), []);
    await bench.write('sub/notes.txt', 'in a folder that should be empty', worktree.path);
    assert.deepEqual(await bench.changes(worktree), ['deleted sub', 'added sub/notes.txt']);
    assert.ok((await uncommitted(worktree)).includes('sub/notes.txt'));
    await rm(join(worktree.path, 'sub'), { recursive: true });
    assert.deepEqual(await bench.changes(worktree), ['deleted sub']);
    await nest(worktree);
    assert.deepEqual(await bench.changes(worktree), ['modified sub']);
    assert.deepEqual(await uncommitted(worktree), ['sub']);
    assert.equal(existsSync(trace), false);
  });

  it('lists a file whose name differs from another by case, though the repository is set to fold case', async () => {
    bench.git('config', 'core.ignorecase', 'true');
    await writeFile(join(bench.folder, 'note.txt'), 'copied\n');
    const worktree = await bench.create();
    if (existsSync(join(worktree.path, 'A.TXT'))) return;
    await writeFile(join(worktree.path, 'A.txt'), 'mine\n');
    await rename(join(worktree.path, 'note.txt'), join(worktree.path, 'Note.txt'));
    await writeFile(join(worktree.path, 'Note.txt'), 'changed\n');
    assert.deepEqual(await uncommitted(worktree), ['A.txt', 'Note.txt']);
    assert.ok((await bench.changes(worktree)).includes('added A.txt'));
  });

  // Modes stop neither root nor Windows; `npm run odd` runs it as a user without rights.
  if (process.getuid?.() !== 0 && process.platform !== 'win32')
    it('lists a folder that it cannot read', async () => {
      const worktree = await bench.create();
      await bench.write('locked/notes.txt', 'mine\n', worktree.path);
      await chmod(join(worktree.path, 'locked'), 0);
      const listed = [await bench.changes(worktree), await uncommitted(worktree)];
      await chmod(join(worktree.path, 'locked'), 0o755);
      assert.deepEqual(listed, [['added locked'], ['locked']]);
    });

  const configured: Readonly<Record<string, (worktree: WorktreeRecord) => Promise<void>>> = {
    'a filter of an included configuration': async (worktree) => {
      const included = join(bench.base, 'included');
      await writeFile(
        included,
        `[filter "evil"]\n\tclean = touch '${trace}'\n[core]\n\tfsmonitor = touch '${trace}'\n`,
      );
      runGit(worktree.path, 'config', 'include.path', included);
      await bench.write('.gitattributes', '* filter=evil\n', worktree.path);
    },
    'a filter of a macro': async (worktree) => {
      runGit(worktree.path, 'config', 'filter.evil.clean', `touch '${trace}'`);
      await bench.write('.gitattributes', '[attr]evil filter=evil\n* evil\n', worktree.path);
    },
    'a hook': async (worktree) => {
      const hooks = join(bench.base, 'hooks');
      for (const name of ['post-index-change', 'reference-transaction', 'post-checkout'])
        await bench
          .write(name, '#!/bin/sh\n', hooks)
          .then(() => writeFile(join(hooks, name), `#!/bin/sh\ntouch '${trace}'\n`, { mode: 0o755 }));
      runGit(worktree.path, 'config', 'core.hooksPath', hooks);
      await bench.write('.gitattributes', '', worktree.path);
    },
    'a filter with an unusual name': async (worktree) => {
      runGit(worktree.path, 'config', 'filter.a=b.clean', `touch '${trace}'`);
      await bench.write('.gitattributes', '* filter=a=b\n', worktree.path);
    },
  };
  for (const [what, plant] of Object.entries(configured)) {
    it(`does not run ${what}, and reads the worktree`, async () => {
      const worktree = await bench.create();
      await plant(worktree);
      await rm(trace, { force: true });
      await bench.write('a.txt', 'agent', worktree.path);
      assert.deepEqual(await bench.changes(worktree), ['added .gitattributes', 'modified a.txt']);
      assert.deepEqual(await uncommitted(worktree), ['.gitattributes', 'a.txt']);
      assert.equal(existsSync(trace), false);
    });
  }

  it('runs no filter for a file that is as new as the index', async () => {
    const worktree = await bench.create();
    const { path } = worktree;
    await bench.write('.gitattributes', '* filter=evil\n', path);
    for (const name of ['s.txt', 't.txt']) await bench.write(name, 'one\n', path);
    runGit(path, 'add', '-A');
    await utimes(runGit(path, 'rev-parse', '--git-path', 'index').trim(), 1e9, 1e9);
    runGit(path, 'config', 'filter.evil.clean', `touch '${trace}'; cat`);
    for (const work of [await bench.worktrees.work(worktree), await slowWork(worktree)])
      assert.deepEqual(work.uncommitted, ['.gitattributes', 's.txt', 't.txt']);
    assert.equal(existsSync(trace), false);
  });

  const hidden: Readonly<Record<string, (worktree: WorktreeRecord) => Promise<void> | void>> = {
    'assume-unchanged': ({ path }) => void runGit(path, 'update-index', '--assume-unchanged', 'a.txt'),
    'skip-worktree': ({ path }) => void runGit(path, 'update-index', '--skip-worktree', 'a.txt'),
    'core.ignoreStat': ({ path }) => {
      runGit(path, 'config', 'core.ignoreStat', 'true');
      runGit(path, 'update-index', '--add', 'a.txt');
    },
    'a sparse checkout': async ({ path }) => {
      runGit(path, 'config', 'core.sparseCheckout', 'true');
      const folder = runGit(path, 'rev-parse', '--path-format=absolute', '--git-path', 'info').trim();
      await bench.write('sparse-checkout', '/nothing\n', folder);
    },
    'another start': ({ path }) => void runGit(path, 'update-ref', 'refs/worktree/parley-base', 'HEAD'),
    'a global ignore file': async ({ path }) => {
      await bench.write('ignore-all', '*\n', bench.base);
      runGit(path, 'config', 'core.excludesFile', join(bench.base, 'ignore-all'));
    },
    'info/exclude': ({ path }) => {
      const folder = runGit(path, 'rev-parse', '--path-format=absolute', '--git-path', 'info').trim();
      return bench.write('exclude', '*\n', folder);
    },
  };
  for (const [by, hide] of Object.entries(hidden)) {
    it(`includes changes that ${by} hides`, async () => {
      const worktree = await bench.create();
      await bench.write('a.txt', 'agent', worktree.path);
      await bench.write('new.txt', 'agent', worktree.path);
      await hide(worktree);
      assert.deepEqual(await bench.changes(worktree), ['modified a.txt', 'added new.txt']);
      assert.deepEqual(await uncommitted(worktree), ['a.txt', 'new.txt']);
    });
  }

  it('does not list files that a sparse checkout omits, but lists files created there', async () => {
    for (const name of ['seen/x', 'unseen/x', 'unseen/y']) await bench.write(name, '1');
    bench.commit('folders');
    bench.git('sparse-checkout', 'set', 'seen');
    const worktree = await bench.create();
    assert.deepEqual(await bench.changes(worktree), []);
    await bench.write('unseen/x', 'agent', worktree.path);
    await bench.write('unseen/z', 'agent', worktree.path);
    assert.deepEqual(await bench.changes(worktree), ['modified unseen/x', 'added unseen/z']);
    assert.deepEqual(await uncommitted(worktree), ['unseen/x', 'unseen/z']);
  });

  it('lists copied files that are no longer in the main folder', async () => {
    await bench.write('a.txt', 'mine');
    await bench.write('new.txt', 'mine');
    await symlink('a.txt', join(bench.folder, 'link'));
    const worktree = await bench.create();
    assert.deepEqual(await uncommitted(worktree), []);
    bench.git('checkout', '-q', 'a.txt');
    await rm(join(bench.folder, 'link'));
    assert.deepEqual(await uncommitted(worktree), ['a.txt', 'link']);
    await rm(join(bench.folder, 'new.txt'));
    assert.deepEqual(await bench.changes(worktree), [], 'it is no change of the agent');
    assert.deepEqual(await uncommitted(worktree), ['a.txt', 'link', 'new.txt']);
    bench.worktrees.dispose();
    const next = await bench.window();
    await next.cleanUp(() => false);
    assert.equal(existsSync(worktree.path), true, 'not empty');
    next.dispose();
  });

  it('lists a copied ignored file that was changed', async () => {
    await bench.write('.env', 'A=1');
    await bench.write('sub/.env.local', 'B=1');
    const worktree = await bench.create({ include: ['.env*'] });
    assert.deepEqual(await uncommitted(worktree), []);
    await bench.write('sub/.env.local', 'B=2', worktree.path);
    await bench.write('build/out.js', 'ignored, and not copied', worktree.path);
    assert.deepEqual(await bench.changes(worktree), []);
    assert.deepEqual(await uncommitted(worktree), ['sub/.env.local']);
    await bench.write('sub/.env.local', 'B=2');
    assert.deepEqual(await uncommitted(worktree), [], 'the main folder has it as well');
  });

  const ignoredIn = async (worktree: WorktreeRecord): Promise<string[]> =>
    (await bench.worktrees.work(worktree)).ignored.map(({ name, files, bytes }) => `${name} ${files} ${bytes}`);
  /** Whether the worktree is still there after a start of the next window, in which its chat no longer exists. */
  async function survivesCleanUp({ path }: WorktreeRecord): Promise<boolean> {
    bench.worktrees.dispose();
    const next = await bench.window();
    await next.cleanUp(() => false);
    next.dispose();
    return existsSync(path);
  }

  for (const end of ['discarded', 'cleaned up'] as const)
    it(`leaves what others put beside a worktree that is ${end}`, async () => {
      const worktree = await bench.create();
      const second = join(worktree.path, '..', 'second');
      runGit(worktree.path, 'worktree', 'add', '-q', '-b', 'second', second);
      await bench.write('a.txt', 'uncommitted', second);
      await bench.write('../plan.md', 'a plan', second);
      if (end === 'discarded') await bench.worktrees.discard(worktree.id);
      else assert.equal(await survivesCleanUp(worktree), false);
      assert.deepEqual(readdirSync(join(second, '..')).toSorted(), ['plan.md', 'second']);
      assert.match(runGit(second, 'status', '--short'), /M a\.txt/);
    });

  const lost: Readonly<Record<string, { make: (worktree: WorktreeRecord) => unknown; named: readonly string[] }>> = {
    'a file with a name that is not UTF-8': {
      make: ({ path }) => writeFile(Buffer.from(`${path}/caf\xe9.txt`, 'latin1'), 'work'),
      named: ['caf\ufffd.txt'],
    },
    'a staged content, with the file as committed': {
      make: async ({ path }) => {
        await bench.write('a.txt', 'staged', path);
        runGit(path, 'add', 'a.txt');
        await bench.write('a.txt', 'one\ntwo\nthree\n', path);
      },
      named: ['a.txt'],
    },
    'a staged file that is gone': {
      make: async ({ path }) => {
        await bench.write('n.txt', 'staged', path);
        runGit(path, 'add', 'n.txt');
        await rm(join(path, 'n.txt'));
      },
      named: ['n.txt'],
    },
    'a file that the main folder has by a link to it': {
      make: async ({ path }) => {
        await bench.write('out/x.txt', 'work', path);
        await symlink(join(path, 'out'), join(bench.folder, 'out'));
      },
      named: ['out/x.txt'],
    },
    'a copied file that the main folder has lost since': {
      make: () => rm(join(bench.folder, '.env')),
      named: ['.env'],
    },
    'a copied file that was changed in the main folder': {
      make: () => bench.write('.env', 'other'),
      named: ['.env'],
    },
  };
  // Windows and macOS have no such names, and links require a privilege on Windows.
  if (process.platform === 'linux')
    for (const [what, { make, named }] of Object.entries(lost))
      it(`lists ${what}, and the clean-up leaves it`, async () => {
        await bench.write('.env', 'SECRET');
        const worktree = await bench.create({ include: ['.env*'] });
        assert.deepEqual(await uncommitted(worktree), []);
        await make(worktree);
        assert.deepEqual(await uncommitted(worktree), named);
        assert.equal(await survivesCleanUp(worktree), true);
      });

  class SlowGit extends Git {
    override finish(args: readonly string[], call: GitCall): ReturnType<Git['finish']> {
      return args.includes('add') ? Promise.reject(new Error('git add: timed out')) : super.finish(args, call);
    }
  }

  /** The work, where git cannot read a file in time. */
  const slowWork = (worktree: WorktreeRecord): Promise<WorktreeWork> =>
    worktreeWork(new SlowGit('git', join(bench.base, 'slow')), worktree, AbortSignal.timeout(30_000));

  it('names all changed, new and ignored files if git cannot read one of them in time', async () => {
    const worktree = await bench.create();
    const work = (): Promise<WorktreeWork> => slowWork(worktree);
    await assert.rejects(work(), /timed out/);
    for (const name of ['a.txt', 'notes.txt', 'build/one.js']) await bench.write(name, 'work', worktree.path);
    assert.deepEqual(await work(), {
      uncommitted: ['a.txt', 'build/', 'notes.txt'],
      ignored: [],
      commits: [],
      begun: [],
    });
  });

  it('lists no staged file that the worktree and the main folder have', async () => {
    const worktree = await bench.create();
    for (const folder of [worktree.path, bench.folder]) await bench.write('n.txt', 'same', folder);
    runGit(worktree.path, 'add', 'n.txt');
    assert.deepEqual(await uncommitted(worktree), []);
  });

  it('lists changes and commits beside files that have the names of revisions', async () => {
    const worktree = await bench.create();
    const { head } = worktree;
    for (const name of ['HEAD', head]) await bench.write(name, 'work', worktree.path);
    runGit(worktree.path, 'add', '-A');
    runGit(worktree.path, 'commit', '-qm', 'names');
    const work = await bench.worktrees.work(worktree);
    assert.deepEqual(work.uncommitted, []);
    assert.match(work.commits.join(), /^\w+ names$/);
    assert.deepEqual((await bench.changes(worktree)).toSorted(), [`added ${head}`, 'added HEAD'].toSorted());
  });

  for (const [what, leave] of Object.entries({
    'a branch without a commit': ['--orphan', 'fresh'],
    'a detached head': ['--detach'],
  }))
    it(`names the files and commits that exist only on ${what}`, async () => {
      const worktree = await bench.create();
      const { path, branch } = worktree;
      runGit(path, 'checkout', '-q', '--detach');
      await bench.write('a.txt', 'committed', path);
      runGit(path, 'commit', '-qam', 'left');
      if (leave.length > 1) runGit(path, 'checkout', '-q', branch);
      runGit(path, 'checkout', '-q', ...leave);
      await bench.write('new.txt', 'new', path);
      await bench.write('a.txt', 'changed', path);
      await bench.write('staged.txt', 'staged', path);
      runGit(path, 'add', 'staged.txt');
      await rm(join(path, 'staged.txt'));
      const work = await bench.worktrees.work(worktree);
      assert.deepEqual(work.uncommitted, ['a.txt', 'new.txt', 'staged.txt']);
      assert.match(work.commits.join(), /^\w+ left$/);
      assert.equal(await survivesCleanUp(worktree), true);
    });

  const begun: Readonly<Record<string, (worktree: WorktreeRecord) => Promise<void>>> = {
    'that the user has locked': async ({ path }) => void bench.git('worktree', 'lock', path),
    'with a file that only the index has': async ({ path }) => {
      await bench.write('staged.txt', 'staged', path);
      runGit(path, 'add', 'staged.txt');
      await rm(join(path, 'staged.txt'));
    },
    'with a commit that only its reflog has': async ({ path }) => {
      await bench.write('a.txt', 'committed', path);
      runGit(path, 'commit', '-qam', 'work');
      runGit(path, 'reset', '-q', '--hard', 'HEAD~1');
    },
    'with a commit that a detached HEAD has left': async ({ path, branch }) => {
      runGit(path, 'checkout', '-q', '--detach');
      await bench.write('a.txt', 'committed', path);
      runGit(path, 'commit', '-qam', 'work');
      runGit(path, 'checkout', '-q', branch);
    },
    'with a commit that only a reference of its own has': async ({ path }) => {
      await bench.write('a.txt', 'committed', path);
      runGit(path, 'commit', '-qam', 'work');
      runGit(path, 'update-ref', 'refs/worktree/x', 'HEAD');
      runGit(path, 'reset', '-q', '--hard', 'HEAD~1');
      runGit(path, 'reflog', 'expire', '--expire=now', '--all');
    },
    'with a repository of its own': async ({ path }) => {
      await rm(join(path, '.git'));
      runGit(path, 'init', '-q');
      runGit(path, 'add', '-A');
      runGit(path, 'commit', '-qm', 'inner');
    },
    'in a rebase that has stashed text': async ({ path }) => {
      await bench.write('c.txt', 'committed', path);
      runGit(path, 'add', '-A');
      runGit(path, 'commit', '-qm', 'kept');
      runGit(path, 'branch', 'kept');
      await bench.write('c.txt', 'not committed', path);
      runGit(path, '-c', 'sequence.editor=echo break >', 'rebase', '-q', '-i', '--autostash', 'HEAD~1');
    },
  };
  for (const [what, make] of Object.entries(begun))
    it(`is left by the clean-up in a worktree ${what}`, async () => {
      const worktree = await bench.create();
      await make(worktree);
      const work = await bench.worktrees.work(worktree);
      if (what.startsWith('with a commit')) assert.match(work.commits.join(), /^\w+ work$/);
      assert.equal(isEmptyWork(work, []), false, 'Discard names it');
      if (what.startsWith('in a rebase')) {
        assert.deepEqual(work.begun, ['rebase-merge']);
        const named = work.commits.map((line) => runGit(worktree.path, 'show', `${line.split(' ')[0]}:c.txt`));
        assert.ok(named.includes('not committed'), 'a commit has the stashed text');
      }
      assert.equal(await survivesCleanUp(worktree), true);
    });

  for (const [what, make] of Object.entries(begun).filter(([each]) => each !== 'with a repository of its own'))
    it(`is named after its folder was moved by hand in a worktree ${what}`, async () => {
      const worktree = await bench.create();
      await make(worktree);
      const { commits, begun: steps } = await bench.worktrees.work(worktree);
      await rename(worktree.path, join(bench.base, 'saved'));
      const moved = await bench.worktrees.work(worktree);
      assert.deepEqual([moved.commits, moved.begun], [commits, steps]);
      assert.equal(isEmptyWork(moved, []), false, 'Discard names it');
      if (what === 'with a file that only the index has') assert.deepEqual(moved.uncommitted, ['staged.txt']);
    });

  /** Commits that only this worktree has afterwards: a branch that it starts from is gone. */
  const starts: Readonly<
    Record<string, (create: (from?: string) => Promise<WorktreeRecord>) => Promise<WorktreeRecord>>
  > = {
    'a remote branch that was pruned': async (create) => {
      bench.git('update-ref', 'refs/remotes/origin/topic', commitAside());
      const worktree = await create('refs/remotes/origin/topic');
      bench.git('update-ref', '-d', 'refs/remotes/origin/topic');
      return worktree;
    },
    'a branch that was deleted': async (create) => {
      bench.git('branch', 'topic', commitAside());
      const worktree = await create('refs/heads/topic');
      bench.git('branch', '-qD', 'topic');
      return worktree;
    },
    'a commit that the main folder has replaced': async (create) => {
      bench.commit('start');
      const worktree = await create();
      bench.git('commit', '-q', '--amend', '--allow-empty', '-m', 'replaced');
      return worktree;
    },
  };

  /** A commit that no branch has. */
  const commitAside = (): string => bench.git('commit-tree', '-p', 'HEAD', '-m', 'start', 'HEAD^{tree}').trim();

  for (const [what, start] of Object.entries(starts))
    it(`is the commit that it started from: ${what}`, async () => {
      const worktree = await start((from) => bench.create(from === undefined ? {} : { from }));
      assert.match((await bench.worktrees.work(worktree)).commits.join(), /^\w+ start$/);
      assert.equal(await survivesCleanUp(worktree), true);
    });

  it('is no commit that the main folder or another worktree has checked out', async () => {
    const worktree = await bench.create();
    runGit(worktree.path, 'commit', '-q', '--allow-empty', '-m', 'work');
    bench.git('checkout', '-q', '--detach', worktree.branch);
    assert.deepEqual((await bench.worktrees.work(worktree)).commits, []);
    const other = join(bench.base, 'other');
    bench.git('worktree', 'add', '-q', '--detach', other);
    bench.git('checkout', '-q', 'main');
    assert.deepEqual((await bench.worktrees.work(worktree)).commits, []);
    await rm(other, { recursive: true });
    assert.match((await bench.worktrees.work(worktree)).commits.join(), /^\w+ work$/, 'git will forget that one');
  });

  describe('commits in a submodule of the worktree', () => {
    const add = async ({ path }: WorktreeRecord, name: string): Promise<void> => {
      const library = join(bench.base, 'library');
      await bench.write('x.txt', '1', library);
      runGit(library, 'init', '-q');
      runGit(library, 'add', '-A');
      runGit(library, 'commit', '-qm', 'library');
      runGit(path, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library, name);
    };
    /** The files are as after the creation. */
    const leave = async ({ path }: WorktreeRecord): Promise<void> => {
      runGit(path, 'reset', '-q', '--hard');
      for (const name of ['sub', 'libs']) await rm(join(path, name), { recursive: true, force: true });
      assert.equal(runGit(path, 'status', '--porcelain'), '');
    };
    const WORK: Readonly<Record<string, (sub: string) => void>> = {
      'on its branch': (sub) => void runGit(sub, 'commit', '-qam', 'only here'),
      'that was reset': (sub) => {
        runGit(sub, 'commit', '-qam', 'only here');
        runGit(sub, 'reset', '-q', '--hard', 'HEAD~1');
      },
      'with a tag, and a detached HEAD': (sub) => {
        runGit(sub, 'checkout', '-q', '--detach');
        runGit(sub, 'commit', '-qam', 'only here');
        runGit(sub, 'tag', 'mine');
      },
    };
    for (const [what, commit] of Object.entries(WORK))
      it(`are listed, and left by the clean-up, after it has left the files: ${what}`, async () => {
        const worktree = await bench.create();
        await add(worktree, 'libs/sub');
        await bench.write('libs/sub/x.txt', 'important', worktree.path);
        commit(join(worktree.path, 'libs/sub'));
        await leave(worktree);
        const { commits } = await bench.worktrees.work(worktree);
        assert.deepEqual(
          commits.map((line) => line.replace(/ [0-9a-f]+ /, ' ')),
          [`${join('libs', 'sub')}: only here`],
        );
        assert.equal(await survivesCleanUp(worktree), true);
      });

    it('do not keep it if another repository has them', async () => {
      const worktree = await bench.create();
      await add(worktree, 'sub');
      await leave(worktree);
      assert.deepEqual((await bench.worktrees.work(worktree)).commits, []);
      assert.equal(await survivesCleanUp(worktree), false);
    });
  });

  const ignoredWork: Readonly<
    Record<string, { readonly make: (worktree: WorktreeRecord) => Promise<void>; readonly listed: readonly string[] }>
  > = {
    'the results of a build': {
      make: async ({ path }) => {
        await bench.write('build/a/one.js', '1234', path);
        await bench.write('build/two.js', '12', path);
      },
      listed: ['build/ 2 6'],
    },
    'a new file with secrets': {
      make: ({ path }) => bench.write('.env.local', 'A=1', path),
      listed: ['.env.local 1 3'],
    },
    'an ignored file beside others': {
      make: ({ path }) => bench.write('src/.env', 'A=1', path),
      listed: ['src/.env 1 3'],
    },
    'a file beside a copied one': {
      make: ({ path }) => bench.write('config/.env.test', 'A=1', path),
      listed: ['config/ 1 3'],
    },
    'a folder that ignores itself': {
      make: async ({ path }) => {
        await bench.write('notes/.gitignore', '*', path);
        await bench.write('notes/deep/plan.md', 'plan', path);
      },
      listed: ['notes/ 2 5'],
    },
    'a broken repository in an ignored folder': {
      make: async (worktree) => {
        await bench.write('build/lib/x.txt', '1', worktree.path);
        await bench.write('build/lib/.git', 'x', worktree.path);
      },
      listed: ['build/ 2 2'],
    },
    'an ignored link': { make: ({ path }) => symlink('/nowhere', join(path, '.env.link')), listed: ['.env.link 1 8'] },
  };
  for (const [what, { make, listed }] of Object.entries(ignoredWork)) {
    it(`lists ${what}, which the clean-up then leaves`, async () => {
      await bench.write('src/code.ts', '1');
      await bench.write('config/.env', 'mine');
      const worktree = await bench.create({ include: ['.env*'] });
      assert.deepEqual(await ignoredIn(worktree), []);
      await make(worktree);
      assert.deepEqual(await ignoredIn(worktree), listed);
      assert.deepEqual(await uncommitted(worktree), []);
      assert.equal(await survivesCleanUp(worktree), true);
    });
  }

  it('cleans up a worktree with copied ignored files and empty ignored folders only', async () => {
    await bench.write('.env', 'mine');
    const worktree = await bench.create({ include: ['.env*'] });
    await mkdir(join(worktree.path, 'build', 'empty'), { recursive: true });
    assert.deepEqual(await ignoredIn(worktree), []);
    assert.equal(await survivesCleanUp(worktree), false);
  });

  it('cleans up what the setup has created', async () => {
    const worktree = await bench.create();
    await bench.write('build/out.js', '1', worktree.path);
    await bench.worktrees.recordSetup(worktree.id);
    assert.deepEqual(await ignoredIn(worktree), ['build/ 1 1'], 'Discard names it all the same');
    assert.equal(await survivesCleanUp(worktree), false);
  });

  const afterSetup: Readonly<Record<string, (path: string) => Promise<void>>> = {
    'one more file': (path) => bench.write('build/more.js', '', path),
    'the same number of bytes in a file': async (path) => {
      await bench.write('build/out.js', '2', path);
      await utimes(join(path, 'build', 'out.js'), 2e9, 2e9);
    },
    'another name': (path) => bench.write('.env', '', path),
  };
  for (const [what, change] of Object.entries(afterSetup)) {
    it(`leaves a worktree whose setup was followed by ${what}`, async () => {
      const worktree = await bench.create();
      await bench.write('build/out.js', '1', worktree.path);
      await bench.worktrees.recordSetup(worktree.id);
      await change(worktree.path);
      assert.equal(await survivesCleanUp(worktree), true);
    });
  }

  it('leaves a worktree with a file that came while the setup ran', async () => {
    const worktree = await bench.create();
    await bench.write('.env', 'mine', worktree.path);
    await bench.worktrees.recordSetup(worktree.id);
    assert.equal(await survivesCleanUp(worktree), true);
  });

  it('stores the results of the setup beside changes of the record that happen meanwhile', async () => {
    const { id, path } = await bench.create();
    await bench.write('build/out.js', '1', path);
    const { worktrees } = bench;
    await Promise.all([
      worktrees.recordSetup(id),
      worktrees.assign(id, 's1'),
      worktrees.renameBranch(id, 'Other words'),
    ]);
    const { setup, session, branch } = worktrees.get(id) ?? assert.fail();
    assert.deepEqual([setup?.[0]?.name, session, branch], ['build/', 's1', 'parley/other-words']);
  });

  it('asks again about ignored files that appeared, but not about those that grew', async () => {
    const worktree = await bench.create();
    await bench.write('build/out.js', '1', worktree.path);
    const agreed = await bench.worktrees.work(worktree);
    await bench.write('build/more.js', '1', worktree.path);
    assert.equal(await bench.worktrees.discard(worktree.id, agreed), 'changed');
    const again = await bench.worktrees.work(worktree);
    await bench.write('build/out.js', '1234', worktree.path);
    assert.equal(await bench.worktrees.discard(worktree.id, again), 'discarded');
  });

  it('stops counting at its limit, and says so', async () => {
    const worktree = await bench.create();
    for (const name of ['a/1', 'a/2', 'b/1', 'b/2']) await bench.write(`build/${name}`, 'x', worktree.path);
    await bench.write('.env', 'x', worktree.path);
    const git = new Git('git', join(bench.base, 'git'));
    const { call } = await worktreeContent(git, worktree, AbortSignal.timeout(60_000));
    const count = async (limit: number): Promise<unknown[]> =>
      (await ignoredFiles(git, call, limit)).map(({ name, files, isPartial }) => [name, files, isPartial]);
    assert.deepEqual(await count(6), [
      ['.env', 1, false],
      ['build/', 4, false],
    ]);
    for (const limit of [5, 4, 2, 1, 0]) {
      const found = await count(limit);
      assert.deepEqual(
        found.map((each) => (each as unknown[])[0]),
        ['.env', 'build/'],
        `${limit}`,
      );
      assert.equal((found[1] as unknown[])[2], true, `${limit}`);
    }
  });

  it('leaves no objects in the repository of the user', async () => {
    const objects = (): number =>
      readdirSync(join(bench.folder, '.git', 'objects'), { recursive: true, withFileTypes: true }).filter((each) =>
        each.isFile(),
      ).length;
    await bench.write('mine.txt', 'mine');
    const before = objects();
    const worktree = await bench.create();
    await mkdir(join(worktree.path, 'node_modules'));
    for (let at = 0; at < 5; at++) await bench.write(`node_modules/${at}.js`, `${at}`, worktree.path);
    const changes = await bench.worktrees.changes(worktree);
    assert.equal(changes.length, 5);
    const { after } = await bench.worktrees.bytes(worktree, changes[3] ?? assert.fail());
    assert.equal(after && Buffer.from(after).toString(), '3');
    assert.equal(objects(), before);
  });
});

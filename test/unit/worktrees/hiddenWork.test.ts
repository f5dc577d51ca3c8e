import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorktreeRecord } from '../../../src/worktrees/worktreeRecord';
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

  const gitIn = (cwd: string, ...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=b', ...args], { cwd, encoding: 'utf8', stdio: 'pipe' });
  const uncommitted = async (worktree: WorktreeRecord): Promise<readonly string[]> =>
    (await bench.worktrees.work(worktree)).uncommitted;

  /** A repository in the worktree whose configuration runs programs. */
  async function nest(worktree: WorktreeRecord, name = 'sub'): Promise<string> {
    const nested = join(worktree.path, name);
    await bench.write(`${name}/x.txt`, 'one', worktree.path);
    await bench.write(`${name}/.gitattributes`, '* filter=evil\n', worktree.path);
    gitIn(nested, 'init', '-q');
    gitIn(nested, 'add', '-A');
    gitIn(nested, 'commit', '-qm', 'nested');
    for (const way of ['clean', 'smudge', 'process'])
      gitIn(nested, 'config', `filter.evil.${way}`, `touch '${trace}'; cat`);
    gitIn(nested, 'config', 'core.fsmonitor', `touch '${trace}'`);
    await bench.write(`${name}/x.txt`, 'two', worktree.path);
    return nested;
  }

  it('runs no program of a nested repository, in the index or not', async () => {
    const worktree = await bench.create();
    const nested = await nest(worktree);
    assert.deepEqual(await bench.changes(worktree), ['added sub']);
    gitIn(worktree.path, '-c', 'advice.addEmbeddedRepo=false', 'add', 'sub');
    assert.deepEqual(await bench.changes(worktree), ['added sub']);
    assert.equal(existsSync(trace), false);
    assert.deepEqual(await uncommitted(worktree), ['sub']);
    gitIn(worktree.path, 'commit', '-qm', 'a submodule');
    assert.deepEqual(await uncommitted(worktree), ['sub'], 'its own files are in no commit of the worktree');
    gitIn(
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
    gitIn(library, 'init', '-q');
    gitIn(library, 'add', '-A');
    gitIn(library, 'commit', '-qm', 'library');
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

  const configured: Readonly<Record<string, (worktree: WorktreeRecord) => Promise<void>>> = {
    'a filter of an included configuration': async (worktree) => {
      const included = join(bench.base, 'included');
      await writeFile(
        included,
        `[filter "evil"]\n\tclean = touch '${trace}'\n[core]\n\tfsmonitor = touch '${trace}'\n`,
      );
      gitIn(worktree.path, 'config', 'include.path', included);
      await bench.write('.gitattributes', '* filter=evil\n', worktree.path);
    },
    'a filter of a macro': async (worktree) => {
      gitIn(worktree.path, 'config', 'filter.evil.clean', `touch '${trace}'`);
      await bench.write('.gitattributes', '[attr]evil filter=evil\n* evil\n', worktree.path);
    },
    'a hook': async (worktree) => {
      const hooks = join(bench.base, 'hooks');
      for (const name of ['post-index-change', 'reference-transaction', 'post-checkout'])
        await bench
          .write(name, '#!/bin/sh\n', hooks)
          .then(() => writeFile(join(hooks, name), `#!/bin/sh\ntouch '${trace}'\n`, { mode: 0o755 }));
      gitIn(worktree.path, 'config', 'core.hooksPath', hooks);
      await bench.write('.gitattributes', '', worktree.path);
    },
    'a filter with an unusual name': async (worktree) => {
      gitIn(worktree.path, 'config', 'filter.a=b.clean', `touch '${trace}'`);
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

  const hidden: Readonly<Record<string, (worktree: WorktreeRecord) => Promise<void> | void>> = {
    'assume-unchanged': ({ path }) => void gitIn(path, 'update-index', '--assume-unchanged', 'a.txt'),
    'skip-worktree': ({ path }) => void gitIn(path, 'update-index', '--skip-worktree', 'a.txt'),
    'core.ignoreStat': ({ path }) => {
      gitIn(path, 'config', 'core.ignoreStat', 'true');
      gitIn(path, 'update-index', '--add', 'a.txt');
    },
    'a sparse checkout': async ({ path }) => {
      gitIn(path, 'config', 'core.sparseCheckout', 'true');
      const folder = gitIn(path, 'rev-parse', '--path-format=absolute', '--git-path', 'info').trim();
      await bench.write('sparse-checkout', '/nothing\n', folder);
    },
    'another start': ({ path }) => void gitIn(path, 'update-ref', 'refs/worktree/parley-base', 'HEAD'),
    'a global ignore file': async ({ path }) => {
      await bench.write('ignore-all', '*\n', bench.base);
      gitIn(path, 'config', 'core.excludesFile', join(bench.base, 'ignore-all'));
    },
    'info/exclude': ({ path }) => {
      const folder = gitIn(path, 'rev-parse', '--path-format=absolute', '--git-path', 'info').trim();
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

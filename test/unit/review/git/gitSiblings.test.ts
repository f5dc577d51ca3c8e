import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { folderTemplate } from '../../../kit/folderTemplate';
import { gitEnvironment, runGit } from '../../../kit/runGit';
import { DiskWorld, filesOf } from '../diskWorld';

interface Outcome {
  /** Under review after the turn. */
  readonly rows?: readonly string[];
  /** What git brought, with its source. */
  readonly git?: Readonly<Record<string, string>>;
  /** What Undo All changes, by name; undefined for a deleted file. */
  readonly undone?: Readonly<Record<string, string | undefined>>;
}

interface Case extends Outcome {
  readonly what: string;
  readonly before?: () => unknown;
  readonly work: () => unknown;
}

/** What an agent does with git in a turn: which rows there are, and what Undo All leaves. */
describe('git in a turn', function () {
  this.timeout(120_000);
  let world: DiskWorld;

  const CONFIG = [
    'user.name=a',
    'user.email=a@b',
    'commit.gpgsign=false',
    'protocol.file.allow=always',
    'init.defaultBranch=main',
  ];
  const gitIn = (cwd: string, ...args: string[]): string =>
    execFileSync('git', [...CONFIG.flatMap((each) => ['-c', each]), ...args], {
      cwd,
      stdio: 'pipe',
      encoding: 'utf8',
      env: { ...gitEnvironment(), GIT_EDITOR: 'true', GIT_SEQUENCE_EDITOR: 'true' },
    }).trim();
  const git = (...args: string[]): string => gitIn(world.folder, ...args);
  const put = (name: string, text: string): Promise<void> => writeFile(world.at(name), text);
  /** Before any turn: commits of this second could be of the turn. */
  const commitIn = (cwd: string, message: string): void => {
    gitIn(cwd, 'add', '-A');
    execFileSync('git', [...CONFIG.flatMap((each) => ['-c', each]), 'commit', '-qm', message], {
      cwd,
      env: { ...gitEnvironment(), GIT_AUTHOR_DATE: '@1700000000 +0000', GIT_COMMITTER_DATE: '@1700000000 +0000' },
    });
  };
  const commit = (message: string): void => commitIn(world.folder, message);
  const commitNow = (message: string): void => {
    git('add', '-A');
    git('commit', '-qm', message);
  };
  const LONG = Array.from({ length: 30 }, (_, at) => `line ${at}`);
  const long = (early: string, late: string): string => `${LONG.with(2, early).with(25, late).join('\n')}\n`;

  const repository = folderTemplate(async (folder) => {
    const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
    gitIn(folder, 'init', '-q');
    await write('a.txt', 'old a\n');
    await write('b.txt', 'old b\n');
    await write('long.txt', long('early', 'late'));
    commitIn(folder, 'first');
    gitIn(folder, 'checkout', '-qb', 'upstream');
    await write('long.txt', long('EARLY', 'late'));
    commitIn(folder, 'early');
    await write('a.txt', 'new a\n');
    commitIn(folder, 'a');
    gitIn(folder, 'mv', 'b.txt', 'moved.txt');
    commitIn(folder, 'moved');
    gitIn(folder, 'checkout', '-q', 'main');
  });

  beforeEach(async () => {
    world = await DiskWorld.open();
    await repository(world.folder);
    git('update-index', '--refresh');
  });

  afterEach(() => world.close());

  const ours = async (): Promise<void> => {
    await put('long.txt', long('early', 'LATE'));
    commit('ours');
  };
  const patch = (from: string): string => runGit(world.folder, 'format-patch', '-1', '--stdout', from);

  const cases: readonly Case[] = [
    { what: 'checkout -b', work: () => git('checkout', '-qb', 'topic') },
    {
      what: 'restore from another branch',
      work: () => git('restore', '--source', 'upstream', '--', 'a.txt'),
      git: { 'a.txt': 'upstream' },
    },
    {
      what: 'checkout of one file as it was',
      before: async () => {
        await put('a.txt', 'newer a\n');
        commit('newer');
      },
      work: () => git('checkout', '-q', 'HEAD~1', '--', 'a.txt'),
      git: { 'a.txt': 'HEAD~1' },
    },
    {
      what: 'revert of an earlier commit',
      before: async () => {
        await put('a.txt', 'newer a\n');
        commit('newer');
        await ours();
      },
      work: () => git('revert', '--no-edit', 'HEAD~1'),
      git: { 'a.txt': 'HEAD' },
    },
    {
      what: 'revert of one change of a file',
      before: async () => {
        await put('long.txt', long('EARLY', 'late'));
        commit('early');
        await put('long.txt', long('EARLY', 'LATE'));
        commit('late');
      },
      work: () => git('revert', '--no-edit', 'HEAD~1'),
      git: { 'long.txt': 'HEAD' },
    },
    {
      what: 'cherry-pick into a file that is changed here, too',
      before: ours,
      work: () => git('cherry-pick', 'upstream~2'),
      git: { 'long.txt': 'HEAD' },
    },
    {
      what: 'cherry-pick on top of an own commit',
      work: async () => {
        await put('long.txt', long('early', 'AGENT'));
        commitNow('mine');
        git('cherry-pick', 'upstream~2');
      },
      rows: ['changed long.txt'],
      git: { 'long.txt': 'upstream' },
      undone: { 'long.txt': long('EARLY', 'late') },
    },
    {
      what: 'cherry-pick of an own commit',
      work: async () => {
        git('checkout', '-qb', 'topic');
        await put('long.txt', long('early', 'AGENT'));
        commitNow('mine');
        git('checkout', '-q', 'main');
        git('cherry-pick', 'topic');
      },
      rows: ['changed long.txt'],
      undone: { 'long.txt': long('early', 'late') },
    },
    {
      what: 'am of the patch of a colleague',
      before: ours,
      work: () =>
        void execFileSync('git', [...CONFIG.flatMap((each) => ['-c', each]), 'am', '-q'], {
          cwd: world.folder,
          env: gitEnvironment(),
          input: patch('upstream~2'),
        }),
      git: { 'long.txt': 'HEAD' },
    },
    {
      what: 'apply of a patch that is in no commit',
      work: () =>
        void execFileSync('git', ['apply'], {
          cwd: world.folder,
          env: gitEnvironment(),
          input: patch('upstream~1').replaceAll('new a', 'other a'),
        }),
      rows: ['changed a.txt'],
      undone: { 'a.txt': 'old a\n' },
    },
    {
      what: 'stash pop into a file that is committed differently since',
      before: async () => {
        await put('long.txt', long('early', 'STASHED'));
        git('stash', '-q');
        git('cherry-pick', 'upstream~2');
      },
      work: () => git('stash', 'pop', '-q'),
      git: { 'long.txt': 'stash' },
    },
    {
      what: 'merge of a file that was renamed there and changed here',
      before: async () => {
        await put('b.txt', 'old b\n'.repeat(9));
        commit('longer');
        git('checkout', '-q', 'upstream');
        git('reset', '-q', '--hard', 'main');
        git('mv', 'b.txt', 'moved.txt');
        commit('moved');
        git('checkout', '-q', 'main');
        await put('b.txt', `${'old b\n'.repeat(9)}ours\n`);
        commit('ours');
      },
      work: () => git('merge', '-q', '--no-edit', 'upstream'),
      git: { 'b.txt': 'upstream', 'moved.txt': 'upstream' },
    },
    {
      what: 'mv',
      work: () => git('mv', 'b.txt', 'c.txt'),
      rows: ['renamed c.txt'],
      undone: { 'b.txt': 'old b\n', 'c.txt': undefined },
    },
    {
      what: 'pull --rebase below own commits of before',
      before: async () => {
        gitIn(world.base, 'clone', '-q', '-b', 'upstream', world.folder, 'other');
        git('remote', 'add', 'origin', '../other');
        await ours();
      },
      work: () => git('pull', '-q', '--rebase', 'origin', 'upstream'),
      git: { 'a.txt': 'upstream', 'b.txt': 'upstream', 'long.txt': 'upstream', 'moved.txt': 'upstream' },
    },
    {
      what: 'merge with a conflict that it resolves',
      before: async () => {
        await put('a.txt', 'our a\n');
        commit('ours');
      },
      work: async () => {
        assert.throws(() => git('merge', '-q', 'upstream'));
        await put('a.txt', 'resolved\n');
        commitNow('merge');
      },
      rows: ['changed a.txt'],
      git: { 'b.txt': 'upstream', 'long.txt': 'upstream', 'moved.txt': 'upstream' },
      undone: { 'a.txt': 'our a\n' },
    },
    {
      what: 'merge of a file that it deletes again',
      work: async () => {
        git('merge', '-q', '--ff-only', 'upstream');
        await world.turns.scan();
        await rm(world.at('moved.txt'));
      },
      rows: ['deleted moved.txt'],
      git: { 'a.txt': 'upstream', 'b.txt': 'upstream', 'long.txt': 'upstream', 'moved.txt': 'upstream' },
      undone: { 'moved.txt': 'old b\n' },
    },
    {
      what: 'merge of a new line below an own change, seen several times',
      before: async () => {
        git('checkout', '-q', 'upstream');
        await put('long.txt', `new\n${long('EARLY', 'late')}`);
        commit('new');
        git('checkout', '-q', 'main');
        await ours();
      },
      work: async () => {
        git('merge', '-q', '--no-edit', 'upstream');
        await world.turns.scan();
        await put('long.txt', `new\n${long('EARLY', 'LATE')}agent\n`);
        await world.turns.scan();
      },
      rows: ['changed long.txt'],
      git: { 'a.txt': 'upstream', 'b.txt': 'upstream', 'long.txt': 'upstream', 'moved.txt': 'upstream' },
      undone: { 'long.txt': `new\n${long('EARLY', 'LATE')}` },
    },
    {
      what: 'merge that the user has undone, and that a commit of the turn lacks',
      before: () => put('long.txt', `mine\n${long('early', 'late')}`),
      work: async () => {
        await put('long.txt', long('early', 'late'));
        await world.turns.scan();
        git('merge', '-q', '--ff-only', 'upstream');
        await world.turns.scan();
        await world.review.undoFile(world.at('long.txt'));
        git('commit', '-qam', 'without');
        await put('long.txt', `mine\n${long('early', 'late')}agent\n`);
      },
      rows: ['changed long.txt'],
      git: { 'a.txt': 'upstream', 'b.txt': 'upstream', 'moved.txt': 'upstream' },
      undone: { 'long.txt': `mine\n${long('early', 'late')}` },
    },
    {
      what: 'merge that brings a mode, beside one of the agent',
      before: async () => {
        for (const name of ['run.sh', 'own.sh']) await put(name, 'echo\n');
        commit('scripts');
        git('checkout', '-qb', 'modes');
        git('update-index', '--chmod=+x', 'run.sh');
        git('checkout', '-q', '--', 'run.sh');
        commit('mode');
        git('checkout', '-q', 'main');
      },
      work: async () => {
        git('merge', '-q', '--ff-only', 'modes');
        await chmod(world.at('own.sh'), 0o755);
      },
      ...(process.platform !== 'win32' && { rows: ['changed own.sh'], git: { 'run.sh': 'modes' } }),
    },
    {
      what: 'a worktree inside of the folder',
      work: () => git('worktree', 'add', '-q', 'tree', 'upstream'),
    },
    {
      what: 'a clone inside of the folder',
      work: () => gitIn(world.folder, 'clone', '-q', '.', 'copy'),
    },
    {
      what: 'a submodule that moves on',
      before: async () => {
        gitIn(world.base, 'clone', '-q', '-b', 'main', world.folder, 'library');
        git('submodule', '--quiet', 'add', '../library', 'lib');
        commit('submodule');
        const library = `${world.base}/library`;
        await writeFile(`${library}/a.txt`, 'library a\n');
        gitIn(library, 'commit', '-qam', 'on');
      },
      work: () => git('submodule', '--quiet', 'update', '--remote'),
      git: { 'lib/a.txt': 'lib' },
    },
    {
      what: 'a submodule that is checked out',
      before: async () => {
        gitIn(world.base, 'clone', '-q', '-b', 'main', world.folder, 'library');
        git('submodule', '--quiet', 'add', '../library', 'lib');
        commit('submodule');
        git('submodule', '--quiet', 'deinit', '-f', 'lib');
        await rm(world.at('.git/modules'), { recursive: true });
      },
      work: () => git('submodule', '--quiet', 'update', '--init'),
    },
  ];

  for (const { what, before, work, rows = [], git: brought = {}, undone = {} } of cases) {
    it(what, async () => {
      await before?.();
      await world.turn(async () => {
        await work();
        await put('mine.txt', 'mine\n');
      });
      const sourceOf = (from: string): string => {
        if (from === 'lib') return gitIn(world.at('lib'), 'rev-parse', 'HEAD').slice(0, 8);
        return from.startsWith('HEAD') ? git('rev-parse', from).slice(0, 8) : from;
      };
      const sources = Object.entries(brought).map(([name, from]) => [name, sourceOf(from)]);
      const found = world.review.files().map(({ label, status }) => `${status} ${label}`);
      assert.deepEqual(
        [found, world.fromGit],
        [[...rows, 'created mine.txt'].toSorted(byName), Object.fromEntries(sources)],
      );
      const after = await files();
      assert.deepEqual((await world.review.undoAll()).problems, []);
      const expected = { ...after, ...undone, 'mine.txt': undefined };
      assert.deepEqual(
        await files(),
        Object.fromEntries(Object.entries(expected).filter(([, text]) => text !== undefined)),
      );
    });
  }

  const byName = (a: string, b: string): number => ((a.split(' ')[1] ?? '') < (b.split(' ')[1] ?? '') ? -1 : 1);

  async function files(): Promise<Record<string, string>> {
    const all = Object.entries(await filesOf(world.folder)).filter(([name]) => !/(^|\/)\.git(\/|$)/.test(name));
    return Object.fromEntries(all.map(([name, text]) => [name, text.slice(2)]));
  }
});

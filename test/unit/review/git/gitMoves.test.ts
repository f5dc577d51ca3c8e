import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { folderTemplate } from '../../../kit/folderTemplate';
import { gitEnvironment } from '../../../kit/runGit';
import { DiskWorld, filesOf } from '../diskWorld';

describe('what git brings into the files of a turn', function () {
  this.timeout(30_000);
  let world: DiskWorld;

  const gitIn = (cwd: string, ...args: string[]): void =>
    void execFileSync(
      'git',
      [
        '-c',
        'user.name=a',
        '-c',
        'user.email=a@b',
        '-c',
        'commit.gpgsign=false',
        '-c',
        'merge.conflictstyle=merge',
        ...args,
      ],
      { cwd, stdio: 'pipe', env: { ...gitEnvironment(), GIT_EDITOR: 'true', GIT_SEQUENCE_EDITOR: 'true' } },
    );
  const git = (...args: string[]): void => gitIn(world.folder, ...args);
  const put = (name: string, text: string): Promise<void> => writeFile(world.at(name), text);
  const text = (name: string): Promise<string> => readFile(world.at(name), 'utf8');
  const commitIn = (cwd: string, message: string): void => {
    gitIn(cwd, 'add', '-A');
    gitIn(cwd, 'commit', '-qm', message);
  };
  const commit = (message: string): void => commitIn(world.folder, message);
  const changes = (): string[] => world.review.files().map(({ label, status }) => `${status} ${label}`);
  const lines = (...all: string[]): string => all.map((line) => `${line}\n`).join('');
  const LONG = Array.from({ length: 30 }, (_, at) => `line ${at}`);
  /** Line 2 and 25 of the long file. */
  const long = (second: string, late: string): string => lines(...LONG.with(2, second).with(25, late));
  const undoAll = async (): Promise<void> => assert.deepEqual((await world.review.undoAll()).problems, []);

  /** `main` is checked out; `upstream` has changed, added and deleted files. */
  const repository = folderTemplate(async (folder) => {
    const write = (name: string, content: string): Promise<void> => writeFile(join(folder, name), content);
    gitIn(folder, 'init', '-q', '-b', 'main');
    for (const at of [1, 2, 3]) await write(`l${at}.txt`, `old ${at}\n`);
    await write('long.txt', long('two', 'late'));
    await write('gone.txt', 'gone\n');
    commitIn(folder, 'first');
    gitIn(folder, 'checkout', '-qb', 'upstream');
    for (const at of [1, 2, 3]) await write(`l${at}.txt`, `new ${at}\n`);
    await write('long.txt', long('TWO', 'late'));
    await write('fresh.txt', 'fresh\n');
    await rm(join(folder, 'gone.txt'));
    commitIn(folder, 'upstream');
    gitIn(folder, 'checkout', '-q', 'main');
  });

  beforeEach(async () => {
    world = await DiskWorld.open();
    await repository(world.folder);
    git('update-index', '--refresh');
  });

  afterEach(() => world.close());

  const UPSTREAM = ['fresh.txt', 'gone.txt', 'l1.txt', 'l2.txt', 'l3.txt', 'long.txt'];
  const fromUpstream = Object.fromEntries(UPSTREAM.map((name) => [name, 'upstream']));

  /** The agent's change is `mine.txt`; everything else stays as git has it. */
  async function onlyMine(work: () => Promise<unknown> | void, expected: Record<string, string>): Promise<void> {
    await world.turn(async () => {
      await work();
      await put('mine.txt', 'mine\n');
    });
    const after = await filesOf(world.folder);
    assert.deepEqual(changes(), ['created mine.txt']);
    assert.deepEqual(world.fromGit, expected);
    assert.deepEqual(
      world.turnFiles.map(({ label }) => label),
      ['mine.txt'],
    );
    await undoAll();
    const { 'mine.txt': _undone, ...rest } = after;
    assert.deepEqual(withoutGit(await filesOf(world.folder)), withoutGit(rest));
  }

  it('a merge by fast-forward', () => onlyMine(() => git('merge', '-q', '--ff-only', 'upstream'), fromUpstream));
  it('a checkout', () => onlyMine(() => git('checkout', '-q', 'upstream'), fromUpstream));
  it('a checkout without a branch', () => onlyMine(() => git('checkout', '-q', '--detach', 'upstream'), fromUpstream));
  it('a hard reset', () => onlyMine(() => git('reset', '-q', '--hard', 'upstream'), fromUpstream));
  it('a merge that is not committed', () =>
    onlyMine(() => git('merge', '-q', '--no-ff', '--no-commit', 'upstream'), fromUpstream));
  it('a squashed merge', () =>
    onlyMine(() => git('merge', '-q', '--squash', 'upstream'), { ...fromUpstream, 'gone.txt': 'upstream' }));
  it('a cherry-pick', () => onlyMine(() => git('cherry-pick', 'upstream'), fromUpstream));

  it('a merge with a commit of its own, whose files had changed on both sides', async () => {
    await put('long.txt', long('two', 'LATE'));
    commit('ours');
    await onlyMine(() => git('merge', '-q', '--no-edit', 'upstream'), fromUpstream);
    assert.equal(await text('long.txt'), long('TWO', 'LATE'));
  });

  it('a rebase', async () => {
    await put('long.txt', long('two', 'LATE'));
    commit('ours');
    await onlyMine(() => git('rebase', '-q', 'upstream'), fromUpstream);
    assert.equal(await text('long.txt'), long('TWO', 'LATE'));
  });

  it('a pull, of commits made meanwhile', async () => {
    gitIn(world.base, 'clone', '-q', world.folder, 'other');
    git('remote', 'add', 'origin', '../other');
    const pull = (): void => {
      const other = `${world.base}/other`;
      gitIn(other, 'checkout', '-q', 'main');
      gitIn(other, 'merge', '-q', 'origin/upstream');
      gitIn(other, 'commit', '-q', '--allow-empty', '-m', 'a colleague');
      git('pull', '-q', 'origin', 'main');
    };
    await world.turn(async () => pull());
    assert.deepEqual([changes(), Object.keys(world.fromGit).sort()], [[], UPSTREAM]);
  });

  it('a stash of before', async () => {
    await put('l1.txt', 'stashed\n');
    await put('untracked.txt', 'stashed, too\n');
    git('stash', '-q', '-u');
    await onlyMine(() => git('stash', 'pop', '-q'), { 'l1.txt': 'stash', 'untracked.txt': 'stash' });
  });

  it('not what the agent stashes, commits, amends and merges itself', async () => {
    await world.turn(async () => {
      await put('l1.txt', 'agent 1\n');
      git('stash', '-q');
      git('stash', 'pop', '-q');
      await put('l2.txt', 'agent 2\n');
      commit('two');
      await put('l3.txt', 'agent 3\n');
      git('add', '-A');
      git('commit', '-q', '--amend', '--no-edit');
      git('checkout', '-qb', 'topic');
      await put('mine.txt', 'mine\n');
      commit('mine');
      git('checkout', '-q', 'main');
      git('merge', '-q', 'topic');
    });
    assert.deepEqual(changes(), ['changed l1.txt', 'changed l2.txt', 'changed l3.txt', 'created mine.txt']);
    assert.deepEqual(world.fromGit, {});
    await undoAll();
    assert.deepEqual(
      [await text('l1.txt'), await text('l2.txt'), await text('l3.txt')],
      ['old 1\n', 'old 2\n', 'old 3\n'],
    );
  });

  it('not what the agent takes back with git: only Parley has the text of the user', async () => {
    await put('l1.txt', 'not committed\n');
    await world.turn(async () => git('checkout', '-q', '--', 'l1.txt'));
    assert.deepEqual(changes(), ['changed l1.txt']);
    await undoAll();
    assert.equal(await text('l1.txt'), 'not committed\n');
    await world.turn(async () => git('reset', '-q', '--hard', 'upstream'));
    assert.deepEqual(changes(), ['changed l1.txt']);
    await undoAll();
    assert.equal(await text('l1.txt'), 'not committed\n');
  });

  it('below a change of the agent, also of the same lines', async () => {
    await world.turn(async () => {
      await put('long.txt', long('two', 'agent'));
      commit('agent');
      git('merge', '-q', '--no-edit', 'upstream');
      await put('l1.txt', 'agent 1\n');
      await put('fresh.txt', 'agent\n');
    });
    assert.deepEqual(changes(), ['changed fresh.txt', 'changed l1.txt', 'changed long.txt']);
    await undoAll();
    assert.deepEqual([await text('l1.txt'), await text('fresh.txt')], ['new 1\n', 'fresh\n']);
    assert.equal(await text('long.txt'), long('TWO', 'late'));
  });

  it('below a change of an earlier turn, which is committed and not reviewed', async () => {
    await world.turn(async () => put('long.txt', long('two', 'agent')));
    commit('agent');
    await onlyUpstream();
    assert.deepEqual(changes(), ['changed long.txt']);
    await undoAll();
    assert.equal(await text('long.txt'), long('TWO', 'late'));
  });

  async function onlyUpstream(): Promise<void> {
    await world.turn(async () => git('merge', '-q', '--no-edit', 'upstream'), 2);
  }

  it('and takes away again, as by a visit to another branch', async () => {
    await world.turn(async () => put('l1.txt', 'agent\n'));
    commit('agent');
    await world.turn(async () => {
      git('checkout', '-q', 'upstream');
      await world.turns.scan();
      assert.deepEqual(changes(), []);
      git('checkout', '-q', 'main');
    }, 2);
    assert.deepEqual([changes(), world.fromGit, world.turnFiles], [['changed l1.txt'], {}, []]);
    await undoAll();
    assert.equal(await text('l1.txt'), 'old 1\n');
  });

  it('not a soft reset, which leaves the files', async () => {
    await world.turn(async () => {
      await put('l1.txt', 'agent\n');
      git('reset', '-q', '--soft', 'upstream');
    });
    assert.deepEqual(changes(), ['changed l1.txt']);
    await undoAll();
    assert.equal(await text('l1.txt'), 'old 1\n');
  });

  it('not a merge with a conflict, which the agent resolves', async () => {
    await put('l1.txt', 'ours\n');
    commit('ours');
    await world.turn(async () => {
      assert.throws(() => git('merge', '-q', 'upstream'));
      await put('l1.txt', 'resolved\n');
      commit('merge');
    });
    assert.deepEqual(changes(), ['changed l1.txt']);
    await undoAll();
    assert.equal(await text('l1.txt'), 'ours\n');
  });
});

function withoutGit(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([name]) => !name.startsWith('.git/')));
}

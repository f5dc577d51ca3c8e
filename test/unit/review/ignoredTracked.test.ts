import assert from 'node:assert/strict';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { runGit } from '../../kit/runGit';
import { DiskWorld } from './diskWorld';

/** Git does not ignore a file that it tracks, also if an ignore rule matches its name. */
describe('a tracked file that an ignore rule matches', function () {
  this.timeout(60_000);
  let world: DiskWorld;

  const MINE = 'not committed\n';
  const put = (name: string, text: string): Promise<void> => writeFile(world.at(name), text);
  const text = (name: string): Promise<string> => readFile(world.at(name), 'utf8');
  const git = (...args: string[]): string => runGit(world.folder, '-c', 'protocol.file.allow=always', ...args);
  const nothing = async (): Promise<void> => undefined;
  const rows = (): string[] => world.review.files().map(({ label, status }) => `${status} ${label}`);

  beforeEach(async () => {
    world = await DiskWorld.open();
    git('init', '-q', '-b', 'main');
    await put('a.txt', 'a\n');
    await put('.gitignore', '*.local\nbuild/\n');
    git('add', '-A');
    git('commit', '-qm', 'first');
  });

  afterEach(() => world.close());

  const addByForce = async (name = 'conf.local'): Promise<void> => {
    await put(name, 'first\n');
    git('add', '-f', name);
    git('commit', '-qm', 'forced');
  };

  /** An agent overwrites the user's text, and both ways back restore it. */
  async function isUnderReview(name = 'conf.local', entry = 9): Promise<void> {
    await put(name, MINE);
    await world.turn(() => put(name, 'agent\n'), entry);
    assert.deepEqual(rows(), [`changed ${name}`]);
    const preview = await world.checkpoints.preview('s', entry);
    assert.deepEqual(preview.type === 'ready' && preview.changes.map(({ label, status }) => `${status} ${label}`), [
      `changed ${name}`,
    ]);
    assert.deepEqual((await world.review.undoAll()).problems, []);
    assert.equal(await text(name), MINE);
    await put(name, 'agent again\n');
    assert.deepEqual((await world.checkpoints.restore('s', entry)).problems, []);
    assert.equal(await text(name), MINE);
  }

  it('is under review if it was added to git after the first turn', async () => {
    await world.turn(nothing, 0);
    await addByForce();
    await isUnderReview();
  });

  it('is under review if it was in another branch for a turn', async () => {
    git('branch', 'old');
    await addByForce();
    await world.turn(nothing, 0);
    git('checkout', '-q', 'old');
    await world.turn(nothing, 1);
    git('checkout', '-q', 'main');
    await isUnderReview();
  });

  it('is under review if it was away for a turn, and the index stayed as it was', async () => {
    await addByForce();
    await rename(world.at('conf.local'), `${world.outside}/conf`);
    await world.turn(nothing, 0);
    await world.turn(nothing, 1);
    await rename(`${world.outside}/conf`, world.at('conf.local'));
    await isUnderReview();
  });

  it('is under review if it was too large for a turn', async () => {
    await addByForce();
    await put('conf.local', 'x'.repeat(10 * 1024 * 1024 + 1));
    await world.turn(nothing, 0);
    await isUnderReview();
  });

  it('is under review if git hides changes of it (skip-worktree)', async () => {
    await addByForce();
    git('update-index', '--skip-worktree', 'conf.local');
    await isUnderReview();
  });

  it('is under review in an ignored folder, and with a split index', async () => {
    git('config', 'core.splitIndex', 'true');
    await world.turn(nothing, 0);
    await mkdir(world.at('build'));
    await addByForce('build/out.txt');
    await isUnderReview('build/out.txt');
  });

  it('is under review where the workspace folder is inside of the repository', async () => {
    await mkdir(world.at('app'));
    world.folders = [world.at('app')];
    await world.turn(nothing, 0);
    await addByForce('app/conf.local');
    await put('app/conf.local', MINE);
    await world.turn(() => put('app/conf.local', 'agent\n'), 1);
    assert.deepEqual(rows(), ['changed app/conf.local']);
  });

  it('is under review if a turn deletes it, or brings it back', async () => {
    await world.turn(nothing, 0);
    await addByForce();
    await put('conf.local', MINE);
    await world.turn(() => rm(world.at('conf.local')), 1);
    assert.deepEqual(rows(), ['deleted conf.local']);
    await world.review.undoAll();
    assert.equal(await text('conf.local'), MINE);
    await rm(world.at('conf.local'));
    await world.turn(() => put('conf.local', 'agent\n'), 2);
    assert.deepEqual(rows(), ['created conf.local']);
  });

  it('is listed if the agent created and added it, but not if it was there before', async () => {
    await put('mine.local', MINE);
    await world.turn(async () => {
      await put('mine.local', 'agent\n');
      await put('new.local', 'agent\n');
      await put('ignored.local', 'agent\n');
      git('add', '-f', 'mine.local', 'new.local');
      git('commit', '-qm', 'agent');
    }, 0);
    assert.deepEqual(rows(), ['created new.local']);
    // Nobody knows its content before.
    const preview = await world.checkpoints.preview('s', 0);
    assert.ok(preview.type === 'ready' && preview.notes.some((note) => note.includes('mine.local')));
    await world.checkpoints.restore('s', 0);
    assert.equal(await text('mine.local'), 'agent\n');
  });

  it('is under review in a submodule that a rule matches', async () => {
    runGit(world.outside, 'init', '-q');
    await writeFile(`${world.outside}/p.txt`, 'p\n');
    runGit(world.outside, 'add', '-A');
    runGit(world.outside, 'commit', '-qm', 'sub');
    git('submodule', '--quiet', 'add', '--force', world.outside, 'build/sub');
    git('commit', '-qm', 'submodule');
    await put('build/sub/p.txt', MINE);
    await world.turn(() => put('build/sub/p.txt', 'agent\n'), 0);
    assert.deepEqual(rows(), ['changed build/sub/p.txt']);
    await world.review.undoAll();
    assert.equal(await text('build/sub/p.txt'), MINE);
  });

  it('is not one outside of the folder or in the repository, whatever the index says', async () => {
    await put('.gitignore', '*\n');
    const index = await readFile(world.at('.git/index'), 'latin1');
    // Git does not check the names when it reads an index, but their order and length.
    for (const name of ['../probe.x', '.git/probe', '-/../probe']) {
      await mkdir(world.at('-'), { recursive: true });
      await writeFile(world.at(name), 'user\n');
      await writeFile(world.at('.git/index'), index.replace('.gitignore', name), 'latin1');
      assert.ok(git('ls-files', '-z').includes(name));
      await world.turn(async () => {
        await put('a.txt', 'agent\n');
        await put(name, 'agent\n');
      }, 1);
      assert.deepEqual(rows(), ['changed a.txt']);
      assert.deepEqual((await world.review.undoAll()).problems, []);
      assert.equal(await text(name), 'agent\n');
    }
  });
});

describe('a file whose changes git hides', function () {
  this.timeout(60_000);

  const hidden: Readonly<Record<string, readonly string[]>> = {
    'assume-unchanged': ['update-index', '--assume-unchanged', 'conf.txt'],
    'skip-worktree': ['update-index', '--skip-worktree', 'conf.txt'],
    'core.ignoreStat': ['-c', 'core.ignoreStat=true', 'reset', '-q', '--hard'],
  };
  for (const [what, args] of Object.entries(hidden))
    it(`is under review: ${what}`, async () => {
      const world = await DiskWorld.open();
      try {
        runGit(world.folder, 'init', '-q');
        for (const name of ['a.txt', 'conf.txt']) await writeFile(world.at(name), 'first\n');
        runGit(world.folder, 'add', '-A');
        runGit(world.folder, 'commit', '-qm', 'first');
        runGit(world.folder, ...args);
        // While it is unchanged, git keeps the flag in a copy of the index.
        await world.turn(async () => undefined, 0);
        await writeFile(world.at('conf.txt'), 'my local text\n');
        await world.turn(async () => writeFile(world.at('conf.txt'), 'agent\n'), 1);
        assert.deepEqual(
          world.review.files().map(({ label }) => label),
          ['conf.txt'],
        );
        await world.review.undoAll();
        assert.equal(await readFile(world.at('conf.txt'), 'utf8'), 'my local text\n');
        await world.turn(async () => writeFile(world.at('conf.txt'), 'agent\n'), 2);
        await world.checkpoints.restore('s', 2);
        assert.equal(await readFile(world.at('conf.txt'), 'utf8'), 'my local text\n');
      } finally {
        await world.close();
      }
    });
});

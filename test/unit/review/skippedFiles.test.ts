import assert from 'node:assert/strict';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runGit } from '../../kit/runGit';
import { DiskWorld, filesOf } from './diskWorld';

const LARGE = 'x'.repeat(10 * 1024 * 1024 + 1);

describe('a file that a restore cannot change', () => {
  let world: DiskWorld;

  beforeEach(async () => {
    world = await DiskWorld.open();
    for (const name of ['a.txt', 'b.txt']) await writeFile(world.at(name), 'before\n');
    await world.begin(0);
  });

  afterEach(() => world.close());

  async function restored(): Promise<[string, string][]> {
    await world.end();
    const { problems } = await world.checkpoints.restore('s', 0);
    return problems.map(({ path, message }) => [path.slice(world.folder.length + 1), message]);
  }

  it('is listed with the reason if it has become too large, and the others are restored', async () => {
    await writeFile(world.at('a.txt'), LARGE);
    await writeFile(world.at('b.txt'), 'after\n');
    assert.deepEqual(await restored(), [['a.txt', 'Not changed: the file is now larger than 10 MiB.']]);
    assert.deepEqual(await filesOf(world.folder), { 'a.txt': `- ${LARGE}`, 'b.txt': '- before\n' });
  });

  it('is named by Undo All if the agent has created it and it is too large, also beside others', async () => {
    await writeFile(world.at('a.txt'), 'after\n');
    await writeFile(world.at('model.bin'), Buffer.alloc(10 * 1024 * 1024 + 1));
    await writeFile(world.at('gone.bin'), Buffer.alloc(10 * 1024 * 1024 + 1));
    await world.end();
    await world.tracker.forgetUnchanged();
    await rm(world.at('gone.bin'));
    const { problems } = await world.review.undoAll('s');
    assert.deepEqual(problems, [
      { path: world.at('model.bin'), message: 'Not changed: the file is now larger than 10 MiB.' },
    ]);
    assert.equal((await filesOf(world.folder))['a.txt'], '- before\n');
    assert.deepEqual((await world.review.undoAll('other')).problems, []);
    await world.review.keepAll('s');
    assert.deepEqual((await world.review.undoAll('s')).problems, []);
  });

  it('is named by Undo All also if it can be read again', async () => {
    await world.turn(() => writeFile(world.at('a.txt'), LARGE), 1);
    await writeFile(world.at('a.txt'), 'smaller\n');
    const { problems } = await world.review.undoAll('s');
    assert.deepEqual(problems, [
      { path: world.at('a.txt'), message: 'Not changed: the file could not be read when the agent changed it.' },
    ]);
    await world.review.keepAll('s');
    assert.deepEqual((await world.review.undoAll('s')).problems, []);
  });

  it('stays if it was too large, also after a program has replaced it by a small one', async () => {
    await writeFile(world.at('big.txt'), LARGE);
    await world.turn(async () => undefined, 1);
    await writeFile(`${world.outside}/big`, 'small\n');
    await rename(`${world.outside}/big`, world.at('big.txt'));
    const preview = await world.checkpoints.preview('s', 1);
    assert.ok(preview.type === 'ready');
    assert.deepEqual(preview.changes, []);
    assert.match(preview.notes.join('\n'), /big\.txt is left unchanged: it was too large/);
    await world.checkpoints.restore('s', 1);
    assert.equal((await filesOf(world.folder))['big.txt'], '- small\n');
  });

  it('is named at the end of the turn that overwrites or deletes it, if it was too large', async () => {
    for (const name of ['big.txt', 'gone.txt', 'same.txt']) await writeFile(world.at(name), LARGE);
    await world.turn(async () => {
      await writeFile(world.at('big.txt'), 'agent\n');
      await rm(world.at('gone.txt'));
      // Another turn begins meanwhile.
      await world.checkpoints.create('other', 0).done;
    }, 1);
    assert.deepEqual(world.omitted.toSorted(), ['big.txt', 'gone.txt']);
    assert.deepEqual(world.review.files(), []);
    await world.turn(async () => undefined, 2);
    assert.deepEqual(world.omitted, []);
    await world.turn(() => writeFile(world.at('big.txt'), 'agent again\n'), 3);
    assert.deepEqual(
      [world.omitted, world.review.files().map(({ label, status }) => `${status} ${label}`)],
      [[], ['changed big.txt']],
    );
  });

  // Modes stop neither root nor Windows; `npm run odd` runs it as a user without rights.
  if (process.getuid?.() !== 0 && process.platform !== 'win32')
    for (const [what, mode] of [
      ['list', 0o100],
      ['search', 0o444],
      ['open', 0],
    ] as const)
      it(`stays if it was in a folder that Parley could not ${what}: the checkpoint has no earlier content of it`, async () => {
        await mkdir(world.at('src'));
        runGit(world.folder, 'init', '-q');
        await writeFile(world.at('src/a.txt'), 'commit\n');
        runGit(world.folder, 'add', '-A');
        runGit(world.folder, 'commit', '-qm', 'first');
        await world.turn(async () => undefined, 0);
        for (const name of ['src/a.txt', 'src/new.txt']) await writeFile(world.at(name), 'not committed\n');
        await chmod(world.at('src'), mode);
        await world.turn(async () => chmod(world.at('src'), 0o755), 1);
        assert.deepEqual(world.review.files(), []);
        await writeFile(world.at('b.txt'), 'after\n');
        const preview = await world.checkpoints.preview('s', 1);
        assert.ok(preview.type === 'ready');
        assert.deepEqual(
          preview.changes.map(({ label }) => label),
          ['b.txt'],
        );
        assert.match(preview.notes.join('\n'), /^Left unchanged \(too large or unreadable\): src$/m);
        await world.checkpoints.restore('s', 1);
        const files = await filesOf(world.at('src'));
        assert.deepEqual(files, { 'a.txt': '- not committed\n', 'new.txt': '- not committed\n' });
      });

  if (process.getuid?.() !== 0 && process.platform !== 'win32')
    it('is named if it could not be read at the checkpoint, or cannot be restored', async () => {
      await mkdir(world.at('src'));
      runGit(world.folder, 'init', '-q');
      for (const name of ['src/a.txt', 'b.txt']) await writeFile(world.at(name), 'commit\n');
      runGit(world.folder, 'add', '-A');
      runGit(world.folder, 'commit', '-qm', 'first');
      for (const name of ['src/a.txt', 'b.txt']) await writeFile(world.at(name), 'not committed\n');
      await chmod(world.at('b.txt'), 0);
      await world.turn(async () => undefined, 1);
      await chmod(world.at('b.txt'), 0o644);
      await writeFile(world.at('src/a.txt'), 'later\n');
      await chmod(world.at('src'), 0);
      const { problems } = await world.checkpoints.restore('s', 1);
      await chmod(world.at('src'), 0o755);
      assert.deepEqual(problems, [{ path: world.at('src/a.txt'), message: 'Not changed: the file cannot be read.' }]);
      assert.equal((await filesOf(world.folder))['b.txt'], '- not committed\n');
    });

  it('is in a folder that is named, if the storage was deleted meanwhile', async () => {
    await writeFile(world.at('.gitignore'), 'data.txt\n');
    await writeFile(world.at('data.txt'), 'mine\n');
    await world.turn(async () => {
      await world.tracker.runAgentEdit('s', world.at('data.txt'), () => writeFile(world.at('data.txt'), 'agent\n'));
    }, 1);
    await rm(join(world.storage, 'git'), { recursive: true });
    await writeFile(world.at('b.txt'), 'mine, too\n');
    await world.turn(() => writeFile(world.at('a.txt'), 'agent\n'), 2);
    const preview = await world.checkpoints.preview('s', 1);
    assert.ok(preview.type === 'ready');
    assert.deepEqual(
      preview.changes.map(({ label }) => label),
      ['data.txt'],
    );
    assert.match(preview.notes.join('\n'), /work is left unchanged: .* could not be read/);
  });

  it('is an older one that was ignored, also if the clock was behind then: it is neither under review nor deleted', async () => {
    await writeFile(world.at('.gitignore'), 'data.txt\n');
    await writeFile(world.at('data.txt'), 'work of months\n');
    await world.turn(async () => undefined, 1);
    const { now } = Date;
    Date.now = () => now() - 86_400_000;
    try {
      await world.turn(async () => {
        await rm(world.at('.gitignore'));
        await writeFile(world.at('new.txt'), 'agent\n');
      }, 2);
    } finally {
      Date.now = now;
    }
    assert.deepEqual(
      world.review.files().map(({ label }) => label),
      ['.gitignore', 'new.txt'],
    );
    const preview = await world.checkpoints.preview('s', 2);
    assert.ok(preview.type === 'ready');
    assert.match(
      preview.notes.join('\n'),
      /data\.txt is left unchanged: .* no copy of it, as of files that Git ignored$/m,
    );
    const { problems } = await world.checkpoints.restore('s', 2);
    assert.deepEqual(problems, []);
    const ignoring = { '.gitignore': '- data.txt\n', 'data.txt': '- work of months\n' };
    assert.deepEqual(await filesOf(world.folder), { 'a.txt': '- before\n', 'b.txt': '- before\n', ...ignoring });
  });

  it('is listed if a folder with files of the user has replaced it', async () => {
    await rm(world.at('a.txt'));
    await mkdir(world.at('a.txt'));
    await writeFile(world.at('a.txt/.gitignore'), '*\n');
    await writeFile(world.at('a.txt/secret'), 'ignored\n');
    const [problem] = await restored();
    assert.equal(problem?.[0], 'a.txt');
    assert.equal((await filesOf(world.folder))['a.txt/secret'], '- ignored\n');
  });
});

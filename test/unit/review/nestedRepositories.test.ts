import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runGit } from '../../kit/runGit';
import { DiskWorld, filesOf } from './diskWorld';

function git(cwd: string, ...args: readonly string[]): void {
  runGit(cwd, '-c', 'protocol.file.allow=always', ...args);
}

describe('a nested repository', () => {
  let world: DiskWorld;

  beforeEach(async () => {
    world = await DiskWorld.open();
    const library = join(world.outside, 'library');
    await mkdir(library);
    git(library, 'init', '-q', '-b', 'main');
    for (const name of ['a.txt', 'b.txt']) await writeFile(join(library, name), `${name}\n`);
    git(library, 'add', '-A');
    git(library, 'commit', '-qm', 'x');
    git(world.folder, 'init', '-q', '-b', 'main');
    git(world.folder, 'submodule', 'add', '-q', library, 'sub');
    git(world.folder, 'commit', '-qm', 'sub');
    await writeFile(world.at('sub/a.txt'), 'changed by the user\n');
  });

  afterEach(() => world.close());

  /** The files without those of git. */
  async function contents(): Promise<Record<string, string>> {
    const files = Object.entries(await filesOf(world.folder));
    return Object.fromEntries(files.filter(([name]) => !/(?:^|\/)\.git(?:\/|$)/.test(name)));
  }

  it('that the agent deletes is under review, and Undo and Restore bring its files back', async () => {
    const before = await contents();
    await world.turn(() => rm(world.at('sub'), { recursive: true }));
    assert.deepEqual(
      world.review.files().map(({ label, status }) => [label.replaceAll('\\', '/'), status]),
      [
        ['sub/a.txt', 'deleted'],
        ['sub/b.txt', 'deleted'],
      ],
    );
    assert.deepEqual((await world.review.undoAll()).problems, []);
    assert.deepEqual(await contents(), before);
    await rm(world.at('sub'), { recursive: true });
    assert.deepEqual((await world.checkpoints.restore('s', 0)).problems, []);
    assert.deepEqual(await contents(), before);
  });

  it('that the agent replaces by a file is restored with all other files', async () => {
    const before = await contents();
    await world.turn(async () => {
      await rm(world.at('sub'), { recursive: true });
      await writeFile(world.at('sub'), 'agent\n');
      await writeFile(world.at('new.txt'), 'agent\n');
    });
    assert.deepEqual(
      world.review.files().map(({ label, status }) => [label.replaceAll('\\', '/'), status]),
      [
        ['new.txt', 'created'],
        ['sub', 'created'],
        ['sub/a.txt', 'deleted'],
        ['sub/b.txt', 'deleted'],
      ],
    );
    assert.deepEqual((await world.review.undoAll()).problems, []);
    assert.deepEqual(await contents(), before);
    await rm(world.at('sub'), { recursive: true });
    await writeFile(world.at('sub'), 'agent\n');
    assert.deepEqual((await world.checkpoints.restore('s', 0)).problems, []);
    assert.deepEqual(await contents(), before);
  });

  it('that the agent makes a plain folder keeps its files when a checkpoint is restored', async () => {
    const before = await contents();
    await world.begin(0);
    await rm(world.at('sub/.git'));
    await writeFile(world.at('sub/a.txt'), 'agent\n');
    await writeFile(world.at('sub/new.txt'), 'agent\n');
    await world.end();
    const { undoId, problems } = await world.checkpoints.restore('s', 0);
    assert.deepEqual([problems, await contents()], [[], before]);
    await world.checkpoints.undoRestore('s', undoId ?? '');
    assert.deepEqual(await contents(), { ...before, 'sub/a.txt': '- agent\n', 'sub/new.txt': '- agent\n' });
  });

  it('that the agent creates stays when a checkpoint is restored, which says so', async () => {
    await world.begin(0);
    await mkdir(world.at('app'));
    git(world.at('app'), 'init', '-q');
    await writeFile(world.at('app/main.txt'), 'agent\n');
    await world.end();
    const preview = await world.checkpoints.preview('s', 0);
    assert.match(
      (preview.type === 'ready' && preview.notes.join('\n')) || '',
      /^New files in .*app are left unchanged/,
    );
  });
});

import assert from 'node:assert/strict';
import { chmod, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { runGit } from '../../kit/runGit';
import { DiskWorld } from './diskWorld';

describe('modes of files under review', function () {
  this.timeout(60_000);
  if (process.platform === 'win32') return;
  let world: DiskWorld;

  const MODES = { 'secret.txt': 0o600, 'shared.txt': 0o640, 'fixed.txt': 0o444, 'run.sh': 0o755, 'own.sh': 0o700 };
  const NAMES = Object.keys(MODES) as (keyof typeof MODES)[];

  beforeEach(async () => {
    world = await DiskWorld.open();
    runGit(world.folder, 'init', '-q');
    await writeFile(world.at('plain.txt'), 'plain\n');
    await chmod(world.at('plain.txt'), 0o644);
    for (const [name, mode] of Object.entries(MODES)) {
      await writeFile(world.at(name), `${name}\n`);
      await chmod(world.at(name), mode);
    }
  });

  afterEach(() => world.close());

  const modeOf = async (name: string): Promise<number> => (await stat(world.at(name))).mode & 0o7777;
  const modes = async (): Promise<Record<string, number>> =>
    Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await modeOf(name)] as const)));
  const listed = (): Record<string, string | undefined> =>
    Object.fromEntries(world.review.files().map(({ label, modes: words }) => [label, words]));

  /** As editors and formatters do. */
  async function replaceWhole(name: string): Promise<void> {
    await writeFile(world.at('beside'), 'agent\n', { mode: 0o644 });
    await rename(world.at('beside'), world.at(name));
  }

  const CHANGES: Readonly<Record<string, (name: keyof typeof MODES) => Promise<void>>> = {
    'are deleted': (name) => rm(world.at(name)),
    'are replaced by files with the usual mode': replaceWhole,
    'get another mode': (name) => chmod(world.at(name), MODES[name] === 0o600 ? 0o644 : 0o600),
    'get another mode and text': async (name) => {
      await chmod(world.at(name), 0o666);
      await writeFile(world.at(name), 'agent\n');
    },
  };

  for (const [what, change] of Object.entries(CHANGES)) {
    it(`come back with Undo All, and go with Redo, of files that ${what}`, async () => {
      await world.turn(async () => {
        for (const name of NAMES) await change(name);
      });
      assert.deepEqual(Object.keys(listed()).toSorted(), NAMES.toSorted());
      const after = await modes().catch(() => undefined);
      assert.deepEqual((await world.review.undoAll()).problems, []);
      assert.deepEqual(await modes(), MODES);
      assert.deepEqual(listed(), {});
      await world.review.undoLast();
      assert.deepEqual(await modes().catch(() => undefined), after);
    });

    it(`come back with Restore Checkpoint in the next window, and go with its Undo, of files that ${what}`, async () => {
      await world.turn(async () => {
        for (const name of NAMES) await change(name);
      });
      const after = await modes().catch(() => undefined);
      await world.file.write();
      world.agents.writers.dispose();
      world = await DiskWorld.reopen(world.base);
      const { problems, undoId } = await world.checkpoints.restore('s', 0);
      assert.deepEqual([problems, await modes()], [[], MODES]);
      await world.checkpoints.undoRestore('s', undoId ?? '');
      assert.deepEqual(await modes().catch(() => undefined), after);
    });
  }

  it('that alone were changed are named, and kept by Keep', async () => {
    await world.turn(async () => {
      await chmod(world.at('plain.txt'), 0o755);
      await chmod(world.at('secret.txt'), 0o644);
    });
    const shown = { 'plain.txt': '0644 → 0755', 'secret.txt': '0600 → 0644' };
    assert.deepEqual(listed(), shown);
    await world.file.write();
    world.agents.writers.dispose();
    world = await DiskWorld.reopen(world.base);
    assert.deepEqual(listed(), shown);
    await world.review.keepFile(world.at('plain.txt'));
    await world.review.undoFile(world.at('secret.txt'));
    assert.deepEqual([listed(), await modeOf('plain.txt'), await modeOf('secret.txt')], [{}, 0o755, 0o600]);
  });

  it('that alone were changed are named in a repository with commits, too', async () => {
    runGit(world.folder, 'add', '-A');
    runGit(world.folder, 'commit', '-qm', 'x');
    await world.turn(async () => {
      await chmod(world.at('plain.txt'), 0o755);
      await chmod(world.at('run.sh'), 0o644);
    });
    assert.deepEqual([world.fromGit, listed()], [{}, { 'plain.txt': '0644 → 0755', 'run.sh': '0755 → 0644' }]);
    await world.review.undoAll();
    assert.deepEqual([await modeOf('plain.txt'), await modeOf('run.sh')], [0o644, 0o755]);
  });

  it('that the user changed between turns stay', async () => {
    await world.turn(() => replaceWhole('run.sh'));
    await chmod(world.at('secret.txt'), 0o640);
    await world.turn(() => replaceWhole('secret.txt'), 2);
    await world.review.undoAll();
    assert.deepEqual([await modeOf('secret.txt'), await modeOf('run.sh')], [0o640, 0o755]);
  });

  it('are known in folders below a repository, too', async () => {
    await mkdir(world.at('lib'));
    await writeFile(world.at('lib/key'), 'key\n', { mode: 0o600 });
    await world.turn(() => replaceWhole('lib/key'));
    await world.review.undoAll();
    assert.equal(await modeOf('lib/key'), 0o600);
  });

  it('are no changes with core.fileMode=false', async () => {
    runGit(world.folder, 'config', 'core.fileMode', 'false');
    await world.turn(async () => {
      await chmod(world.at('plain.txt'), 0o755);
      await writeFile(world.at('run.sh'), 'agent\n');
    });
    assert.deepEqual(listed(), { 'run.sh': undefined });
    await world.review.undoAll();
    assert.deepEqual([await modeOf('plain.txt'), await modeOf('run.sh')], [0o755, 0o755]);
  });

  it('come back with a deleted file, also with core.fileMode=false', async () => {
    runGit(world.folder, 'config', 'core.fileMode', 'false');
    await world.turn(() => Promise.all(NAMES.map((name) => rm(world.at(name)))));
    await world.file.write();
    world.agents.writers.dispose();
    world = await DiskWorld.reopen(world.base);
    await world.review.undoAll();
    assert.deepEqual([await modes(), listed()], [MODES, {}]);
    await Promise.all(NAMES.map((name) => rm(world.at(name))));
    const { problems } = await world.checkpoints.restore('s', 0);
    assert.deepEqual([problems, await modes(), listed()], [[], MODES, {}]);
  });
});

import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { runGit } from '../../kit/runGit';
import { DiskWorld, filesOf } from './diskWorld';

describe('a folder whose repository comes, goes or moves after a checkpoint', () => {
  let world: DiskWorld;

  const SUB = 'pkg/sub';
  const NAMES = ['a.txt', 'package.json', 'y.txt'];

  beforeEach(async () => {
    world = await DiskWorld.open();
    await mkdir(world.at(SUB), { recursive: true });
    for (const folder of ['', 'pkg/', `${SUB}/`])
      for (const name of NAMES) await writeFile(world.at(folder + name), `${folder}${name}\n`);
    world.folders = [world.at(SUB), world.outside];
  });

  afterEach(() => world.close());

  function init(folder: string): void {
    runGit(world.at(folder), 'init', '-q', '-b', 'main');
    runGit(world.at(folder), 'add', '-A');
    runGit(world.at(folder), 'commit', '-qm', 'x');
  }
  const removeGit = (folder: string): Promise<void> => rm(world.at(`${folder}/.git`), { recursive: true });

  const changes: Readonly<Record<string, { readonly before?: () => unknown; readonly after: () => unknown }>> = {
    'one around it is created': { after: () => init('pkg') },
    'the one around it is removed': { before: () => init('pkg'), after: () => removeGit('pkg') },
    'the one around it moves up': {
      before: () => init('pkg'),
      after: async () => {
        await removeGit('pkg');
        init('');
      },
    },
    'its own is removed, and there is one around it': {
      before: () => {
        init(SUB);
        init('pkg');
      },
      after: () => removeGit(SUB),
    },
    'the folder around it is opened, too': {
      before: () => init('pkg'),
      after: () => (world.folders = [world.at(SUB), world.outside, world.at('pkg')]),
    },
    'the folder around it is opened instead': {
      before: () => init('pkg'),
      after: () => (world.folders = [world.at('pkg')]),
    },
  };

  const files = async (): Promise<Record<string, string>> =>
    Object.fromEntries(Object.entries(await filesOf(world.at('pkg'))).filter(([name]) => !name.includes('.git/')));

  for (const [what, { before, after }] of Object.entries(changes))
    for (const inNextWindow of what.includes('opened') ? [false, true] : [true])
      it(`is restored with nothing else: ${what}${inNextWindow ? ', and the next window opens' : ''}`, async () => {
        await before?.();
        await writeFile(world.at(`${SUB}/package.json`), 'not committed\n');
        const expected = await files();
        await world.turn(async () => {
          await writeFile(world.at(`${SUB}/a.txt`), 'agent\n');
          await writeFile(world.at(`${SUB}/new.txt`), 'agent\n');
          await rm(world.at(`${SUB}/y.txt`));
        });
        const changed = await files();
        await after();
        if (inNextWindow) {
          const { folders } = world;
          await world.file.write();
          world.agents.writers.dispose();
          world = await DiskWorld.reopen(world.base);
          world.folders = folders;
        }
        const preview = await world.checkpoints.preview('s', 0);
        assert.ok(preview.type === 'ready');
        assert.deepEqual(
          preview.changes.map(({ label, status }) => `${status} ${label.replaceAll('\\', '/')}`),
          [`changed ${SUB}/a.txt`, `deleted ${SUB}/new.txt`, `created ${SUB}/y.txt`],
        );
        const { undoId = '', problems } = await world.checkpoints.restore('s', 0);
        assert.deepEqual(problems, []);
        assert.deepEqual(await files(), expected);
        assert.deepEqual((await world.checkpoints.undoRestore('s', undoId)).problems, []);
        assert.deepEqual(await files(), changed);
      });

  const around: Readonly<Record<string, () => unknown>> = {
    'without a repository': () => undefined,
    'in a repository': () => init('pkg'),
    'in a repository above': () => init(''),
  };
  for (const [where, prepare] of Object.entries(around))
    for (const inNextWindow of [false, true])
      it(`stays under review if only the folder around it is closed in mid-turn, ${where}${inNextWindow ? ', in the next window' : ''}`, async () => {
        await prepare();
        world.folders = [world.at('pkg'), world.at(SUB)];
        await writeFile(world.at(`${SUB}/a.txt`), 'not committed\n');
        const expected = await files();
        await world.turn(async () => {
          await writeFile(world.at(`${SUB}/a.txt`), 'agent\n');
          await writeFile(world.at(`${SUB}/new.txt`), 'agent\n');
          await rm(world.at(`${SUB}/y.txt`));
          world.folders = [world.at(SUB)];
        });
        assert.deepEqual(
          world.review.files().map(({ label, status }) => `${status} ${label.replaceAll('\\', '/')}`),
          [`changed ${SUB}/a.txt`, `created ${SUB}/new.txt`, `deleted ${SUB}/y.txt`],
        );
        // Another program's, in the closed folder.
        await writeFile(world.at('pkg/a.txt'), 'other\n');
        const changed = await files();
        if (inNextWindow) {
          await world.file.write();
          world.agents.writers.dispose();
          world = await DiskWorld.reopen(world.base);
          world.folders = [world.at(SUB)];
        }
        const preview = await world.checkpoints.preview('s', 0);
        assert.ok(preview.type === 'ready');
        assert.deepEqual(preview.notes, [
          `The other files in ${world.at('pkg')} are left unchanged: they are not part of the workspace`,
        ]);
        const { undoId = '', problems } = await world.checkpoints.restore('s', 0);
        assert.deepEqual(problems, []);
        assert.deepEqual(await files(), { ...expected, 'a.txt': '- other\n' });
        assert.deepEqual((await world.checkpoints.undoRestore('s', undoId)).problems, []);
        assert.deepEqual(await files(), changed);
      });
});

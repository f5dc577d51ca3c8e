import assert from 'node:assert/strict';
import { chmod, mkdir, link, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { setHasModes } from '../../../../src/node/fs/permissions';
import { readContent, writeContent } from '../../../../src/review/storage/fileContent';
import type { FileContent } from '../../../../src/review/storage/fileContent';
import { withDisk } from '../../../kit/fullDisk';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { treeOf } from '../diskWorld';

/** As git knows it. */
async function plainContent(path: string): Promise<FileContent | 'unknown' | undefined> {
  const content = await readContent(path);
  return typeof content === 'object' ? { mode: content.mode, bytes: content.bytes } : content;
}

describe('file content', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = temporaryFolder();
    path = join(folder, 'file');
  });

  /** What may exist at the file's path. */
  const before: Readonly<Record<string, () => Promise<void>>> = {
    nothing: async () => undefined,
    'a plain file': () => writeFile(path, 'old', { mode: 0o644 }),
    'an executable file': async () => {
      await writeFile(path, 'old');
      await chmod(path, 0o755);
    },
    'an empty folder': () => mkdir(path),
    'a link that leads nowhere': () => symlink('nowhere', path),
    'a link to a folder': () => symlink(tmpdir(), path),
  };

  it('is written under the longest names, also of characters of three bytes', async () => {
    const long = join(folder, '界'.repeat(85));
    await writeContent(long, { mode: '100644', bytes: 'text' });
    assert.deepEqual(await plainContent(long), { mode: '100644', bytes: 'text' });
  });

  it('is executable for those who may read the file', async function () {
    if (process.platform === 'win32') this.skip();
    for (const [mode, executable] of [
      [0o600, 0o700],
      [0o640, 0o750],
      [0o604, 0o705],
    ] as const) {
      await writeFile(path, 'old');
      await chmod(path, mode);
      await writeContent(path, { mode: '100755', bytes: 'new' });
      assert.equal((await stat(path)).mode & 0o777, executable);
      await writeContent(path, { mode: '100644', bytes: 'new' });
      assert.equal((await stat(path)).mode & 0o777, mode);
    }
  });

  it('has all permissions that it was read with', async function () {
    if (process.platform === 'win32') this.skip();
    for (const mode of [0o600, 0o640, 0o444, 0o755, 0o4711, 0o2750]) {
      await writeFile(path, 'old');
      await chmod(path, mode);
      const old = await readContent(path);
      assert.ok(typeof old === 'object');
      for (const change of [
        () => chmod(path, 0o664),
        () => chmod(path, 0o400),
        () => rm(path),
        // As a program that keeps the mode.
        async () => {
          await chmod(path, 0o600);
          await writeFile(path, 'new');
          await chmod(path, mode);
        },
      ]) {
        await change();
        await writeContent(path, old);
        assert.deepEqual([(await stat(path)).mode & 0o7777, await readContent(path)], [mode, old]);
      }
      await rm(path);
    }
  });

  it('has no mode where modes mean nothing', async () => {
    setHasModes(folder, false);
    await writeFile(path, 'text');
    await chmod(path, 0o755);
    assert.deepEqual(await readContent(path), { mode: '100644', bytes: 'text' });
    await writeContent(path, { mode: '100644', permissions: 0o600, bytes: 'new' });
    if (process.platform !== 'win32') assert.equal((await stat(path)).mode & 0o777, 0o755);
    setHasModes(folder, true);
  });

  it('that is removed leaves a folder at its path, without a failure', async () => {
    await mkdir(path);
    await writeFile(join(path, 'of the user'), 'x');
    await writeContent(path, undefined);
    assert.deepEqual(await readdir(path), ['of the user']);
  });

  const wanted: readonly FileContent[] = [
    { mode: '100644', bytes: 'new\xff' },
    { mode: '100755', bytes: 'new\xff' },
    { mode: '120000', bytes: 'elsewhere' },
  ];

  for (const [what, make] of Object.entries(before)) {
    it(`is written with its mode in place of ${what}`, async function () {
      // Windows has no executable bit, and creating links requires a privilege there.
      if (process.platform === 'win32') this.skip();
      for (const content of wanted) {
        await rm(path, { recursive: true, force: true });
        await make();
        await writeContent(path, content);
        assert.deepEqual(await plainContent(path), content);
      }
    });

    it(`is unchanged after a write on a full disk in place of ${what}`, async function () {
      if (process.platform === 'win32') this.skip();
      await make();
      const was = await treeOf(folder);
      await withDisk(2, async () => {
        await assert.rejects(writeContent(path, { mode: '100644', bytes: 'longer than it was' }), /disk is full/);
      });
      assert.deepEqual(await treeOf(folder), was);
    });
  }

  it('is written on a full disk if it fits in the old space, and is unchanged otherwise', async () => {
    await writeFile(path, 'long and longer');
    await withDisk(0, () => writeContent(path, { mode: '100644', bytes: 'short' }));
    assert.deepEqual(await plainContent(path), { mode: '100644', bytes: 'short' });
    // A file with two names is overwritten in place.
    await link(path, `${path}.link`);
    await withDisk(
      0,
      async () => assert.rejects(writeContent(path, { mode: '100644', bytes: 'other' }), /disk is full/),
      3,
    );
    assert.deepEqual(await plainContent(path), { mode: '100644', bytes: 'short' });
  });

  it('keeps its mode if it is read-only and cannot be written', async function () {
    if (process.platform === 'win32') this.skip();
    await writeFile(path, 'old', { mode: 0o400 });
    await withDisk(2, async () => {
      const content = { mode: '100644', permissions: 0o644, bytes: 'longer than it was' } as const;
      await assert.rejects(writeContent(path, content), /disk is full/);
    });
    assert.equal((await stat(path)).mode & 0o777, 0o400);
  });

  it('creates no folders if it cannot be written', async () => {
    await withDisk(2, async () => {
      const deep = join(folder, 'a/b/c');
      await assert.rejects(writeContent(deep, { mode: '100644', bytes: 'longer' }), /disk is full/);
    });
    assert.deepEqual(await readdir(folder), []);
  });

  it('is neither read, written nor deleted beyond a folder that is a link', async function () {
    if (process.platform === 'win32') this.skip();
    await mkdir(join(folder, 'outside/deep'), { recursive: true });
    for (const name of ['a', 'deep/a']) await writeFile(join(folder, 'outside', name), 'precious');
    const was = await treeOf(join(folder, 'outside'));
    await symlink('outside', join(folder, 'link'));
    for (const name of ['link/a', 'link/deep/a', 'link/new/a', 'link/deep/new/a']) {
      assert.equal(await readContent(join(folder, name)), undefined);
      await assert.rejects(
        writeContent(join(folder, name), { mode: '100644', bytes: 'x' }),
        /now points to another location/,
      );
      await assert.rejects(
        writeContent(join(folder, name), { mode: '120000', bytes: 'x' }),
        /now points to another location/,
      );
      await assert.rejects(writeContent(join(folder, name), undefined), /now points to another location/);
    }
    assert.deepEqual(await treeOf(join(folder, 'outside')), was);
  });

  it('stays in its folder while another program replaces that by a link', async function () {
    // Elsewhere Node cannot address a file relative to an open folder.
    if (process.platform !== 'linux') this.skip();
    await mkdir(join(folder, 'outside'));
    await writeFile(join(folder, 'outside/a'), 'precious');
    const was = await treeOf(join(folder, 'outside'));
    const swapper = new Worker(SWAP, { eval: true, workerData: folder });
    const results = new Set<string>();
    for (let count = 0; count < 500 || (results.size < 2 && count < 20_000); count++) {
      const next: FileContent | undefined = count % 2 === 0 ? { mode: '100644', bytes: `text ${count}` } : undefined;
      for (const name of ['src/a', 'src/b', 'src/c/d']) {
        const done = writeContent(join(folder, name), next);
        results.add(
          await done.then(
            () => 'done',
            () => 'refused',
          ),
        );
      }
      assert.deepEqual(await treeOf(join(folder, 'outside')), was);
    }
    await swapper.terminate();
    assert.deepEqual([...results].sort(), ['done', 'refused'], 'or nothing was tried');
  });
});

/** Alternates `src` between a folder and a link as fast as possible. */
const SWAP = `
const { mkdirSync, renameSync, symlinkSync, unlinkSync } = require('node:fs');
const { join } = require('node:path');
const at = (name) => join(require('node:worker_threads').workerData, name);
const attempt = (job) => { try { job(); } catch {} };
mkdirSync(at('away'));
for (let count = 0; ; count++) {
  attempt(() => renameSync(at('src'), at('away/' + count)));
  attempt(() => symlinkSync('outside', at('src')));
  attempt(() => unlinkSync(at('src')));
  attempt(() => renameSync(at('away/' + count), at('src')));
}`;

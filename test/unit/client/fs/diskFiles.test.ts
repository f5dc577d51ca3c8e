import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, open, readFile, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFile, readDisk, readLines, replaceContent } from '../../../../src/client/fs/diskFiles';
import type { ResolvedPath } from '../../../../src/client/fs/resolvePath';
import { resolveInside } from '../../../../src/client/fs/resolvePath';
import type { FileVersion } from '../../../../src/node/fs/fileVersion';
import { restorePartialWrite } from '../../../../src/node/fs/overwriteFile';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('client/fs/diskFiles', () => {
  let root: string;

  beforeEach(() => (root = temporaryFolder()));

  const inside = (name: string) => resolveInside([root], join(root, name));

  async function versionOf(path: ResolvedPath): Promise<FileVersion> {
    const disk = await readDisk([root], path);
    assert.equal(disk?.type, 'bytes');
    return disk.version;
  }

  it('creates a file with its folders', async () => {
    await createFile([root], await inside('a/b/c.txt'), Buffer.from('text'));
    assert.equal(await readFile(join(root, 'a/b/c.txt'), 'utf8'), 'text');
  });

  it('leaves nothing behind on failure, and does not replace a file that another program created', async () => {
    const path = await inside('a/b/c.txt');
    // Detected after the folders were created: the path leads outside.
    await assert.rejects(
      createFile([root], { ...path, real: `${path.real}/${'x'.repeat(300)}` }, Buffer.from('text')),
      /was replaced meanwhile/,
    );
    assert.deepEqual(await readdir(root), []);
    const taken = await inside('taken');
    await writeFile(taken.real, 'theirs');
    await assert.rejects(createFile([root], taken, Buffer.from('ours')), /something else created it/);
    assert.equal(await readFile(taken.real, 'utf8'), 'theirs');
  });

  it('restores the content after an aborted write', async () => {
    const path = await inside('a.txt');
    const [wanted, previous] = [Buffer.from('a long new text'), Buffer.from('the old text')];
    for (const half of ['', 'a long']) {
      await writeFile(path.real, half);
      await restorePartialWrite(path.real, wanted, previous);
      assert.equal(await readFile(path.real, 'utf8'), 'the old text');
    }
    for (const whole of ['a long new text', 'what somebody else wrote']) {
      await writeFile(path.real, whole);
      await restorePartialWrite(path.real, wanted, previous);
      assert.equal(await readFile(path.real, 'utf8'), whole);
    }
  });

  it('replaces a file in place', async () => {
    const path = await inside('a.txt');
    await writeFile(path.real, 'a longer old text', { mode: 0o755 });
    await replaceContent([root], path, Buffer.from('new'), await versionOf(path));
    assert.equal(await readFile(path.real, 'utf8'), 'new');
  });

  it('does not replace what another program wrote since the file was read', async () => {
    const path = await inside('a.txt');
    await writeFile(path.real, 'old');
    const seen = await versionOf(path);
    await writeFile(path.real, 'what somebody else wrote');
    const replacing = replaceContent([root], path, Buffer.from('new'), seen);
    await assert.rejects(replacing, /a\.txt was changed by another program meanwhile/);
    assert.equal(await readFile(path.real, 'utf8'), 'what somebody else wrote');
  });

  it('does not follow a folder that became a link after the path was checked', async function test() {
    if (process.platform === 'win32') this.skip();
    await mkdir(join(root, 'src/deep'), { recursive: true });
    await mkdir(join(root, 'outside/deep'), { recursive: true });
    for (const name of ['src', 'outside']) await writeFile(join(root, name, 'a.txt'), 'half');
    const [old, made] = [await inside('src/a.txt'), await inside('src/deep/new/b.txt')];
    const seen = await versionOf(old);
    await rename(join(root, 'src'), join(root, 'away'));
    await symlink('outside', join(root, 'src'));
    const bytes = Buffer.from('half and more');
    await assert.rejects(replaceContent([root], old, bytes, seen), /was replaced meanwhile/);
    await assert.rejects(createFile([root], made, bytes), /was replaced meanwhile/);
    await restorePartialWrite(old.real, bytes, Buffer.from('previous'));
    assert.equal(await readFile(join(root, 'outside/a.txt'), 'utf8'), 'half');
    assert.deepEqual(await readdir(join(root, 'outside/deep')), []);
  });

  it('does not block on a named pipe', async function test() {
    if (process.platform === 'win32') this.skip();
    execFileSync('mkfifo', [join(root, 'pipe')]);
    await assert.rejects(readDisk([root], await inside('pipe')), /pipe is not a regular file/);
  });

  it('reads lines of a file in chunks', async () => {
    const path = await inside('a.txt');
    await writeFile(path.real, 'one\r\ntwo\nthree €');
    assert.equal(await readLines([root], path, 2, 1), 'two\n');
    assert.equal(await readLines([root], path, 1, 2), 'one\ntwo\n');
    assert.equal(await readLines([root], path, 3, 9), 'three €\n');
    assert.equal(await readLines([root], path, 4, 9), '');
    await writeFile(path.real, 'a\0b\n');
    await assert.rejects(readLines([root], path, 1, 1), /binary/);
  });

  it('keeps no line in memory that was not requested, and rejects a requested one that is too long', async () => {
    const path = await inside('long.txt');
    const file = await open(path.real, 'w');
    const piece = 'x'.repeat(1024 * 1024);
    for (let at = 0; at < 24; at++) await file.write(piece);
    await file.write('\ntwo\r\n\rthree');
    await file.close();
    assert.equal(await readLines([root], path, 2, 1), 'two\n');
    assert.equal(await readLines([root], path, 3, 1), '\rthree\n');
    await assert.rejects(readLines([root], path, 1, 1), /too large/);
  });
});

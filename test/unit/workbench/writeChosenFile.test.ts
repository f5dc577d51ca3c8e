import { stub } from '../ui/vscodeStub';
import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { writeChosenFile } from '../../../src/workbench/writeChosenFile';
import { SmallDisk } from '../../kit/smallDisk';
import { temporaryFolder } from '../../kit/temporaryFolder';

const uriOf = (fsPath: string, scheme = 'file'): vscode.Uri => ({ scheme, fsPath }) as vscode.Uri;

describe('a file that the user selected', () => {
  let folder: string;

  beforeEach(() => (folder = temporaryFolder()));

  it('is created, or replaced with its mode and through a link', async () => {
    const path = join(folder, 'a.md');
    await writeChosenFile(uriOf(path), Buffer.from('first'));
    assert.equal(await readFile(path, 'utf8'), 'first');
    await writeFile(join(folder, 'mine'), 'a longer earlier text');
    await chmod(join(folder, 'mine'), 0o640);
    await symlink(join(folder, 'mine'), join(folder, 'link'));
    await writeChosenFile(uriOf(join(folder, 'link')), Buffer.from('new'));
    assert.equal(await readFile(join(folder, 'mine'), 'utf8'), 'new');
    assert.equal((await stat(join(folder, 'mine'))).mode & 0o777, 0o640);
  });

  it('is written by VS Code if it is not on this machine', async () => {
    const written: unknown[] = [];
    Object.assign(stub.workspace, { fs: { writeFile: async (...args: unknown[]) => void written.push(args) } });
    const [uri, bytes] = [uriOf('/a', 'vscode-vfs'), Buffer.from('x')];
    await writeChosenFile(uri, bytes);
    assert.deepEqual(written, [[uri, bytes]]);
  });

  it('keeps its content when the disk is full, and a new one is removed', async function () {
    const disk = SmallDisk.mount();
    // Mounting a small file system needs Linux and the permission to mount.
    if (!disk) this.skip();
    try {
      const home = join(disk.folder, 'home');
      await mkdir(home);
      await writeFile(join(home, 'a.md'), 'an earlier export');
      await disk.fill();
      for (const name of ['a.md', 'new.md'])
        await assert.rejects(writeChosenFile(uriOf(join(home, name)), Buffer.alloc(100_000)), /ENOSPC/);
      assert.deepEqual(await readdir(home), ['a.md']);
      assert.equal(await readFile(join(home, 'a.md'), 'utf8'), 'an earlier export');
    } finally {
      await disk.free();
      disk.unmount();
    }
  });
});

import assert from 'node:assert/strict';
import { mkdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join, win32, posix } from 'node:path';
import * as fc from 'fast-check';
import { RpcError, rpcCodes } from '../../../../src/base/jsonRpc';
import { requirePlainPath, resolvePathAgain, resolveInside } from '../../../../src/client/fs/resolvePath';
import { isInside } from '../../../../src/node/fs/realPaths';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('client/fs/resolvePath', () => {
  let base: string;
  let root: string;

  before(async () => {
    base = temporaryFolder();
    root = join(base, 'root');
    await mkdir(join(root, 'a/b'), { recursive: true });
    await mkdir(join(base, 'root-evil'));
    await mkdir(join(base, 'elsewhere/deep'), { recursive: true });
    await writeFile(join(root, 'a/file'), 'inside');
    await writeFile(join(base, 'root-evil/file'), 'outside');
    await writeFile(join(base, 'elsewhere/file'), 'outside');
    await symlink(join(base, 'elsewhere'), join(root, 'out'));
    await symlink(join(root, 'a'), join(root, 'in'));
    await symlink(join(base, 'elsewhere/file'), join(root, 'outfile'));
    await symlink(join(base, 'elsewhere/new'), join(root, 'dangling'));
    await symlink('circle', join(root, 'circle'));
    await symlink(root, join(base, 'alias'));
  });

  const refused = (pattern: RegExp) => (error: unknown) => {
    assert(error instanceof RpcError);
    assert.equal(error.code, rpcCodes.invalidParams);
    assert.match(error.message, pattern);
    return true;
  };
  const outside = refused(/does not serve files outside the workspace folders/);

  it('resolves files, folders and paths that do not exist yet', async () => {
    for (const path of ['a/file', 'a', 'new/deeper/file', 'a/../a/./file']) {
      const found = await resolveInside([root], `${root}/${path}`);
      assert.equal(found.real, join(root, path));
      assert.equal(found.requested, join(root, path));
    }
    assert.equal((await resolveInside([root], root)).real, root);
  });

  it('follows links inside the folder, and keeps the name of a folder that is itself a link', async () => {
    assert.equal((await resolveInside([root], join(root, 'in/file'))).real, join(root, 'a/file'));
    const alias = join(base, 'alias');
    const found = await resolveInside([alias], join(alias, 'in/file'));
    assert.deepEqual(found, {
      requested: join(alias, 'in/file'),
      real: join(root, 'a/file'),
      name: join(alias, 'a/file'),
    });
  });

  it('rejects a path that is not absolute, and names the field', async () => {
    await assert.rejects(resolveInside([root], 'a/file'), refused(/"path" must be an absolute path: a\/file/));
    await assert.rejects(resolveInside([root], '', 'cwd'), refused(/"cwd" must be an absolute path/));
    await assert.rejects(resolveInside([root], `file://${root}/a/file`), refused(/not a URI/));
    await assert.rejects(resolveInside([root], `${root}/a\0/file`), refused(/"path" contains a NUL/));
  });

  it('rejects every path outside the folders', async () => {
    const ways = [
      '../elsewhere/file',
      '../root-evil/file',
      'out/file',
      'out/new',
      'outfile',
      'in/../../elsewhere/file',
      '..',
    ];
    for (const way of ways) await assert.rejects(resolveInside([root], `${root}/${way}`), outside, way);
    await assert.rejects(resolveInside([root], '/'), outside);
    await assert.rejects(resolveInside([], join(root, 'a/file')), refused(/no folder is open/));
  });

  it('names the path and the folders when it rejects a path', async () => {
    const path = join(base, 'elsewhere/file');
    await assert.rejects(resolveInside([root], path), (error: RpcError) => {
      assert(error.message.includes(path) && error.message.includes(root));
      assert.deepEqual(error.data, { path, reason: 'outsideWorkspace' });
      return true;
    });
  });

  it('rejects a dangling link, a cycle, and a file used as a folder', async () => {
    await assert.rejects(resolveInside([root], join(root, 'dangling')), refused(/link to nowhere/));
    await assert.rejects(resolveInside([root], join(root, 'dangling/x')), refused(/link to nowhere/));
    await assert.rejects(resolveInside([root], join(root, 'circle')), refused(/circle/));
    await assert.rejects(resolveInside([root], join(root, 'a/file/x')), refused(/file as if it were a folder/));
    await assert.rejects(resolveInside([root], join(root, 'x'.repeat(300))), refused(/longer than/));
  });

  it('detects that a folder was replaced after the check', async () => {
    await mkdir(join(root, 'swap'));
    const before = await resolveInside([root], join(root, 'swap/new'));
    await resolvePathAgain([root], before);
    await rename(join(root, 'swap'), join(root, 'swapped'));
    await symlink(join(base, 'elsewhere'), join(root, 'swap'));
    await assert.rejects(resolvePathAgain([root], before), outside);
    await rm(join(root, 'swap'));
    await symlink(join(root, 'a'), join(root, 'swap'));
    await assert.rejects(resolvePathAgain([root], before), /was replaced meanwhile/);
  });

  it('rejects any combination of names, dots and links that leads outside', async () => {
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'a',
      'b',
      'in',
      'out',
      'file',
      'new',
      'deep',
      'root',
      'root-evil',
      'elsewhere',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
        const path = [root, ...parts].join('/');
        const found = await resolveInside([root], path).catch((error: unknown) => {
          assert(error instanceof RpcError && error.code === rpcCodes.invalidParams);
        });
        if (!found) return;
        assert(found.real === root || found.real.startsWith(`${root}/`));
        // An existing path is returned under its real name.
        const real = await realpath(found.requested).catch(() => undefined);
        if (real !== undefined) assert.equal(found.real, real);
      }),
      { numRuns: 500 },
    );
  });

  it('resolves Windows paths', () => {
    const good = ['C:\\ws\\a.txt', 'c:/ws/a', '\\\\server\\share\\ws\\a', 'C:\\ws\\..\\a', 'C:\\ws\\.git'];
    for (const path of good) requirePlainPath(path, 'path', 'win32');
    const bad = [
      '\\ws\\a',
      'C:a',
      'a',
      'C:\\ws\\a::$DATA',
      'C:\\ws\\.vscode.\\x',
      'C:\\ws\\x ',
      '\\\\.\\C:\\x',
      '\\\\?\\C:\\x',
      '\\\\.\\pipe\\x',
      'file:///C:/ws',
      'C:\\...\\x',
    ];
    for (const path of bad) assert.throws(() => requirePlainPath(path, 'path', 'win32'), RpcError, path);
    assert(isInside('C:\\ws', 'c:\\WS\\a', win32));
    assert(!isInside('C:\\ws', 'C:\\ws-evil\\a', win32));
    assert(!isInside('C:\\ws', 'D:\\ws\\a', win32));
    assert(isInside('/ws', '/ws/..a', posix));
    assert(!isInside('/ws', '/WS/a', posix));
  });
});

import assert from 'node:assert/strict';
import { lstat, mkdir, readFile, readdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, win32 } from 'node:path';
import { RpcError } from '../../../src/base/jsonRpc';
import { createFile, readDisk, readLines, replaceContent } from '../../../src/client/fs/diskFiles';
import type { ResolvedPath } from '../../../src/client/fs/resolvePath';
import { requirePlainPath, resolveInside } from '../../../src/client/fs/resolvePath';
import { isInside } from '../../../src/node/fs/realPaths';
import { temporaryFolder } from '../../kit/temporaryFolder';

/** The functions that the tested code calls; replacements affect it too. */
const system = createRequire(join(process.cwd(), 'package.json'))('node:fs/promises') as {
  open: (...args: unknown[]) => Promise<unknown>;
};

describe('hostile: paths', () => {
  let base: string;
  let root: string;
  const { open } = system;

  beforeEach(async () => {
    base = temporaryFolder();
    root = join(base, 'root');
    await mkdir(join(root, 'folder'), { recursive: true });
    await mkdir(join(base, 'outside'));
    await writeFile(join(root, 'folder/file'), 'inside');
    await writeFile(join(base, 'outside/file'), 'outside');
  });

  afterEach(() => {
    system.open = open;
  });

  /** Replaces the folder by a link to the outside. */
  async function swap(): Promise<void> {
    await rename(join(root, 'folder'), join(root, 'aside'));
    await symlink(join(base, 'outside'), join(root, 'folder'));
  }

  async function swapBack(): Promise<void> {
    await rm(join(root, 'folder'));
    await rename(join(root, 'aside'), join(root, 'folder'));
  }

  /** Worst-case attacker: the folder is replaced exactly while the file is opened. */
  function swapWhileOpening(): void {
    system.open = async (...args) => {
      system.open = open;
      await swap();
      try {
        return await open(...args);
      } finally {
        await swapBack();
      }
    };
  }

  const inside = (name: string): Promise<ResolvedPath> => resolveInside([root], join(root, name));
  const refused = (error: unknown): boolean => {
    assert.ok(error instanceof RpcError, String(error));
    assert.match(error.message, /was replaced meanwhile|outside the workspace/);
    return true;
  };

  for (const [when, prepare] of [
    ['before the file is opened', swap],
    ['only while the file is opened', async () => swapWhileOpening()],
  ] as const) {
    describe(`a file in a folder that is replaced ${when}`, () => {
      it('is not read', async () => {
        const path = await inside('folder/file');
        await prepare();
        await assert.rejects(readDisk([root], path), refused);
      });

      it('is not read by lines', async () => {
        const path = await inside('folder/file');
        await prepare();
        await assert.rejects(readLines([root], path, 1, 1), refused);
      });

      it('is not written', async () => {
        const path = await inside('folder/file');
        const seen = await lstat(path.real, { bigint: true });
        await prepare();
        await assert.rejects(replaceContent([root], path, Buffer.from('new'), seen), refused);
        assert.equal(await readFile(join(base, 'outside/file'), 'utf8'), 'outside');
      });

      it('is not created with its content', async () => {
        const path = await inside('folder/new');
        await prepare();
        await assert.rejects(createFile([root], path, Buffer.from('new')), refused);
        const made = await readFile(join(base, 'outside/new'), 'utf8').catch(() => '');
        assert.equal(made, '');
      });
    });
  }

  it('writes a file whose folder was not replaced', async () => {
    const path = await inside('folder/file');
    await replaceContent([root], path, Buffer.from('new'), await lstat(path.real, { bigint: true }));
    assert.equal(await readFile(path.real, 'utf8'), 'new');
    assert.deepEqual(await readdir(join(root, 'folder')), ['file']);
  });

  it('rejects Windows notations of other files, machines and devices', () => {
    const bad = [
      'C:\\ws\\.vscode.\\settings.json',
      'C:\\ws\\.vscode \\settings.json',
      'C:\\ws\\mcp.json::$DATA',
      'C:\\ws\\mcp.json:$DATA',
      'C:\\ws\\a:b',
      '\\\\?\\C:\\ws\\a',
      '\\\\.\\C:\\ws\\a',
      '//?/C:/ws/a',
      '\\\\*\\share\\a',
      '\\ws\\a',
      'C:ws',
      'file://server/ws/a',
      'file:///C:/ws/a',
      'vscode-remote://ssh/ws/a',
      'C:\\ws\\a\0b',
    ];
    for (const path of bad) assert.throws(() => requirePlainPath(path, 'path', 'win32'), RpcError, path);
    assert.ok(!isInside('C:\\ws', '\\\\server\\ws\\a', win32));
    assert.ok(!isInside('C:\\ws', 'C:\\ws\\..\\ws-evil\\a', win32));
    assert.ok(!isInside('C:\\ws', 'C:\\WS-EVIL\\a', win32));
    assert.ok(isInside('C:\\ws', 'c:/WS/Folder/..\\a', win32));
  });

  it('resolves a short name and another case to the name on disk', async () => {
    const upper = join(root, 'FOLDER/FILE');
    const found = await resolveInside([root], upper);
    const exists = await readFile(upper).then(
      () => true,
      () => false,
    );
    // On a case-insensitive disk it is the same file with its name; on others it is a new one.
    assert.equal(found.real, exists ? join(root, 'folder/file') : upper);
  });

  it('resolves composed and decomposed letters as the disk does', async () => {
    await writeFile(join(root, 'caf\u00e9'), 'composed');
    const found = await resolveInside([root], join(root, 'cafe\u0301'));
    const real = await realpath(join(root, 'cafe\u0301')).catch(() => undefined);
    assert.equal(found.real, real ?? join(root, 'cafe\u0301'));
  });
});

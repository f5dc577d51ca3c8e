import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { authorizeRead, authorizeWrite } from '../../../../src/client/fs/authorizePath';
import { authorizeCommand } from '../../../../src/client/terminal/authorizeCommand';
import type { AuthorizationRequest, AuthorizationResult, SessionHandle } from '../../../../src/session/sessionHandle';
import { stubOf } from '../../../kit/stubOf';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('client/fs/authorizePath', () => {
  let base: string;
  let folder: string;
  let asked: AuthorizationRequest[];
  let answer: AuthorizationResult;
  /** Happens while the user decides. */
  let meanwhile: () => Promise<void>;
  const { signal } = new AbortController();

  beforeEach(async () => {
    base = temporaryFolder();
    folder = join(base, 'ws');
    await mkdir(join(folder, 'a'), { recursive: true });
    await mkdir(join(base, 'outside'));
    await writeFile(join(folder, 'a/file'), 'old');
    await writeFile(join(base, 'outside/file'), 'secret');
    await symlink(join(folder, 'a'), join(folder, 'inner'), 'junction');
    await symlink(join(base, 'outside'), join(folder, 'outer'), 'junction');
    asked = [];
    answer = { allowed: true, reason: 'allowed', by: 'person' };
    meanwhile = async () => undefined;
  });

  const session = (): SessionHandle => {
    const authorize = async (request: AuthorizationRequest): Promise<AuthorizationResult> => {
      asked.push(request);
      await meanwhile();
      return answer;
    };
    return stubOf<SessionHandle>({ folders: [folder], cwd: folder, userRequests: { authorize } });
  };
  const params = { sessionId: 's', env: {} };
  const read = (path: string) => authorizeRead(session(), path, signal);
  const write = (path: string) => authorizeWrite(session(), { path, content: 'new' }, signal);
  const run = async (cwd: string) =>
    (await authorizeCommand(session(), { ...params, command: 'ls', args: ['-l'], cwd }, {}, signal)).cwd;
  /** The folder becomes a link to one outside. */
  const replace = async (): Promise<void> => {
    await rename(join(folder, 'a'), join(base, 'moved'));
    await symlink(join(base, 'outside'), join(folder, 'a'), 'junction');
  };

  it('says why a command runs of which the user was not asked', async () => {
    const why = async (by: 'person' | 'builtIn') => {
      answer = { allowed: true, by, reason: 'it stays inside the workspace' };
      return (await authorizeCommand(session(), { ...params, command: 'ls', args: [] }, {}, signal)).allowed;
    };
    assert.equal(await why('builtIn'), 'it stays inside the workspace');
    assert.equal(await why('person'), undefined);
  });

  it('asks about the path that the agent named, and about the file that it is', async () => {
    const file = join(folder, 'a/file');
    await read(file);
    assert.deepEqual(asked.pop()?.paths, [file]);
    for (const [ask, kind] of [
      [read, 'read'],
      [write, 'edit'],
    ] as const)
      for (const [link, target] of [
        ['inner', join(folder, 'a/file')],
        ['outer', join(base, 'outside/file')],
      ] as const) {
        const path = join(folder, link, 'file');
        await ask(path);
        const { paths, kind: askedKind } = asked.pop() ?? {};
        assert.deepEqual([askedKind, paths], [kind, [path, target]]);
      }
  });

  it('shows no old text of a pipe or an endless device, and does not wait for it', async function () {
    if (process.platform === 'win32') this.skip();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await symlink('/dev/zero', join(folder, 'endless'));
    for (const name of ['pipe', 'endless']) {
      await write(join(folder, name));
      const change = await asked.pop()?.change?.();
      assert.deepEqual(change, { path: join(folder, name), hidesOldText: true, newText: 'new' });
    }
  });

  it('tells the old text of a file from one that is not shown, and from no file', async () => {
    const changeOf = async (name: string): Promise<object | undefined> => {
      await write(join(folder, name));
      return asked.pop()?.change?.();
    };
    await writeFile(join(folder, 'a/empty'), '');
    await writeFile(join(folder, 'a/large'), 'x'.repeat(1024 * 1024 + 1));
    const path = (name: string): string => join(folder, name);
    assert.deepEqual(await changeOf('a/file'), { path: path('a/file'), oldText: 'old', newText: 'new' });
    assert.deepEqual(await changeOf('a/empty'), { path: path('a/empty'), oldText: '', newText: 'new' });
    assert.deepEqual(await changeOf('a/large'), { path: path('a/large'), hidesOldText: true, newText: 'new' });
    assert.deepEqual(await changeOf('a/none'), { path: path('a/none'), newText: 'new' });
  });

  it('asks about a command with its real folder, if that is outside the workspace', async () => {
    assert.equal(await run(join(folder, 'outer')), join(base, 'outside'));
    assert.equal(asked.pop()?.command?.cwd, join(base, 'outside'));
    assert.equal(await run(join(folder, 'inner')), join(folder, 'a'));
    assert.equal(asked.pop()?.command?.cwd, join(folder, 'a'));
  });

  it('rejects what was not allowed, with the reason', async () => {
    answer = { allowed: false, reason: 'you denied it', by: 'person' };
    const file = join(folder, 'a/file');
    await assert.rejects(read(file), /file was not read: you denied it\./);
    await assert.rejects(write(file), /file was not written: you denied it\./);
    await assert.rejects(run(folder), /"ls -l" was not run: you denied it\./);
  });

  for (const [what, ask] of [
    ['reads', () => read(join(folder, 'a/file'))],
    ['writes', () => write(join(folder, 'a/file'))],
    ['commands', () => run(join(folder, 'a'))],
  ] as const)
    it(`rejects ${what} if a folder was replaced while the user decided`, async () => {
      meanwhile = replace;
      await assert.rejects(ask(), /was replaced meanwhile|outside the workspace/);
      assert.equal(asked.length, 1);
    });

  it('asks about a file whose name looks like a command line as a program', async () => {
    await mkdir(join(folder, 'cat a'));
    await writeFile(join(folder, 'cat a/file'), 'x');
    const start = (command: string) => authorizeCommand(session(), { ...params, command, args: [] }, {}, signal);
    assert.equal((await start('cat a/file')).isLine, false);
    assert.deepEqual(asked[0]?.command?.argv, ['cat a/file']);
    assert.equal(asked[0]?.title, "'cat a/file'");
    // A file that appears while the user decides changes nothing.
    meanwhile = async () => {
      await mkdir(join(folder, 'ls a'));
      await writeFile(join(folder, 'ls a/file'), 'x');
    };
    assert.equal((await start('ls a/file')).isLine, true);
    assert.equal(asked[1]?.command?.line, 'ls a/file');
  });
});

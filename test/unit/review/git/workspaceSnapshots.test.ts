import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nullLogger } from '../../../../src/base/logger';
import { Git } from '../../../../src/node/gitCommand';
import { shadowName } from '../../../../src/review/git/shadowRepository';
import { WorkspaceSnapshots } from '../../../../src/review/git/workspaceSnapshots';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('snapshots of the workspace', () => {
  let base: string;
  let folder: string;

  beforeEach(async () => {
    base = temporaryFolder();
    folder = join(base, 'work');
    for (const name of ['work', 'storage']) await mkdir(join(base, name));
  });

  it('looks up many files together with few processes', async function () {
    if (process.platform === 'win32') this.skip();
    const calls = join(base, 'calls');
    const program = join(base, 'git');
    await writeFile(program, `#!/bin/sh\necho "$@" >> '${calls}'\nexec git "$@"\n`, { mode: 0o755 });
    const git = new Git(program, join(base, 'storage'));
    const storage = join(base, 'storage', 'git');
    const snapshots = new WorkspaceSnapshots(git, nullLogger, storage, () => [folder]);
    const paths = Array.from({ length: 50 }, (_, at) => join(folder, `file${at}.txt`));
    for (const path of paths) await writeFile(path, `${path} before`);
    await snapshots.record(AbortSignal.timeout(30_000));
    for (const path of paths) await writeFile(path, 'after');
    await writeFile(calls, '');
    const asked = [...paths, join(folder, 'new.txt')];
    const found = await Promise.all(
      asked.map(async (path) => (await snapshots.lookUp([path])).get(path)?.content?.bytes),
    );
    assert.deepEqual(found, [...paths.map((path) => `${path} before`), undefined]);
    const count = (await readFile(calls, 'utf8')).split('\n').length - 1;
    assert.ok(count <= 8, `${count} git processes`);
  });

  it('answers a look-up from the snapshot of its time, until that is forgotten', async () => {
    const git = new Git('git', join(base, 'storage'));
    const storage = join(base, 'storage', 'git');
    const snapshots = new WorkspaceSnapshots(git, nullLogger, storage, () => [folder]);
    const path = join(folder, 'a.txt');
    const read = async (): Promise<unknown> => (await snapshots.lookUp([path])).get(path)?.content?.bytes;
    await writeFile(path, 'first');
    await snapshots.record(AbortSignal.timeout(30_000));
    // The second one waits for the first, and the recording starts meanwhile.
    const early = [read(), read()];
    await writeFile(path, 'second');
    await snapshots.record(AbortSignal.timeout(30_000));
    assert.deepEqual(await Promise.all([...early, read()]), ['first', 'first', 'second']);
    snapshots.dropBaseline();
    assert.equal(await read(), undefined);
  });

  const damages: Readonly<Record<string, (gitDir: string) => Promise<void>>> = {
    'a truncated index': (gitDir) => truncate(join(gitDir, 'index'), 40),
    'NUL bytes in the index': (gitDir) => writeFile(join(gitDir, 'index'), Buffer.alloc(100)),
    'a folder as index': async (gitDir) => {
      await rm(join(gitDir, 'index'));
      await mkdir(join(gitDir, 'index'));
    },
    'no index': (gitDir) => rm(join(gitDir, 'index')),
    'an empty HEAD': (gitDir) => truncate(join(gitDir, 'HEAD')),
    'a damaged config': (gitDir) => writeFile(join(gitDir, 'config'), 'x'),
    'no objects': (gitDir) => rm(join(gitDir, 'objects'), { recursive: true }),
    'a lost object': async (gitDir) => {
      // The blob of "before".
      const id = createHash('sha1').update('blob 6\0before').digest('hex');
      await rm(join(gitDir, 'objects', id.slice(0, 2), id.slice(2)));
    },
    'no repository': (gitDir) => rm(gitDir, { recursive: true }),
    'a file in its place': async (gitDir) => {
      await rm(gitDir, { recursive: true });
      await writeFile(gitDir, 'x');
    },
  };

  for (const [damage, apply] of Object.entries(damages)) {
    it(`finds the changes of a turn, or says that they are unknown, and heals: ${damage}`, async () => {
      const storage = join(base, 'storage', 'git');
      const git = new Git('git', join(base, 'storage'));
      const snapshots = new WorkspaceSnapshots(git, nullLogger, storage, () => [folder]);
      const path = join(folder, 'a.txt');
      const record = (): ReturnType<typeof snapshots.snapshot> => snapshots.snapshot(AbortSignal.timeout(30_000));
      const change = async (): Promise<unknown> => {
        await snapshots.lookUp(await snapshots.changedPaths());
        return snapshots.failureIn([folder]) ?? (await snapshots.lookUp([path])).get(path)?.content?.bytes;
      };
      await writeFile(path, 'before');
      const [earlier] = (await record()).roots;
      await writeFile(path, 'changed');
      assert.equal(await change(), 'before');
      await apply(join(storage, shadowName(folder)));
      const found = await change();
      if (found !== 'before') assert.match(String(found), new RegExp(`^${folder}.*: `));
      await record();
      assert.equal(snapshots.failureIn([folder]), undefined);
      await writeFile(path, 'changed again');
      assert.equal(await change(), 'changed');
      if (!damage.includes('index')) return;
      assert.deepEqual(await readdir(storage), [shadowName(folder)], 'earlier checkpoints stay');
      const files = await snapshots.shadowRepository(folder).contents(earlier ?? { tree: '' }, [path]);
      assert.equal(Buffer.from(files.get(path)?.bytes ?? []).toString(), 'before');
    });
  }

  const failures: Readonly<Record<string, string>> = {
    'ends without a word': 'exit 1',
    'is killed': 'kill -9 $$',
    'finds no room': "echo 'fatal: unable to create temporary file: No space left on device' >&2; exit 128",
    'finds a lock': "echo 'fatal: Unable to create index.lock: File exists.' >&2; exit 128",
    'may not read': "echo 'fatal: index file open failed: Permission denied' >&2; exit 128",
    'finds no repository, for want of open files': "echo 'fatal: not a git repository' >&2; exit 128",
    'does not start': '',
  };

  for (const [failure, command] of Object.entries(failures)) {
    it(`keeps the repository, says so and tries again when git ${failure}`, async function () {
      if (process.platform === 'win32') this.skip();
      const storage = join(base, 'storage', 'git');
      const program = join(base, 'git');
      const script = (lines: string): Promise<void> => writeFile(program, `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
      await script('exec git "$@"');
      const git = new Git(program, join(base, 'storage'));
      const snapshots = new WorkspaceSnapshots(git, nullLogger, storage, () => [folder]);
      const path = join(folder, 'a.txt');
      const record = (): ReturnType<typeof snapshots.snapshot> => snapshots.snapshot(AbortSignal.timeout(30_000));
      await writeFile(path, 'before');
      const [first] = (await record()).roots;
      await (command === '' ? rm(program) : script(command));
      const failed = await record();
      assert.match(failed.problems.join('\n'), /not included in the checkpoint/);
      await script('exec git "$@"');
      assert.deepEqual(await readdir(storage), [shadowName(folder)]);
      assert.equal((await record()).problems.length, 0);
      const contents = await snapshots.shadowRepository(folder).contents(first ?? { tree: '' }, [path]);
      assert.equal(Buffer.from(contents.get(path)?.bytes ?? []).toString(), 'before');
    });
  }
});

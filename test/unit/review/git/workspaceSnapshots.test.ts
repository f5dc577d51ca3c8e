import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nullLogger } from '../../../../src/base/logger';
import { Git } from '../../../../src/node/gitCommand';
import { WorkspaceSnapshots } from '../../../../src/review/git/workspaceSnapshots';

describe('snapshots of the workspace', () => {
  let base: string;
  let folder: string;

  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'parley-snapshots-')));
    folder = join(base, 'work');
    for (const name of ['work', 'storage']) await mkdir(join(base, name));
  });

  afterEach(async () => {
    await rm(base, { recursive: true, force: true });
  });

  it('looks up many files together with few processes', async function () {
    if (process.platform === 'win32') this.skip();
    const calls = join(base, 'calls');
    const program = join(base, 'git');
    await writeFile(program, `#!/bin/sh\necho "$@" >> '${calls}'\nexec git "$@"\n`, { mode: 0o755 });
    const git = new Git({ program, folder: join(base, 'storage') });
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
    const git = new Git({ program: 'git', folder: join(base, 'storage') });
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
});

import assert from 'node:assert/strict';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nullLogger } from '../../../../src/base/logger';
import { Git } from '../../../../src/node/gitCommand';
import { ShadowRepository } from '../../../../src/review/git/shadowRepository';
import { runGit } from '../../../kit/runGit';
import { temporaryFolder } from '../../../kit/temporaryFolder';

/** From the second recording on, only the permissions of some files are read. */
describe('recorded permissions', function () {
  this.timeout(60_000);
  if (process.platform === 'win32') return;
  let folder: string;
  let repository: ShadowRepository;

  const at = (name: string): string => join(folder, name);
  async function put(name: string, mode: number, text = name): Promise<void> {
    await writeFile(at(name), text);
    await chmod(at(name), mode);
  }
  const recorded = async (): Promise<Record<string, string>> => {
    const { modes } = await repository.snapshot();
    const others = Array.from(modes?.others ?? [], ([name, bits]) => [name, bits.toString(8)]);
    return { plain: (modes?.plain ?? 0).toString(8), ...Object.fromEntries(others) };
  };

  beforeEach(async () => {
    const base = temporaryFolder();
    folder = join(base, 'work');
    const storage = join(base, 'storage');
    for (const name of [folder, storage]) await mkdir(name);
    runGit(folder, 'init', '-q');
    for (const name of ['a', 'b', 'c', 'd']) await put(name, 0o644);
    await put('private', 0o600);
    const git = new Git('git', storage);
    assert.ok(await git.available());
    repository = new ShadowRepository(git, nullLogger, storage, folder);
    for (let time = 0; time < 3; time++) assert.deepEqual(await recorded(), { plain: '644', private: '600' });
  });

  it('follow changes, new files, deletions and the way back', async () => {
    await put('a', 0o640, 'changed');
    await put('new', 0o400);
    await rm(at('private'));
    assert.deepEqual(await recorded(), { plain: '644', a: '640', new: '400' });
    await put('a', 0o644, 'changed');
    await put('b', 0o644, 'only its text');
    assert.deepEqual(await recorded(), { plain: '644', new: '400' });
  });

  it('follow a change in the second of the last recording, which git does not see', async () => {
    await put('a', 0o644, 'recorded');
    await recorded();
    await chmod(at('a'), 0o600);
    assert.deepEqual(await recorded(), { plain: '644', a: '600', private: '600' });
  });
});

import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFileSync, realPathNames } from '../../../../src/node/fs/realPaths';
import { temporaryFolder } from '../../../kit/temporaryFolder';

describe('node/fs/realPaths', () => {
  let root: string;
  const at = (path: string): string => join(root, path);
  const namesOf = (path: string): readonly string[] => realPathNames(`${root}/workspace/${path}`, [at('workspace')]);

  beforeEach(function () {
    // On Windows, creating links requires a privilege.
    if (process.platform === 'win32') this.skip();
    root = temporaryFolder();
    for (const folder of ['workspace/inner', 'outside/deep']) mkdirSync(at(folder), { recursive: true });
    writeFileSync(at('outside/file'), '');
    symlinkSync(at('outside'), at('workspace/link'));
    symlinkSync(at('outside/deep'), at('workspace/deep'));
    symlinkSync(at('workspace/inner'), at('workspace/side'));
    symlinkSync(at('outside/new'), at('workspace/dangling'));
  });

  it('names what a path with links leads to, as programs and the system resolve it', () => {
    assert.deepEqual(namesOf('link/file'), [at('workspace/link/file'), at('outside/file')]);
    assert.deepEqual(namesOf('deep/../file'), [at('workspace/file'), at('outside/file')]);
    for (const path of ['missing/../link/file', 'side/../link/file', 'missing/../dangling/../link/file'])
      assert.ok(namesOf(path).includes(at('outside/file')), path);
    assert.equal(namesOf('missing/../dangling').at(-1), at('outside/new'));
    assert.equal(namesOf('missing/../link').at(-1), at('outside'));
  });

  it('resolves links at the start of paths that are too long for any system, without delay', () => {
    assert.equal(namesOf(`link/${'./'.repeat(100_000)}file`).at(-1), at('outside/file'));
    const below = 'x/'.repeat(200_000);
    const before = process.cpuUsage();
    assert.equal(namesOf(`link/${below}file`).at(-1), at(`outside/${below}file`));
    assert.ok(process.cpuUsage(before).user < 2_000_000, 'took over two seconds');
    assert.equal(namesOf('y'.repeat(5_000)).at(-1), at(`workspace/${'y'.repeat(5_000)}`));
  });

  it('goes up from missing folders, as the system does once they exist', () => {
    for (const folder of ['workspace/inner/deeper', 'workspace/inner/new']) mkdirSync(at(folder), { recursive: true });
    symlinkSync('inner/deeper', at('workspace/down'));
    symlinkSync('../../outside', at('workspace/inner/out'));
    symlinkSync(at('workspace/inner/new/missing'), at('workspace/coming'));
    symlinkSync('round', at('workspace/round'));
    for (const path of [
      'down/../missing/../out/file',
      `down/../${'./'.repeat(4_000)}missing/more/../../out/file`,
      'missing/../coming/../../out/file',
      'missing/../down/../missing/../out/file',
      'round/../inner/out/file',
    ])
      assert.equal(namesOf(path).at(-1), at('outside/file'), path);
    symlinkSync('down/../later', at('workspace/pending'));
    assert.equal(namesOf('pending').at(-1), at('workspace/inner/later'));
  });

  it('finds no file below a file', () => {
    assert.equal(isFileSync(at('outside/file')), true);
    assert.equal(isFileSync(at('outside/file/below')), false);
  });

  it('looks up nothing below a missing folder', () => {
    const before = process.cpuUsage();
    for (let index = 0; index < 50; index++) {
      const path = `missing${index}/${'x/'.repeat(1_000)}file`;
      assert.equal(namesOf(path).at(-1), at(`workspace/${path}`));
    }
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 1_000_000, `took ${(user + system) / 1_000} ms`);
  });
});

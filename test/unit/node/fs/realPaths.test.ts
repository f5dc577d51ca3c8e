import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realPathNames } from '../../../../src/node/fs/realPaths';

describe('node/fs/realPaths', () => {
  let root: string;
  const at = (path: string): string => join(root, path);
  const namesOf = (path: string): readonly string[] => realPathNames(`${root}/workspace/${path}`, [at('workspace')]);

  beforeEach(function () {
    // On Windows, creating links requires a privilege.
    if (process.platform === 'win32') this.skip();
    root = realpathSync(mkdtempSync(join(tmpdir(), 'parley-names-')));
    for (const folder of ['workspace/inner', 'outside/deep']) mkdirSync(at(folder), { recursive: true });
    writeFileSync(at('outside/file'), '');
    symlinkSync(at('outside'), at('workspace/link'));
    symlinkSync(at('outside/deep'), at('workspace/deep'));
    symlinkSync(at('workspace/inner'), at('workspace/side'));
    symlinkSync(at('outside/new'), at('workspace/dangling'));
  });

  afterEach(() => rmSync(root, { recursive: true }));

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
});

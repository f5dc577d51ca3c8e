import assert from 'node:assert/strict';
import { displayPath } from '../../../../src/node/fs/pathLabel';

describe('a path for display', () => {
  it('is relative to the only workspace folder, and absolute outside', () => {
    assert.equal(displayPath('/ws/app/src/a.ts', ['/ws/app']), 'src/a.ts');
    assert.equal(displayPath('/ws/app', ['/ws/app']), '.');
    assert.equal(displayPath('/ws/application/a.ts', ['/ws/app']), '/ws/application/a.ts');
    assert.equal(displayPath('src/a.ts', ['/ws/app']), 'src/a.ts');
  });

  it('includes the workspace folder if there are several', () => {
    const folders = ['/ws/app', '/ws/lib'];
    for (const order of [folders, folders.toReversed()]) {
      assert.equal(displayPath('/ws/app/README.md', order), 'app/README.md');
      assert.equal(displayPath('/ws/lib/README.md', order), 'lib/README.md');
      assert.equal(displayPath('/ws/lib', order), 'lib');
      assert.equal(displayPath('/etc/hosts', order), '/etc/hosts');
    }
  });

  it('distinguishes folders of the same name by their parents', () => {
    const folders = ['/one/app', '/two/app', '/two/lib'];
    assert.equal(displayPath('/one/app/a.ts', folders), 'one/app/a.ts');
    assert.equal(displayPath('/two/app/a.ts', folders), 'two/app/a.ts');
    assert.equal(displayPath('/two/lib/a.ts', folders), 'lib/a.ts');
  });
});

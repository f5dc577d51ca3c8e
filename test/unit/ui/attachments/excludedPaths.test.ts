import assert from 'node:assert/strict';
import { excludedPaths } from '../../../../src/ui/attachments/excludedPaths';

describe('ui/attachments/excludedPaths', () => {
  const excluded = (globs: readonly string[], ...paths: readonly string[]): readonly string[] =>
    paths.filter(excludedPaths(globs));

  it('applies to what is in an excluded folder, also to hidden files', () => {
    const paths = ['a/node_modules/b/.c', 'node_modules', 'node_modules.txt', '.git/x', 'out/a.js', 'src/out/a.js'];
    assert.deepEqual(excluded(['**/node_modules', '**/.git', 'out'], ...paths), [
      'a/node_modules/b/.c',
      'node_modules',
      '.git/x',
      'out/a.js',
    ]);
  });

  it('does not try every way in which a glob of a workspace could match', () => {
    assert.deepEqual(excluded(['**/+(*a)b', '**/+(a|*a|?a)b'], `src/${'a'.repeat(200)}`), []);
    assert.deepEqual(excluded([`**/${'*a'.repeat(20)}*b`], 'a'.repeat(200)), []);
  });

  it('reads a glob as VS Code does', () => {
    assert.deepEqual(excluded(['*.js'], 'a.js', 'src/a.js', '.js', 'a.ts'), ['a.js', '.js']);
    assert.deepEqual(excluded(['**/*.{js,map}', '!keep'], 'src/a.js', 'a.map', '!keep', 'keep'), [
      'src/a.js',
      'a.map',
      '!keep',
    ]);
    assert.deepEqual(excluded([], 'a'), []);
  });
});

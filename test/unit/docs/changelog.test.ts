import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** Many commits change CHANGELOG.md, so a merge can restore reworded lines. */
describe('CHANGELOG.md', () => {
  const items = readFileSync('CHANGELOG.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('- '));

  it('begins each item with its feature', () => {
    assert.ok(items.length > 20);
    assert.deepEqual(
      items.filter((item) => !/^- [A-Z][^:.]*: /.test(item)),
      [],
    );
  });

  it('has no duplicate items', () => {
    assert.deepEqual(
      items.filter((item, index) => items.indexOf(item) !== index),
      [],
    );
  });
});

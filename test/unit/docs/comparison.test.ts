import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';

describe('docs/comparison.md', () => {
  const table = readFileSync('docs/comparison.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && line.split('|').length === 11)
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, feature]) => feature !== '' && !feature?.startsWith('**'));

  it('claims nothing for Parley without a test that is there', () => {
    assert.ok(table.length >= 35, `${table.length} rows`);
    for (const [, feature, ours, test] of table) {
      const path = /^`(test\/[\w/]+\.test\.ts)`$/.exec(test ?? '')?.[1];
      assert.equal(ours, 'yes', feature);
      assert.ok(path !== undefined && existsSync(path), `${feature}: ${test}`);
    }
  });

  it('says of each other product one of four things, and explains every number', () => {
    const text = readFileSync('docs/comparison.md', 'utf8');
    for (const [, feature, , , ...others] of table) {
      for (const cell of others.slice(0, 6)) {
        assert.match(cell, /^(?:yes|part|no|\?|–)[¹²³⁴-⁹⁰]*$/, feature);
        const note = /[¹²³⁴-⁹⁰]+$/.exec(cell)?.[0];
        if (note !== undefined)
          assert.match(text, new RegExp(`(?:^|\\. |\\n)${note} [A-Z]`, 'm'), `${feature}: ${note}`);
      }
    }
  });
});

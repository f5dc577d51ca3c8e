import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';

describe('docs/comparison.md', () => {
  const table = readFileSync('docs/comparison.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && line.split('|').length === 11)
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, feature]) => feature !== '' && !feature?.startsWith('**'));

  it('names an existing test for each feature of Parley, and lists missing features', () => {
    assert.ok(table.length >= 35, `${table.length} rows`);
    assert.ok(table.some(([, , ours]) => ours === 'no'));
    for (const row of table) {
      const [feature, ours, test] = [row[1], row[2], row[9]];
      if (ours === 'no') {
        assert.equal(test, '–', feature);
        continue;
      }
      const path = /^`(test\/[\w/]+\.test\.ts)`$/.exec(test ?? '')?.[1];
      assert.match(ours ?? '', /^(?:yes|part[¹²³⁴-⁹⁰]+)$/, feature);
      assert.ok(path !== undefined && existsSync(path), `${feature}: ${test}`);
    }
  });

  it('uses five values for products, and explains every note number', () => {
    const text = readFileSync('docs/comparison.md', 'utf8');
    for (const [, feature, ...cells] of table) {
      for (const cell of cells.slice(0, 7)) {
        assert.match(cell, /^(?:yes|part|no|\?|–)[¹²³⁴-⁹⁰]*$/, feature);
        const note = /[¹²³⁴-⁹⁰]+$/.exec(cell)?.[0];
        if (note !== undefined)
          assert.match(text, new RegExp(`(?:^|\\. |\\n)${note} [*A-Z]`, 'm'), `${feature}: ${note}`);
      }
    }
  });
});

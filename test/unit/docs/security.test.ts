import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';

/** The tests of a row: `` `test/unit/a.test.ts`: “title” ``, separated by line breaks. */
const NAMED = /^`(test\/[\w/.]+\.test\.tsx?)`: “(.+)”$/;

describe('docs/security.md', () => {
  const text = readFileSync('docs/security.md', 'utf8');
  const rows = text
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map((line) => line.slice(2, -2).split(' | '));

  it('lists all attack classes, each with measures and tests', () => {
    assert.deepEqual(
      rows.map(([number]) => Number(number)),
      Array.from({ length: 21 }, (_, index) => index + 1),
    );
    for (const cells of rows) {
      assert.equal(cells.length, 4, cells[1]);
      for (const cell of cells) assert.ok(cell.trim() !== '', cells[1]);
    }
  });

  for (const [number, attack = '', , tests = ''] of rows) {
    it(`names existing tests: ${number}, ${attack}`, () => {
      for (const named of tests.split('<br>')) {
        const [, file = '', title = ''] = NAMED.exec(named.trim()) ?? [];
        assert.ok(file !== '', `${named} is not \`file\`: “title”`);
        assert.ok(existsSync(file), file);
        const titles = Array.from(
          readFileSync(file, 'utf8').matchAll(/\bit\(\s*(['"`])(.*?)\1,/g),
          ([, , found]) => found,
        );
        assert.ok(titles.includes(title), `${file} has no test “${title}”`);
      }
    });
  }

  it('is linked from SECURITY.md and README.md', () => {
    for (const file of ['SECURITY.md', 'README.md'])
      assert.match(readFileSync(file, 'utf8'), /\(docs\/security\.md\)/, file);
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { computeDiff } from '../../../src/session/diff';

describe('computeDiff', () => {
  it('counts lines and marks the words that changed', () => {
    const diff = computeDiff('const a = 1;\nkeep\n', 'const a = 2;\nkeep\nnew\n');
    assert.deepEqual([diff.added, diff.removed], [2, 1]);
    const removed = diff.hunks[0]?.lines.find((line) => line.type === 'removed');
    assert.deepEqual(
      removed?.marks?.map(([start, end]) => removed.text.slice(start, end)),
      ['1'],
    );
  });

  it('shows the new text of any pair of texts, and the old one, line by line', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', 'long line'), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const text = (all: string[]): string => all.map((line) => `${line}\n`).join('');
        const { hunks, added, removed } = computeDiff(text(before), text(after));
        assert.equal(added - removed, after.length - before.length);
        for (const hunk of hunks) {
          const newLines = hunk.lines.filter((line) => line.type !== 'removed').map((line) => line.text);
          const start = Math.max(0, hunk.newStart - 1);
          if (newLines.length > 0) assert.deepEqual(newLines, after.slice(start, start + newLines.length));
        }
      }),
    );
  });

  it('gives up on a total rewrite and says so, within its line limit', () => {
    const text = (prefix: string): string => Array.from({ length: 6_000 }, (_, i) => `${prefix} ${i}`).join('\n');
    const diff = computeDiff(text('old'), text('new'));
    assert.equal(diff.coarse, true);
    assert.deepEqual([diff.added, diff.removed], [6_000, 6_000]);
    const shown = diff.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
    assert.equal(shown + (diff.omitted ?? 0), 12_000);
  });

  it('is empty for equal texts', () => {
    assert.deepEqual(computeDiff('same\n', 'same\n'), { added: 0, removed: 0, hunks: [] });
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { computeDiff } from '../../../../src/history/diff/computeDiff';
import { patienceDiff } from '../../../../src/history/diff/patienceDiff';

describe('computeDiff', () => {
  it('counts lines and marks changed words', () => {
    const diff = computeDiff('const a = 1;\nkeep\n', 'const a = 2;\nkeep\nnew\n');
    assert.deepEqual([diff.added, diff.removed], [2, 1]);
    const removed = diff.hunks[0]?.lines.find((line) => line.type === 'removed');
    assert.deepEqual(
      removed?.marks?.map(([start, end]) => removed.text.slice(start, end)),
      ['1'],
    );
  });

  it('marks no words where most of many words changed: to find them would take a tenth of a second', () => {
    const { hunks } = computeDiff('a '.repeat(490), 'b '.repeat(490));
    assert.deepEqual(
      hunks[0]?.lines.map(({ marks }) => marks),
      [undefined, undefined],
    );
  });

  it('reproduces both texts of any pair, line by line', () => {
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

  it('finds the changed lines of a long file with many changes', () => {
    const before = Array.from({ length: 10_000 }, (_, at) => (at % 7 === 3 ? '}' : `const line${at} = 1;`));
    const after = before.flatMap((line, at) => (at % 10 === 0 ? [`${line} // changed`] : at % 501 === 0 ? [] : [line]));
    const diff = computeDiff(before.join('\n'), after.join('\n'));
    assert.equal(diff.coarse, undefined);
    assert.deepEqual([diff.added, diff.removed], [1_000, 1_000 + before.length - after.length]);
    const [removed, added] = diff.hunks[0]?.lines ?? [];
    assert.deepEqual([removed?.text, added?.text], ['const line0 = 1;', 'const line0 = 1; // changed']);
    assert.ok(added?.marks);
  });

  it('produces edits that turn the old text into the new one', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), { maxLength: 40 });
    fc.assert(
      fc.property(lines, lines, fc.constantFrom(0, 30, Infinity), (before, after, maxWork) => {
        const { edits } = patienceDiff(before, after, maxWork);
        const made: string[] = [];
        let at = 0;
        for (const { from, fromEnd, to, toEnd } of edits) {
          assert.ok(from >= at && fromEnd >= from && toEnd >= to);
          made.push(...before.slice(at, from));
          assert.equal(made.length, to);
          made.push(...after.slice(to, toEnd));
          at = fromEnd;
        }
        assert.deepEqual([...made, ...before.slice(at)], after);
      }),
    );
  });

  it('finds moved blocks, and keeps as many lines as possible', () => {
    const { edits, isCoarse } = patienceDiff(['a', 'x', 'b', 'c', 'd'], ['b', 'c', 'd', 'a', 'x'], Infinity);
    assert.equal(isCoarse, false);
    assert.deepEqual(edits, [
      { from: 0, fromEnd: 2, to: 0, toEnd: 0 },
      { from: 5, fromEnd: 5, to: 3, toEnd: 5 },
    ]);
  });

  it('shows a complete rewrite within its line limit', () => {
    const text = (prefix: string): string => Array.from({ length: 6_000 }, (_, i) => `${prefix} ${i}`).join('\n');
    const diff = computeDiff(text('old'), text('new'));
    assert.equal(diff.coarse, undefined);
    assert.deepEqual([diff.added, diff.removed], [6_000, 6_000]);
    const shown = diff.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
    assert.equal(shown + (diff.omitted ?? 0), 12_000);
  });

  it('stops at a limit if few equal lines are reordered everywhere, and reports that', () => {
    const text = (step: number): string => Array.from({ length: 6_000 }, (_, i) => `${(i * i * step) % 13}`).join('\n');
    const diff = computeDiff(text(1), text(5));
    assert.equal(diff.coarse, true);
    assert.equal(diff.added, diff.removed);
  });

  it('shows a long text with lines in another order as one change, and reports that', () => {
    const count = 40_000;
    const lines = Array.from({ length: count }, (_, i) => `line ${i}`);
    const moved = lines.map((_, i) => lines[(i * 7_919) % count] ?? '');
    const text = (some: readonly string[]): string => ['first', ...some, 'last'].join('\n');
    const diff = computeDiff(text(lines), text(moved));
    assert.deepEqual([diff.coarse, diff.hunks.length], [true, 1]);
    // The first line stays.
    assert.deepEqual([diff.added, diff.removed], [count - 1, count - 1]);
    assert.equal(diff.hunks[0]?.lines.length, 1_000);
    assert.equal(diff.omitted, 2 * (count - 1) + 3 - 1_000);
  });

  it('is empty for equal texts', () => {
    assert.deepEqual(computeDiff('same\n', 'same\n'), { added: 0, removed: 0, hunks: [] });
  });
});

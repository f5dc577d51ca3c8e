import assert from 'node:assert/strict';
import { removedLines, removedPreview } from '../../../../src/review/editor/removedLines';
import type { Hunk } from '../../../../src/review/tracking/hunks';

const hunk = (before: [number, number], after: [number, number]): Hunk => ({
  id: `${after[0]}`,
  before: { start: before[0], lines: before[1] },
  after: { start: after[0], lines: after[1] },
});

/** Visible spaces. */
const plain = (text: string): string => text.replaceAll('\u00a0', ' ');

describe('review/editor/removedLines', () => {
  const base = ['zero', 'one', '\ttwo', 'three', 'four'];

  const lines = (now: readonly string[], ...hunks: Hunk[]): string[] =>
    removedLines(hunks, (line) => now[line] ?? '', base, 4).map(
      ({ line, text, gap, more }) => `${line}+${gap}: ${plain(text)}${more === 0 ? '' : ` (${more})`}`,
    );

  it('are shown beside the lines that replaced them, and the others are counted', () => {
    const now = ['zero', 'ONE!', '\tTWO', 'four'];
    assert.deepEqual(lines(now, hunk([1, 3], [1, 2])), ['1+7: one', '2+4:     two (1)']);
  });

  it('stay visible in a narrow window with one long line', () => {
    const now = ['zero', 'x'.repeat(90), '\tTWO', 'THREE'];
    assert.deepEqual(lines(now, hunk([1, 3], [1, 3])), ['1+4: one', '2+4:     two', '3+6: three']);
  });

  it('are omitted if one line, or a deletion, is shown above', () => {
    const hunks = [hunk([1, 1], [1, 1]), hunk([2, 2], [2, 0]), hunk([4, 0], [2, 3])];
    assert.deepEqual(lines(['a', 'b', 'c', 'd', 'e'], ...hunks), []);
  });

  it('are limited in number, length and column', () => {
    const many = Array.from({ length: 2000 }, () => 'x'.repeat(1000));
    const all = removedLines([hunk([0, 900], [0, 900]), hunk([900, 900], [900, 900])], () => 'y'.repeat(1000), many, 4);
    assert.equal(all.length, 500);
    assert.ok(all.every(({ text, gap }) => text.length === 160 && gap === 4));
    assert.equal(all.at(-1)?.more, 400);
  });

  it('escape hidden characters and icons', () => {
    const [shown] = removedLines([hunk([0, 2], [0, 2])], () => '', ['a\u202eb', ''], 4);
    assert.equal(shown?.text, 'a\\u{202e}b');
    assert.equal(removedPreview(hunk([0, 2], [0, 0]), ['  ', '  $(bug)\u202e ']), '$\u2060(bug)\\u{202e}');
    assert.equal(removedPreview(hunk([0, 1], [0, 1]), ['x'.repeat(500)]).length, 100);
  });
});

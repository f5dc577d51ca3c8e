import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { CommentLines, DocumentLines, TextEdit } from '../../../../src/review/comments/commentLines';
import { afterEdit, findQuote, isWithin, quoteOf } from '../../../../src/review/comments/commentLines';

const edit = (from: [number, number], to: [number, number], text: string): TextEdit => ({
  range: { start: { line: from[0], character: from[1] }, end: { line: to[0], character: to[1] } },
  text,
});

const documentOf = (lines: readonly string[]): DocumentLines => ({
  lineCount: lines.length,
  lineAt: (line) => ({ text: lines[line] ?? '' }),
});

const LINES: CommentLines = { first: 4, last: 6 };
const after = (change: TextEdit): [number, number] => {
  const { first, last } = afterEdit(LINES, change);
  return [first, last];
};

describe('review/comments/commentLines', () => {
  it('move with edits above them, but not with edits below', () => {
    assert.deepEqual(after(edit([0, 0], [0, 0], 'a\nb\n')), [6, 8]);
    assert.deepEqual(after(edit([4, 0], [4, 0], 'new\n')), [5, 7]);
    assert.deepEqual(after(edit([1, 0], [3, 0], '')), [2, 4]);
    assert.deepEqual(after(edit([7, 0], [9, 0], '')), [4, 6]);
    assert.deepEqual(after(edit([6, 3], [6, 3], '\n')), [4, 6]);
  });

  it('grow and shrink with edits inside', () => {
    assert.deepEqual(after(edit([5, 0], [5, 0], 'x\ny\n')), [4, 8]);
    assert.deepEqual(after(edit([4, 2], [5, 1], '')), [4, 5]);
    assert.deepEqual(
      [edit([5, 0], [5, 3], 'x'), edit([4, 0], [6, 9], '')].map((one) => isWithin(LINES, one)),
      [true, true],
    );
    assert.deepEqual(
      [edit([4, 0], [4, 0], 'x\n'), edit([3, 0], [6, 9], '')].map((one) => isWithin(LINES, one)),
      [false, false],
    );
  });

  it('stay within the text that replaced them', () => {
    assert.deepEqual(after(edit([0, 0], [9, 0], 'a\nb\n')), [2, 2]);
    assert.deepEqual(after(edit([0, 0], [9, 0], 'x\n'.repeat(30))), [4, 6]);
  });

  it('are always a valid range', () => {
    const at = fc.nat(12);
    fc.assert(
      fc.property(at, at, at, at, fc.nat(9), (first, more, from, length, added) => {
        const lines = { first, last: first + more };
        const moved = afterEdit(lines, edit([from, 0], [from + length, 0], '\n'.repeat(added)));
        assert.ok(moved.first >= 0 && moved.last >= moved.first);
      }),
    );
  });

  it('are found by their text, the nearest first, or keep their position', () => {
    const document = documentOf(['a', '}', 'b', '}', 'c', '}']);
    assert.deepEqual(findQuote(document, { first: 0, last: 0 }, ['c']), { first: 4, last: 4 });
    assert.deepEqual(findQuote(document, { first: 2, last: 2 }, ['}']), { first: 1, last: 1 });
    assert.deepEqual(findQuote(document, { first: 0, last: 1 }, ['}', 'c']), { first: 3, last: 4 });
    assert.deepEqual(findQuote(document, { first: 40, last: 41 }, ['gone']), { first: 5, last: 5 });
    assert.deepEqual(findQuote(document, { first: 1, last: 2 }, []), { first: 1, last: 2 });
  });

  it('are quoted partly if they are many or long', () => {
    const quote = quoteOf(documentOf(Array.from({ length: 50 }, () => 'x'.repeat(1000))), { first: 10, last: 45 });
    assert.deepEqual([quote.length, new Set(quote.map(({ length }) => length))], [20, new Set([300])]);
    assert.deepEqual(quoteOf(documentOf(['a', 'b']), { first: 1, last: 9 }), ['b']);
  });
});

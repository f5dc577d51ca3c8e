import assert from 'node:assert/strict';
import { commentMessage } from '../../../../src/review/comments/commentMessage';

describe('review/comments/agentComments: comment message', () => {
  it('lists each comment below its file, with its lines and their text', () => {
    const message = commentMessage([
      { place: 'src/a.ts:4', lineCount: 1, isBaseline: false, quote: ['const x = 1;'], texts: ['Why 1?', 'Or 2?'] },
      { place: 'b.ts:1-30', lineCount: 30, isBaseline: true, quote: ['one', 'two'], texts: ['Too long.'] },
    ]);
    assert.equal(
      message,
      'src/a.ts:4\n> const x = 1;\nWhy 1?\nOr 2?\n\nb.ts:1-30 (before the change)\n> one\n> two\n> … 28 more lines\nToo long.',
    );
  });
});

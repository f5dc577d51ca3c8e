import assert from 'node:assert/strict';
import fc from 'fast-check';
import { differingRange } from '../../../../../src/webview/chat/toolCalls/differingRange';

describe('the range in which two texts differ', () => {
  it('is between the common prefix and suffix', () => {
    assert.deepEqual(differingRange('Adds two.', 'Adds three.'), {
      before: ['Adds t', 'wo', '.'],
      after: ['Adds t', 'hree', '.'],
    });
    assert.deepEqual(differingRange('aa', 'aaa'), { before: ['aa', '', ''], after: ['aa', 'a', ''] });
    assert.deepEqual(differingRange('x', 'x').after, ['x', '', '']);
    assert.deepEqual(differingRange('a😀b', 'a😁b').after, ['a', '😁', 'b']);
  });

  it('property: completes both texts with the common ends, and splits no character', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', '😀', '😁', '\n'), maxLength: 8 });
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const parts = differingRange(before, after);
        assert.equal(parts.before.join(''), before);
        assert.equal(parts.after.join(''), after);
        assert.deepEqual([parts.before[0], parts.before[2]], [parts.after[0], parts.after[2]]);
        // Throws for half a character.
        for (const part of [...parts.before, ...parts.after]) encodeURIComponent(part);
      }),
    );
  });
});

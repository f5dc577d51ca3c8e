import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { mergeThreeWay, formatLineRanges } from '../../../../src/history/diff/threeWayMerge';

const base = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';

describe('client/fs/threeWayMerge', () => {
  const merged = (mine: string, theirs: string, from = base) => {
    const result = mergeThreeWay(from, mine, theirs);
    assert(result.type === 'merged', JSON.stringify(result));
    return result.text;
  };
  const overlap = (mine: string, theirs: string, from = base) => {
    const result = mergeThreeWay(from, mine, theirs);
    assert(result.type === 'overlap', JSON.stringify(result));
    return result.lines;
  };

  it('merges changes of different lines', () => {
    const mine = base.replace('two', 'TWO').replace('seven\n', 'seven\neight\n');
    const theirs = base.replace('four\n', '').replace('five', 'FIVE');
    assert.equal(merged(mine, theirs), 'one\nTWO\nthree\nFIVE\nsix\nseven\neight\n');
  });

  it('applies the same change of both sides once', () => {
    const both = base.replace('three', 'THREE');
    assert.equal(
      merged(both.replace('six', 'SIX'), both.replace('one', 'ONE')),
      'ONE\ntwo\nTHREE\nfour\nfive\nSIX\nseven\n',
    );
  });

  it('returns the conflicting lines of the user', () => {
    const mine = `zero\n${base.replace('three', 'mine').replace('six', 'mine too\nand more')}`;
    const theirs = base.replace('three', 'theirs').replace('six', 'theirs too');
    assert.deepEqual(overlap(mine, theirs), [
      { first: 4, last: 4 },
      { first: 7, last: 8 },
    ]);
  });

  it('detects a conflict of deletion and change, and of two insertions at the same place', () => {
    assert.deepEqual(overlap(base.replace('two\n', ''), base.replace('two', 'TWO')), [{ first: 2, last: 2 }]);
    assert.deepEqual(overlap(`${base}mine\n`, `${base}theirs\n`), [{ first: 8, last: 8 }]);
    assert.deepEqual(overlap('mine', 'theirs', ''), [{ first: 1, last: 1 }]);
  });

  it('handles a last line without a line end', () => {
    assert.deepEqual(overlap('a\nb\nmine', 'a\nb\ntheirs', 'a\nb'), [{ first: 2, last: 3 }]);
    assert.equal(merged('a\nb\nC', 'X\na\nb\nc', 'a\nb\nc'), 'X\na\nb\nC');
  });

  it('merges 100,000 lines', () => {
    const lines = Array.from({ length: 100_000 }, (_, index) => `line ${index}\n`);
    const mine = lines.with(10, 'mine\n').join('');
    const theirs = lines.with(99_990, 'theirs\n').join('');
    assert.equal(merged(mine, theirs, lines.join('')), lines.with(10, 'mine\n').with(99_990, 'theirs\n').join(''));
  });

  it('loses no change of either side', () => {
    const line = fc.constantFrom('a\n', 'b\n', 'c\n', 'd\n');
    const document = fc.array(line, { maxLength: 12 }).map((lines) => lines.join(''));
    fc.assert(
      fc.property(document, document, document, (from, mine, theirs) => {
        assert.deepEqual(mergeThreeWay(from, mine, from), { type: 'merged', text: mine });
        assert.deepEqual(mergeThreeWay(from, from, theirs), { type: 'merged', text: theirs });
        assert.deepEqual(mergeThreeWay(from, mine, mine), { type: 'merged', text: mine });
        const one = mergeThreeWay(from, mine, theirs);
        const other = mergeThreeWay(from, theirs, mine);
        assert.equal(one.type, other.type);
        if (one.type === 'merged' && other.type === 'merged') assert.equal(one.text, other.text);
      }),
      { numRuns: 2000 },
    );
  });

  it('merges distant edits as if they were made one after the other', () => {
    const word = fc
      .string({ unit: fc.constantFrom('x', 'y', '\n'), minLength: 1, maxLength: 6 })
      .map((text) => `${text}\n`);
    fc.assert(
      fc.property(word, word, (first, second) => {
        const lines = Array.from({ length: 40 }, (_, index) => `unique ${index}\n`);
        const mine = lines.with(3, first).join('');
        const theirs = lines.with(30, second).join('');
        assert.equal(merged(mine, theirs, lines.join('')), lines.with(3, first).with(30, second).join(''));
      }),
    );
  });

  it('describes line ranges in words', () => {
    assert.equal(formatLineRanges([{ first: 3, last: 3 }]), 'line 3');
    assert.equal(formatLineRanges([{ first: 3, last: 5 }]), 'lines 3-5');
    assert.equal(
      formatLineRanges([
        { first: 3, last: 5 },
        { first: 9, last: 9 },
      ]),
      'lines 3-5 and 9',
    );
  });
});

import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { minimalReplacement, sliceLines, withEol } from '../../../src/workbench/textEdits';

const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', '\r', '😀', '😁', 'é'), maxLength: 30 });

describe('workbench/textEdits', () => {
  it('counts lines from 1 and keeps their line ends', () => {
    const lines = 'one\r\ntwo\nthree';
    assert.equal(sliceLines(lines, undefined, undefined), lines);
    assert.equal(sliceLines(lines, 1, 1), 'one\r\n');
    assert.equal(sliceLines(lines, 0, 1), 'one\r\n');
    assert.equal(sliceLines(lines, 2, undefined), 'two\nthree');
    assert.equal(sliceLines(lines, 2, 5), 'two\nthree');
    assert.equal(sliceLines(lines, 3, 1), 'three');
    assert.equal(sliceLines(lines, 4, 1), '');
    assert.equal(sliceLines(lines, 1, 0), '');
    assert.equal(sliceLines('', 1, 1), '');
    assert.equal(sliceLines('a\n', 2, 3), '');
  });

  it('reads a text completely in parts', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 5 }), (whole, limit) => {
        let read = '';
        for (let line = 1; line <= whole.split('\n').length; line += limit) read += sliceLines(whole, line, limit);
        assert.equal(read, whole);
      }),
    );
  });

  it('changes line ends only', () => {
    assert.equal(withEol('a\r\nb\nc\rd', '\n'), 'a\nb\nc\nd');
    assert.equal(withEol('a\r\nb\nc\rd', '\r\n'), 'a\r\nb\r\nc\r\nd');
  });

  it('finds the smallest replacement without splitting a character', () => {
    assert.equal(minimalReplacement('same', 'same'), undefined);
    assert.deepEqual(minimalReplacement('one two three', 'one 2 three'), { start: 4, end: 7, text: '2' });
    assert.deepEqual(minimalReplacement('aa', 'aaa'), { start: 2, end: 2, text: 'a' });
    assert.deepEqual(minimalReplacement('😀', '😁'), { start: 0, end: 2, text: '😁' });
    fc.assert(
      fc.property(text, text, text, text, (head, from, to, end) => {
        const [old, next] = [head + from + end, head + to + end];
        const edit = minimalReplacement(old, next);
        if (!edit) return assert.equal(old, next);
        assert.equal(old.slice(0, edit.start) + edit.text + old.slice(edit.end), next);
        for (const piece of [old.slice(0, edit.start), edit.text, old.slice(edit.end)]) {
          assert.equal(Buffer.from(piece).toString(), piece, 'a piece begins or ends inside a character');
        }
        for (const offset of [edit.start, edit.end])
          assert.notEqual(offset > 0 && old.slice(offset - 1, offset + 1), '\r\n');
        for (const offset of [edit.start, edit.start + edit.text.length])
          assert.notEqual(offset > 0 && next.slice(offset - 1, offset + 1), '\r\n');
      }),
      { numRuns: 1000 },
    );
  });
});

import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { keepLineEnds } from '../../../../src/history/diff/lineEnds';

describe('history/diff/lineEnds', () => {
  it('gives all lines the only kind of line end of a file', () => {
    assert.equal(keepLineEnds('one\r\ntwo\r\n', 'one\n2\nthree\n'), 'one\r\n2\r\nthree\r\n');
    assert.equal(keepLineEnds('one\ntwo\n', 'one\r\n2\r\n'), 'one\n2\n');
    assert.equal(keepLineEnds('one', 'one\r\ntwo'), 'one\r\ntwo');
  });

  it('leaves the last line as the agent wants it', () => {
    assert.equal(keepLineEnds('one\r\ntwo', 'one\ntwo\n'), 'one\r\ntwo\r\n');
    assert.equal(keepLineEnds('one\r\ntwo\r\n', 'one\ntwo'), 'one\r\ntwo');
    assert.equal(keepLineEnds('one\r\ntwo\nthree', 'one\ntwo\nthree\n'), 'one\r\ntwo\nthree\n');
  });

  it('takes mixed line ends that the agent returned as they are', () => {
    const text = 'one\r\ntwo\nthree\rfour\n';
    assert.equal(keepLineEnds(text, text.replace('two', '2')), text.replace('two', '2'));
    assert.equal(keepLineEnds(text, `${text}five\r\n`), `${text}five\r\n`);
  });

  it('returns the ends of unchanged lines to an agent that knows one kind only', () => {
    assert.equal(keepLineEnds('one\r\ntwo\nthree\rfour\r\n', 'one\n2\nthree\nfour\n'), 'one\r\n2\nthree\rfour\r\n');
    assert.equal(keepLineEnds('one\r\ntwo\nthree\r\n', 'zero\none\ntwo\nthree\n'), 'zero\none\r\ntwo\nthree\r\n');
  });

  it('changes only the word that the agent changes', () => {
    const end = fc.constantFrom('\n', '\r\n', '\r');
    const lines = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'a\tc', ''), end), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, fc.constantFrom('', 'end'), fc.boolean(), (before, after, last, isPlain) => {
        const textOf = (word: string): string =>
          [...before, [word, '\n'], ...after].map(([line = '', ending = '']) => line + ending).join('') + last;
        const [old, next] = [textOf('word'), textOf('other')];
        const sent = isPlain && !/\r(?!\n)/.test(old) ? next.replaceAll('\r\n', '\n') : next;
        assert.equal(keepLineEnds(old, sent), next);
      }),
    );
  });
});

import assert from 'node:assert/strict';
import {
  closesFence,
  fenceStart,
  footnoteStart,
  indentOf,
  interruptsParagraph,
  isDelimiterRow,
  isRule,
  listMarker,
  stripIndent,
} from '../../../../src/webview/markdown/blockSyntax';
import { LineEndNormalizer } from '../../../../src/webview/markdown/markdownStream';
import { chunksOf, replaceControls } from '../../../../src/webview/markdown/normalizeText';

describe('block syntax', () => {
  it('parses fences', () => {
    assert.deepEqual(fenceStart('  ```ts {1,3}'), { marker: '```', indent: 2, info: 'ts {1,3}' });
    assert.equal(fenceStart('``` a`b'), undefined);
    assert.equal(fenceStart('    ```'), undefined);
    const fence = { marker: '````', indent: 0, info: '' };
    assert.deepEqual(
      ['```', '````', '`````  ', '~~~~', '```` x'].map((line) => closesFence(line, fence)),
      [false, true, true, false, false],
    );
  });

  it('parses list markers and the start of their content', () => {
    assert.deepEqual(listMarker('- a'), { type: '-', ordered: false, start: 1, content: 2, text: 'a' });
    assert.deepEqual(listMarker(' 12)   b'), { type: ')', ordered: true, start: 12, content: 7, text: 'b' });
    assert.deepEqual(listMarker('-     code'), { type: '-', ordered: false, start: 1, content: 2, text: '    code' });
    assert.deepEqual(listMarker('-\tx'), { type: '-', ordered: false, start: 1, content: 4, text: 'x' });
    assert.deepEqual(listMarker('*'), { type: '*', ordered: false, start: 1, content: 2, text: '' });
    assert.equal(listMarker('-a'), undefined);
    assert.equal(listMarker('- - -'), undefined);
    assert.equal(listMarker('1234567890. x'), undefined);
  });

  it('lets only some blocks interrupt a paragraph', () => {
    const lines = ['# h', '> q', '***', '- a', '1. a', '2. a', '-', '```', 'text', '    code', '[^1]: n'];
    assert.deepEqual(lines.map(interruptsParagraph), [
      true,
      true,
      true,
      true,
      true,
      false,
      false,
      true,
      false,
      false,
      true,
    ]);
  });

  it('parses rules, delimiter rows and footnotes', () => {
    assert.deepEqual(['---', ' * * *', '--', '-- -x'].map(isRule), [true, true, false, false]);
    assert.deepEqual(['|---|:-:|', '--|--', '---', ':-:', '| a |'].map(isDelimiterRow), [
      true,
      true,
      false,
      true,
      false,
    ]);
    assert.deepEqual(footnoteStart('[^a]: text'), { label: 'a', text: 'text' });
  });

  it('measures and strips indentation with tabs', () => {
    assert.equal(indentOf(' \tx'), 4);
    assert.equal(stripIndent('\t\tx', 2), '  \tx');
    assert.equal(stripIndent(' x', 2), undefined);
  });
});

describe('text for the page', () => {
  it('normalizes line ends across chunks', () => {
    const ends = new LineEndNormalizer();
    assert.equal(['a\r', '\nb\r', 'c\r\r', '\n'].map((chunk) => ends.push(chunk)).join('') + ends.end(), 'a\nb\nc\n\n');
  });

  it('escapes invisible characters', () => {
    assert.equal(replaceControls('a\u202eb\0\u001b[0m\u007f\tc\n'), 'a⟨U+202E⟩b␀␛[0m␡\tc\n');
  });

  it('splits chunks between characters', () => {
    const cut = chunksOf('😀'.repeat(5), 3);
    assert.equal(cut.join(''), '😀'.repeat(5));
    assert.ok(cut.every((piece) => piece.length % 2 === 0));
  });
});

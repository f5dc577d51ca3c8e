import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { ScreenLine } from '../../../../src/shared/terminal/screenLine';
import { TerminalScreen } from '../../../../src/shared/terminal/terminalScreen';
import { SgrStyleParser } from '../../../../src/webview/terminal/sgrStyle';

/** All lines of the output, written in these chunks. */
function linesOf(...chunks: string[]): ScreenLine[] {
  const styles = new SgrStyleParser();
  const model = new TerminalScreen(undefined, (parameters) => styles.read(parameters));
  const lines = new Set<ScreenLine>();
  for (const chunk of chunks) {
    model.write(chunk);
    for (const line of model.takeChanges()) lines.add(line);
  }
  return [...lines];
}

const texts = (...chunks: string[]): string[] => linesOf(...chunks).map((line) => line.text);
const runs = (...chunks: string[]): unknown[] =>
  linesOf(...chunks).map((line) => line.runs.map(({ text, style }) => [text, { ...style }]));

describe('terminal output', () => {
  it('splits output into lines', () => {
    assert.deepEqual(texts('one\ntwo\r\n\nfour'), ['one', 'two', '', 'four']);
    assert.deepEqual(texts('one\n'), ['one']);
  });

  it('redraws progress bars in place', () => {
    assert.deepEqual(texts('10%\r20%\r100%\ndone'), ['100%', 'done']);
    assert.deepEqual(texts('downloading\r\u001b[Kok'), ['ok']);
    assert.deepEqual(texts('a 1\nb 1\n\u001b[2Aa 2\u001b[K\n\u001b[2Kb 2'), ['a 2', 'b 2']);
    assert.deepEqual(texts('abc\b\bX'), ['aXc']);
    assert.deepEqual(texts('abcdef\u001b[4D\u001b[1K\u001b[6GF'), ['   deF']);
  });

  it('keeps earlier output when the screen is cleared', () => {
    assert.deepEqual(texts('before\n\u001b[2J\u001b[H\u001b[1;1Hafter\n'), ['before', 'after']);
    assert.deepEqual(texts('one\ntwo\nthree\u001b[2A\r\u001b[Jx'), ['x', '', '']);
  });

  it('keeps every empty line', () => {
    assert.equal(texts(`a${'\n'.repeat(3000)}b`).length, 3001);
  });

  it('parses colors and decorations', () => {
    assert.deepEqual(runs('\u001b[31mred\u001b[0m plain \u001b[1;94;42mbright\u001b[22;39;49m.'), [
      [
        ['red', { classes: 'ansi-red-fg' }],
        [' plain ', { classes: '' }],
        ['bright', { classes: 'ansi-bright-blue-fg ansi-green-bg ansi-bold' }],
        ['.', { classes: '' }],
      ],
    ]);
  });

  it('parses 256 colors and true colors, in both notations', () => {
    const expected = [[['x', { classes: '', color: 'rgb(255, 135, 0)', background: 'rgb(1, 2, 3)' }]]];
    assert.deepEqual(runs('\u001b[38;5;208;48;2;1;2;3mx'), expected);
    assert.deepEqual(runs('\u001b[38:5:208m\u001b[48:2::1:2:3mx'), expected);
    assert.deepEqual(runs('\u001b[38;5;9mx'), [[['x', { classes: 'ansi-bright-red-fg' }]]]);
    assert.deepEqual(runs('\u001b[38;5;244mx'), [[['x', { classes: '', color: 'rgb(128, 128, 128)' }]]]);
  });

  it('inverts colors', () => {
    assert.deepEqual(runs('\u001b[7mx\u001b[31my'), [
      [
        ['x', { classes: 'ansi-reverse-bg ansi-reverse-fg' }],
        ['y', { classes: 'ansi-red-bg ansi-reverse-fg' }],
      ],
    ]);
  });

  it('ends a decoration that was started twice', () => {
    assert.deepEqual(runs('\u001b[1m\u001b[31m\u001b[1mx\u001b[22my'), [
      [
        ['x', { classes: 'ansi-red-fg ansi-bold' }],
        ['y', { classes: 'ansi-red-fg' }],
      ],
    ]);
  });

  it('drops titles, link URLs, images, modes and bells', () => {
    assert.deepEqual(texts('\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\b'), ['alinkb']);
    assert.deepEqual(texts('\u001bPq#0;2;0;0;0\u001b\\x\u001b[?25l\u001b[?2004hy\u001b(Bz\u001b=\u0007\0!'), ['xyz!']);
    assert.deepEqual(texts(`a\u001b]1337;${'A'.repeat(100_000)}`, 'B'.repeat(100_000), '\u0007b'), ['ab']);
    assert.deepEqual(texts(`a\u001b[${'1;'.repeat(10_000)}mb`), ['ab']);
  });

  it('splits a very long line into several of limited length', () => {
    const lines = linesOf('x'.repeat(4500));
    assert.deepEqual(
      lines.map((line) => [line.text.length, line.isContinued]),
      [
        [2000, true],
        [2000, true],
        [500, false],
      ],
    );
  });

  it('gives the same result for any chunks', () => {
    const parts = [
      [
        'text',
        '\n',
        '\r',
        '\r\n',
        '\b',
        '\t',
        '😀',
        'é',
        ' ',
        '\u001b',
        '[',
        'm',
        '\u001b[31m',
        '\u001b[0;1m',
        '\u001b[K',
      ],
      [
        '\u001b[2K',
        '\u001b[A',
        '\u001b[3B',
        '\u001b[5C',
        '\u001b[2D',
        '\u001b[J',
        '\u001b[2J',
        '\u001b[H',
        '\u001b[5;3H',
      ],
      [
        '\u001b]0;t\u0007',
        '\u001b]8;;u\u001b\\',
        '\u001b[38;2;1;2;3m',
        '\u001b(B',
        '\u001bP',
        '\u001b\\',
        '1',
        ';',
        'x'.repeat(1995),
      ],
    ].flat();
    const output = fc.array(fc.constantFrom(...parts), { maxLength: 60 }).map((all) => all.join(''));
    fc.assert(
      fc.property(output, fc.array(fc.nat(), { maxLength: 12 }), (text, cuts) => {
        const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
        const chunks = [0, ...at].map((start, index) => text.slice(start, at[index] ?? text.length));
        assert.deepEqual(runs(...chunks), runs(text));
      }),
      { numRuns: 2000 },
    );
  });
});

import assert from 'node:assert/strict';
import type { ScreenLine } from '../../../../src/shared/terminal/screenLine';
import { TERMINAL_ROWS, TerminalScreen, screenLineText } from '../../../../src/shared/terminal/terminalScreen';

/** The text on the screen after the output, settled and not. */
function textAfter(...chunks: string[]): string {
  const settled: ScreenLine[] = [];
  const model = new TerminalScreen((line) => settled.push(line));
  for (const chunk of chunks) model.write(chunk);
  return settled.map(screenLineText).join('') + model.text;
}

const ESC = '\u001b';
const numbered = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at}\r\n`).join('');

describe('shared/terminal/terminalScreen', () => {
  it('keeps text that is not overwritten', () => {
    for (const text of ['', 'a', 'a\n', 'a\n\nb', '\n\n', 'a\n\n\n']) assert.equal(textAfter(text), text);
    assert.equal(textAfter('a\r\nb\r\n'), 'a\nb\n');
    assert.equal(textAfter(numbered(3000)), numbered(3000).replaceAll('\r', ''));
    assert.equal(textAfter('x'.repeat(4500)), 'x'.repeat(4500));
  });

  it('redraws several lines in place, as docker, npm and cargo do', () => {
    const frame = (at: number): string => `layer a ${at}%${ESC}[K\r\nlayer b ${at}%${ESC}[K\r\n`;
    const up = `${ESC}[2A`;
    assert.equal(textAfter(frame(10), up, frame(55), up, frame(100), 'done\r\n'), 'layer a 100%\nlayer b 100%\ndone\n');
    assert.equal(textAfter(`${ESC}[?25l⠋ building${ESC}[1G${ESC}[2K⠙ building\r${ESC}[K${ESC}[?25hok\n`), 'ok\n');
  });

  it('counts positions from the top of the screen', () => {
    const output = `${numbered(100)}end${ESC}[1;1HX${ESC}[${TERMINAL_ROWS};1HY`;
    const lines = textAfter(output).split('\n');
    assert.equal(lines[101 - TERMINAL_ROWS]?.[0], 'X');
    assert.equal(lines[100], 'Ynd');
    assert.equal(lines.length, 101);
  });

  it('omits a status line below the scroll region, as apt draws it', () => {
    const status = (text: string): string => `${ESC}7${ESC}[${TERMINAL_ROWS};0f${ESC}[42m${text}${ESC}[49m${ESC}8`;
    const begin = `\n${ESC}7${ESC}[0;${TERMINAL_ROWS - 1}r${ESC}8${ESC}[1A`;
    const output = [begin, 'Unpacking a\r\n', status('Progress: [ 50%]'), numbered(50), status('Progress: [100%]')];
    const end = `${ESC}7${ESC}[0;${TERMINAL_ROWS}r${ESC}8`;
    assert.equal(textAfter(...output, end, 'done\n'), `Unpacking a\n${numbered(50).replaceAll('\r', '')}done\n`);
  });

  it('drops the output of a full-screen program, and continues where it started', () => {
    const editor = `${ESC}[?1049h${ESC}[2J${ESC}[1;1H~\r\n~\r\n~${ESC}[${TERMINAL_ROWS};1H:q!`;
    assert.match(textAfter('before\r\n$ ', editor), /^before\n\$ \n[^]*:q!$/);
    assert.equal(textAfter('before\r\n$ ', editor, `${ESC}[?1049l`), 'before\n$ ');
    assert.equal(textAfter('before\r\n', editor, `${ESC}[?1049l`, 'a\r\n\r\nafter\r\n'), 'before\na\n\nafter\n');
  });

  it('deletes, inserts and erases characters', () => {
    assert.equal(textAfter(`abcdef\r${ESC}[2P`), 'cdef');
    assert.equal(textAfter(`abcdef\r${ESC}[2@`), '  abcdef');
    assert.equal(textAfter(`abcdef\r${ESC}[2X`), '  cdef');
    assert.equal(textAfter(`ab${ESC}[scd${ESC}[uX`), 'abXd');
  });

  it('clears the screen without losing earlier output', () => {
    assert.equal(textAfter(`a\nb\n${ESC}[H${ESC}[2J${ESC}[3Jc\n${ESC}cd`), 'a\nb\nc\nd');
  });
});

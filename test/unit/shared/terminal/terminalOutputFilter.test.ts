import assert from 'node:assert/strict';
import { TerminalOutputFilter } from '../../../../src/shared/terminal/terminalOutputFilter';

const ESC = '\u001b';
const BEL = '\u0007';
const ST = `${ESC}\\`;

/** All but the line feed and the bell. */
const control = new RegExp(`(?![\n${BEL}])\\p{Cc}`, 'u');

const filtered = (...chunks: string[]): string => {
  const filter = new TerminalOutputFilter('\n');
  return chunks.map((chunk) => filter.filter(chunk)).join('');
};
const byCharacters = (output: string): string => filtered(...output.split(''));

describe('shared/terminal/terminalOutputFilter', () => {
  it('never lets output read or set the clipboard, in any form and in any chunks', () => {
    const forms = [
      `${ESC}]52;c;?${BEL}`,
      `${ESC}]52;c;?${ST}`,
      `${ESC}]52;c;?\u009c`,
      `${ESC}]0052;p;Y3VybA==${BEL}`,
      `${ESC}]5\u00002;c;?${BEL}`,
      // xterm ends a string at any ESC.
      `${ESC}]52;c;Y3VybA==${ESC}[31m${BEL}`,
      `${ESC}P+q544e${ST}`,
      `${ESC}_Ga=q;AAAA${ST}`,
    ];
    for (const form of forms) {
      assert.equal(filtered(`a${form}b`), 'ab');
      assert.equal(byCharacters(`a${form}b`), 'ab');
    }
    for (const form of [
      `\u009d52;c;?${BEL}`,
      '\u009d52;c;?\u009c',
      `${ESC}\n]52;c;?${BEL}`,
      `${ESC}\u009d52;c;?${BEL}`,
    ])
      assert.doesNotMatch(byCharacters(form), control);
    assert.equal(filtered(`${ESC}]52;c;`, 'x'.repeat(1_000_000), `${BEL}after`), 'after');
  });

  it('sends no query and no mode that makes the terminal report something', () => {
    const queries = [
      'c',
      '0c',
      '>c',
      '=c',
      '5n',
      '6n',
      '?6n',
      '?996n',
      '?u',
      '?1$p',
      '4$p',
      '>q',
      '18t',
      'x',
      '1$w',
      '1*y',
    ];
    const modes = ['?1004h', '?2031h', '?2048h', '?25;01004h', '?2031;25h'];
    for (const query of [...queries, ...modes].map((each) => `${ESC}[${each}`).concat(`${ESC}Z`, '\u0005')) {
      assert.equal(filtered(`a${query}b`), 'ab', query.slice(1));
      assert.equal(byCharacters(`a${query}b`), 'ab', query.slice(1));
    }
    assert.doesNotMatch(filtered(`${ESC}[\n6n`, `${ESC}\u0018[6n`, '\u009b6n'), control);
    assert.equal(filtered(`${ESC}[2147483647b`), '');
  });

  it('passes what draws: text, colors, cursor, modes, character sets', () => {
    const output = [
      `a\tb\r\n${ESC}[1;38;2;1;2;3mred${ESC}[m ${ESC}[38:5:9mx\b${ESC}[0K é 😀`,
      `${ESC}[?1049h${ESC}[2J${ESC}[1;1H${ESC}[3;20r${ESC}[?25l${ESC}[?1000;1006h${ESC}[?2004h${ESC}[2 q`,
      `${ESC}(0lqk${ESC}(B${ESC}7${ESC}8${ESC}=${ESC}>${ESC}M${ESC}[>1u${ESC}[<u${ESC}[?1004l${ESC}[!p${ESC}c${BEL}`,
    ].join('');
    assert.equal(filtered(output), output);
    assert.equal(byCharacters(output), output);
  });

  it('adds carriage returns to the output of a pipe', () => {
    assert.equal(new TerminalOutputFilter('\r\n').filter('a\nb\n'), 'a\r\nb\r\n');
  });
});

import assert from 'node:assert/strict';
import { escapeInvisible } from '../../../src/base/untrustedText';

describe('base/untrustedText', () => {
  it('shows letters without a shape', () => {
    for (const code of [0x115f, 0x1160, 0x3164, 0xffa0])
      assert.equal(escapeInvisible(`rm${String.fromCodePoint(code)}`), `rm\\u{${code.toString(16)}}`);
  });

  it('shows characters that hide text or another name', () => {
    const smuggled = Array.from('rm', (letter) => String.fromCodePoint(0xe0100 + letter.charCodeAt(0))).join('');
    for (const text of [
      'a\ufe00',
      'a\u{e0101}',
      '漢\ufe00\ufe01',
      `👍${smuggled}`,
      '\u034f',
      '\u17b4',
      '\u180b',
      '\u{1d173}',
      '\ufff9',
      '\u{e0041}',
      '\u{e0fff}',
    ])
      assert.match(escapeInvisible(text), /\\u\{/, JSON.stringify(text));
    for (const text of [
      '\u0007',
      '\r',
      '\u009b',
      '\u00ad',
      '\u061c',
      '\u200b',
      '\u200e',
      '\u202e',
      '\u2028',
      '\u2060',
      '\u2066',
      '\ufeff',
      'a\u200d',
    ])
      assert.equal(escapeInvisible(text).endsWith('}'), true, JSON.stringify(text));
  });

  it('keeps emoji, words and forms of ideographs', () => {
    const texts = [
      '👩\u200d💻',
      '❤\ufe0f',
      '1\ufe0f⃣',
      '©\ufe0f',
      '🏳\ufe0f\u200d🌈',
      '辻\u{e0100}',
      '𠮷\u{e0101}',
      'می\u200cخواهم',
      'क्\u200dष',
      'ᠮ\u180bᠠ',
      'a\tb\nc',
    ];
    for (const text of texts) assert.equal(escapeInvisible(text), text);
  });
});

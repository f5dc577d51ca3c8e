import * as fc from 'fast-check';

/** Surrogates, which are not characters. */
const SURROGATES = { first: 0xd800, count: 0x800 };
const LAST = 0x10ffff;

const character = fc.integer({ min: 0, max: LAST - SURROGATES.count }).map(
  (at) => String.fromCodePoint(at < SURROGATES.first ? at : at + SURROGATES.count),
  (text) => {
    const code = typeof text === 'string' ? text.codePointAt(0) : undefined;
    if (code === undefined || String.fromCodePoint(code) !== text) throw new Error('Not one character');
    return code < SURROGATES.first ? code : code - SURROGATES.count;
  },
);

/** Texts of any characters, like `unit: 'binary'`, which spends half a second on a table of all 1.1 million characters. */
export function anyText(constraints: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: character });
}

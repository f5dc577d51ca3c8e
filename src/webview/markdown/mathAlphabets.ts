/** Unicode's mathematical alphabets: MathML Core has no other way to write them. */

interface Alphabet {
  readonly upper: number;
  readonly lower: number;
  readonly digits?: number;
  /** Letters that Unicode had before the others. */
  readonly earlier: Readonly<Record<string, string>>;
}

const alphabets: Readonly<Record<string, Alphabet>> = {
  'double-struck': {
    upper: 0x1d538,
    lower: 0x1d552,
    digits: 0x1d7d8,
    earlier: { C: 'ℂ', H: 'ℍ', N: 'ℕ', P: 'ℙ', Q: 'ℚ', R: 'ℝ', Z: 'ℤ' },
  },
  script: {
    upper: 0x1d49c,
    lower: 0x1d4b6,
    earlier: { B: 'ℬ', E: 'ℰ', F: 'ℱ', H: 'ℋ', I: 'ℐ', L: 'ℒ', M: 'ℳ', R: 'ℛ', e: 'ℯ', g: 'ℊ', o: 'ℴ' },
  },
  fraktur: { upper: 0x1d504, lower: 0x1d51e, earlier: { C: 'ℭ', H: 'ℌ', I: 'ℑ', R: 'ℜ', Z: 'ℨ' } },
};

/** The text in the alphabet that MathML's `mathvariant` names; unchanged for other variants, such as bold. */
export function alphabetLetters(text: string, variant: string): string {
  const alphabet = alphabets[variant];
  return alphabet ? text.replaceAll(/[A-Za-z0-9]/g, (letter) => letterOf(alphabet, letter)) : text;
}

function letterOf({ upper, lower, digits, earlier }: Alphabet, letter: string): string {
  const code = letter.charCodeAt(0);
  if (Object.hasOwn(earlier, letter)) return earlier[letter] ?? letter;
  if (letter >= 'a') return String.fromCodePoint(lower + code - 0x61);
  if (letter >= 'A') return String.fromCodePoint(upper + code - 0x41);
  return digits === undefined ? letter : String.fromCodePoint(digits + code - 0x30);
}

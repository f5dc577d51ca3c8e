/**
 * Which three letters in a row a text holds, as a set that may say yes too often and never no too often: tells cheaply in which
 * sessions a word cannot be. Between 16 bytes and 16 KiB, by the length of the text.
 */
export type Grams = Uint8Array;

const GRAM = 3;
const MOST_BITS = 1 << 17;
const LEAST_BITS = 1 << 7;
/** Bits for each different gram: about one word in 500 is then thought to be where it is not. */
const BITS_PER_GRAM = 8;

/** Collects the grams of a text that comes in parts. */
export class GramCollector {
  readonly #bits = new Uint8Array(MOST_BITS / 8);
  #count = 0;

  /** @param text folded */
  add(text: string): void {
    const bits = this.#bits;
    for (let at = 0; at + GRAM <= text.length; at++) {
      const bit = hash(text, at);
      const byte = bits[bit >>> 3] ?? 0;
      const mask = 1 << (bit & 7);
      if (byte & mask) continue;
      bits[bit >>> 3] = byte | mask;
      this.#count++;
    }
  }

  /** The set, as small as it can be. */
  get grams(): Grams {
    let bits: Uint8Array = this.#bits;
    while (bits.length * 8 > LEAST_BITS && bits.length * 4 >= this.#count * BITS_PER_GRAM) bits = halved(bits);
    return bits.slice();
  }
}

/** False: the word is not in the text. @param word folded */
export function mayHold(grams: Grams, word: string): boolean {
  const mask = grams.length * 8 - 1;
  for (let at = 0; at + GRAM <= word.length; at++) {
    const bit = hash(word, at) & mask;
    if (((grams[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

/** Both halves in one: a bit's place in the half is its place without the topmost digit. */
function halved(bits: Uint8Array): Uint8Array {
  const half = bits.slice(0, bits.length / 2);
  for (let at = 0; at < half.length; at++) half[at] = (half[at] ?? 0) | (bits[at + half.length] ?? 0);
  return half;
}

function hash(text: string, at: number): number {
  const packed = text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2);
  // Knuth's multiplicative hash: the upper digits are the mixed ones.
  return (Math.imul(packed, 0x9e_37_79_b1) >>> 12) & (MOST_BITS - 1);
}

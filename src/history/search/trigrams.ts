/**
 * Which letters a text holds, which two and which three in a row, as a set that may say yes too often and never no too often: tells
 * cheaply in which sessions a word cannot be. Ones and twos are for words that are as short, as Chinese ones are. Between 16 bytes and
 * 16 KiB, by the length of the text.
 */
export type TrigramSet = Uint8Array;

const GRAM = 3;
const MOST_BITS = 1 << 17;
const LEAST_BITS = 1 << 7;
/** Bits for each different gram: about one word in 500 is then thought to be where it is not. */
const BITS_PER_GRAM = 8;

/** Collects the grams of a text that comes in parts. */
export class TrigramBuilder {
  readonly #bits = new Uint8Array(MOST_BITS / 8);
  #count = 0;

  /** @param text folded */
  add(text: string): void {
    let first = 0;
    let second = 0;
    for (let at = 0; at < text.length; at++) {
      const third = text.charCodeAt(at);
      this.#set(hash(0, 0, third));
      if (at > 0) this.#set(hash(0, second, third));
      if (at > 1) this.#set(hash(first, second, third));
      first = second;
      second = third;
    }
  }

  #set(bit: number): void {
    const byte = this.#bits[bit >>> 3] ?? 0;
    const mask = 1 << (bit & 7);
    if (byte & mask) return;
    this.#bits[bit >>> 3] = byte | mask;
    this.#count++;
  }

  /** The set, as small as it can be. */
  get grams(): TrigramSet {
    let bits: Uint8Array = this.#bits;
    while (bits.length * 8 > LEAST_BITS && bits.length * 4 >= this.#count * BITS_PER_GRAM) bits = halved(bits);
    return bits.slice();
  }
}

/**
 * False: the word is not in the text.
 * @param word folded
 */
export function mayContain(grams: TrigramSet, word: string): boolean {
  const mask = grams.length * 8 - 1;
  const length = Math.min(GRAM, word.length);
  for (let end = length; end > 0 && end <= word.length; end++) {
    const [first = 0, second = 0, third = 0] = codes(word, end);
    const bit = hash(first, second, third) & mask;
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

/** The last three units before `end`; 0 where there are fewer. */
function codes(word: string, end: number): number[] {
  return [end - 3, end - 2, end - 1].map((at) => (at < 0 ? 0 : word.charCodeAt(at)));
}

function hash(first: number, second: number, third: number): number {
  // Knuth's multiplicative hash: the upper digits are the mixed ones.
  return (Math.imul(first * 961 + second * 31 + third, 0x9e_37_79_b1) >>> 12) & (MOST_BITS - 1);
}

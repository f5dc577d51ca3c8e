/**
 * A Bloom filter of all single, double and triple characters of a text: it may report a word that the text does not contain, but never
 * misses one that it does. So most sessions without a word are excluded without reading them. Singles and doubles are for short words,
 * such as Chinese ones. 16 bytes to 16 KiB, by the length of the text.
 */
export type TrigramSet = Uint8Array;

const GRAM_CHARS = 3;
const MAX_BITS = 1 << 17;
const MIN_BITS = 1 << 7;
/** Bits for each different gram: about one word in 500 is then found in a text that does not contain it. */
const BITS_PER_GRAM = 8;

/** Collects the grams of a text that arrives in parts. */
export class TrigramBuilder {
  readonly #bits = new Uint8Array(MAX_BITS / 8);
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

  /** The smallest set that holds all added trigrams. */
  get trigrams(): TrigramSet {
    let bits: Uint8Array = this.#bits;
    while (bits.length * 8 > MIN_BITS && bits.length * 4 >= this.#count * BITS_PER_GRAM) bits = halve(bits);
    return bits.slice();
  }
}

/**
 * False if the word is certainly not in the text.
 * @param word folded
 */
export function mayContain(trigrams: TrigramSet, word: string): boolean {
  const mask = trigrams.length * 8 - 1;
  const length = Math.min(GRAM_CHARS, word.length);
  for (let end = length; end > 0 && end <= word.length; end++) {
    const [first = 0, second = 0, third = 0] = codesBefore(word, end);
    const bit = hash(first, second, third) & mask;
    if (((trigrams[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

/** Combines both halves by OR: the position of a bit in its half is its position without the topmost digit. */
function halve(bits: Uint8Array): Uint8Array {
  const half = bits.slice(0, bits.length / 2);
  for (let at = 0; at < half.length; at++) half[at] = (half[at] ?? 0) | (bits[at + half.length] ?? 0);
  return half;
}

/** The last three units before `end`; 0 where there are fewer. */
function codesBefore(word: string, end: number): number[] {
  return [end - 3, end - 2, end - 1].map((at) => (at < 0 ? 0 : word.charCodeAt(at)));
}

function hash(first: number, second: number, third: number): number {
  // Knuth's multiplicative hash: its upper digits are the well mixed ones.
  return (Math.imul(first * 961 + second * 31 + third, 0x9e_37_79_b1) >>> 12) & (MAX_BITS - 1);
}

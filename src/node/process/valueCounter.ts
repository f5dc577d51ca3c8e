const [SPACE, DELETE] = [0x20, 0x7f];
const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = ['"', '\\', ',', '[', '{'].map((char) => char.charCodeAt(0));

/** Counts the values of JSON text that arrives in chunks: about the number of objects that its parser would create. */
export class ValueCounter {
  count = 0;
  /** The text starts with another character than an object or array, white space and byte order marks aside. */
  #isNoise: boolean | undefined;
  #isInString = false;
  #isEscaped = false;

  push(chunk: Uint8Array): void {
    const [first = 0] = chunk;
    this.#isNoise ??= first > SPACE && first < DELETE && first !== BRACKET && first !== BRACE;
    for (let at = 0; at < chunk.length && !this.#isNoise;)
      at = this.#isInString ? this.#passString(chunk, at) : this.#countTo(chunk, at);
  }

  /** Counts up to the start of a string. */
  #countTo(chunk: Uint8Array, start: number): number {
    for (let at = start; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === COMMA || byte === BRACKET || byte === BRACE) this.count++;
      else if (byte === QUOTE) {
        this.#isInString = true;
        return at + 1;
      }
    }
    return chunk.length;
  }

  /** The position after the string, or after the escaped characters in front of its next quote. */
  #passString(chunk: Uint8Array, start: number): number {
    const quote = chunk.indexOf(QUOTE ?? 0, start);
    const end = quote < 0 ? chunk.length : quote;
    let at = end;
    while (at > start && chunk[at - 1] === BACKSLASH) at--;
    const isOdd = (end - at) % 2 === 1;
    // Backslashes at the start may follow one in the chunk before.
    const isEscaped = at === start && this.#isEscaped ? !isOdd : isOdd;
    this.#isEscaped = quote < 0 && isEscaped;
    this.#isInString = quote < 0 || isEscaped;
    return end + 1;
  }
}

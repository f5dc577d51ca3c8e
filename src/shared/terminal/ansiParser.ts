/** Receives parsed terminal output. */
interface AnsiHandler {
  /** Printable characters and tabs. */
  text(text: string): void;
  /** Any other C0 control character, such as a line feed. */
  character(character: string): void;
  /** A control sequence: final `m` with parameters `1;31`. Intermediate bytes are part of the final: ` q`. */
  control(final: string, parameters: string): void;
  /** Any other sequence, without its ESC: `7` saves the cursor, `(0` selects a character set. */
  escape(final: string): void;
}

/** Maximum characters of a control sequence; longer ones are invalid and dropped. */
const MAX_SEQUENCE_LENGTH = 256;

const escape = '\u001b';
/* oxlint-disable no-control-regex -- the patterns match control characters */
/** Text up to the next control character that has an effect. */
const plain = /[^\u0000-\u0008\n-\u001f\u007f\u0080-\u009f]+/y;
/** CSI; string sequences (OSC, DCS, SOS, PM, APC: only their start); all other ones. */
const sequence = /\u001b(?:\[([0-?]*)([ -/]*[@-~])|([\]PX^_])|([ -/]+[0-~]|[0-OQ-WYZ\\`a-~]))/y;
/** The possible start of a sequence. */
const unfinished = /\u001b(?:\[[0-?]*[ -/]*|[ -/]*)$/y;
const stringEnd = /\u0007|\u001b\\|\u009c|\u0018|\u001a/g;
/* oxlint-enable no-control-regex */

/**
 * Splits terminal output into text and control sequences (ECMA-48). A sequence split between chunks is completed by the
 * next chunk. The content of string sequences (titles, hyperlink URLs, images) is dropped immediately.
 */
export class AnsiParser {
  #incomplete = '';
  #isInString = false;

  constructor(private readonly sink: AnsiHandler) {}

  write(data: string): void {
    const input = this.#incomplete + data;
    this.#incomplete = '';
    let at = 0;
    while (at < input.length) {
      if (this.#isInString) at = this.#skipString(input, at);
      else if (input[at] === escape) at = this.#sequence(input, at);
      else at = this.#plain(input, at);
    }
  }

  #plain(input: string, at: number): number {
    plain.lastIndex = at;
    const text = plain.exec(input)?.[0];
    if (text !== undefined) {
      const isHalf = at + text.length === input.length && endsInHighSurrogate(text);
      if (isHalf) this.#incomplete = text.slice(-1);
      if (!isHalf || text.length > 1) this.sink.text(isHalf ? text.slice(0, -1) : text);
      return at + text.length;
    }
    const character = input.charAt(at);
    if (character < ' ') this.sink.character(character);
    return at + 1;
  }

  #sequence(input: string, at: number): number {
    sequence.lastIndex = at;
    const match = sequence.exec(input);
    if (match) {
      const [whole, parameters = '', final, string, short] = match;
      if (string !== undefined) this.#isInString = true;
      else if (final !== undefined && whole.length <= MAX_SEQUENCE_LENGTH) this.sink.control(final, parameters);
      else if (short !== undefined) this.sink.escape(short);
      return at + whole.length;
    }
    unfinished.lastIndex = at;
    if (!unfinished.test(input)) return at + 1;
    if (input.length - at <= MAX_SEQUENCE_LENGTH) this.#incomplete = input.slice(at);
    return input.length;
  }

  #skipString(input: string, at: number): number {
    stringEnd.lastIndex = at;
    const end = stringEnd.exec(input);
    if (end) {
      this.#isInString = false;
      return end.index + end[0].length;
    }
    if (input.endsWith(escape)) this.#incomplete = escape;
    return input.length;
  }
}

/** Whether the text ends with the first half of a surrogate pair. */
export function endsInHighSurrogate(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

import type { JsonObject } from '../../base/json';
import { asArray, isObject, parseJson } from '../../base/json';

/** Bytes of a line: shorter ones are read as fast as compared, and longer ones are not kept. */
const MIN_BYTES = 16 * 1024;
const MAX_BYTES = 4 * 1024 * 1024;
/** UTF-16 units at the end of the text that must be in the line as JSON writes them. */
const CHECKED_CHARS = 32;

const [QUOTE, BRACKET, BRACE] = [0x22, 0x5d, 0x7d];

/**
 * Reads messages that repeat the one before and only continue its last text, decoding no more than what is new: agents send the whole output
 * of a command again with each part.
 */
export class RepeatedMessage {
  /** The last large line, its message, and the offset of the quotation mark after its last text. */
  #last: { readonly line: Buffer; readonly message: JsonObject; readonly end: number } | undefined;
  #line: Buffer | undefined;

  /** The message of a line and the one that it continues; undefined if it does not. */
  read(line: Uint8Array): { readonly message: JsonObject; readonly before: JsonObject } | undefined {
    const last = this.#last;
    this.#line = undefined;
    if (line.length < MIN_BYTES || line.length > MAX_BYTES) return undefined;
    const bytes = Buffer.from(line.buffer, line.byteOffset, line.length);
    this.#line = bytes;
    if (!last || bytes.length < last.line.length) return undefined;
    const end = bytes.length - (last.line.length - last.end);
    const isRepeated = bytes.subarray(0, last.end).equals(last.line.subarray(0, last.end));
    if (!isRepeated || !bytes.subarray(end).equals(last.line.subarray(last.end))) return undefined;
    const added = parseJson(`"${bytes.toString('utf8', last.end, end)}"`);
    if (typeof added !== 'string') return undefined;
    const message = withLastText(last.message, (text) => text + added);
    if (!isObject(message)) return undefined;
    this.#last = { line: bytes, message, end };
    return { message, before: last.message };
  }

  /** Records the message of the line that {@link read} did not know. */
  record(message: JsonObject): void {
    const line = this.#line;
    if (!line) return;
    this.#line = undefined;
    const end = endOfLastText(line);
    let encoded: string | undefined;
    withLastText(message, (text) => (encoded = JSON.stringify(text.slice(-CHECKED_CHARS)).slice(1, -1)));
    const isSame = encoded !== undefined && line.toString('utf8', 0, end).endsWith(encoded);
    this.#last = isSame ? { line, message, end } : undefined;
  }
}

/** Offset of the last quotation mark, if only brackets follow it; else 0. */
function endOfLastText(line: Uint8Array): number {
  const end = line.findLastIndex((byte) => byte !== BRACKET && byte !== BRACE);
  return line[end] === QUOTE ? end : 0;
}

/** A copy with another last text; undefined if the last value is no text, or the order of the keys is not that of the line. */
function withLastText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) {
    const items = asArray(value);
    const last = withLastText(items.at(-1), change);
    return last === undefined ? undefined : [...items.slice(0, -1), last];
  }
  if (!isObject(value)) return undefined;
  const keys = Object.keys(value);
  const key = keys.at(-1);
  // Keys that are numbers come first, wherever they stand in the line.
  if (key === undefined || keys.some((each) => /^\d/.test(each))) return undefined;
  const last = withLastText(value[key], change);
  return last === undefined ? undefined : { ...value, [key]: last };
}

import type { Writable } from 'node:stream';
import type { JsonObject } from '../../base/json';
import { asArray, isObject, parseJson } from '../../base/json';
import { t } from '../../base/l10n';
import { DENSE_LINE_BYTES, LINE_LIMIT, MAX_VALUES } from './lineLimits';
import { ValueCounter } from './valueCounter';

const NEWLINE = 0x0a;

/** Bytes kept of each end of a line over the limit, to identify its message. */
const END_BYTES = 4_096;

/** A dropped line: its length in bytes, and both ends. */
export interface OversizedLine {
  readonly bytes: number;
  /** The line was dropped for its number of values. */
  readonly isDense?: true;
  readonly beginning: string;
  readonly ending: string;
}

/**
 * Splits a stream of bytes into lines. Only whole lines are decoded, so that no UTF-8 character is split at a chunk
 * border. Chunks of a long line are joined once, so that a 4 MiB line in 64 KiB chunks takes linear time.
 */
export class NdjsonDecoder {
  #chunks: Uint8Array[] = [];
  /** Bytes of the unfinished line, also of a dropped one. */
  #size = 0;
  /** Both ends of the line that is being dropped. */
  #cut: { readonly beginning: Uint8Array; ending: Uint8Array; readonly isDense: boolean } | undefined;
  /** Of the unfinished line, if it is large. */
  #values: ValueCounter | undefined;

  /**
   * @param onLine receives a complete line without its line end; never empty. `bytes` is its length on the wire.
   * @param onDropped an oversized line has ended and was dropped; the next line is read normally
   * @param limit bytes
   * @param onTooLong a line has exceeded a limit. It may never end.
   * @param takesBytes reads a complete line before it is decoded; false to decode it
   */
  constructor(
    private readonly onLine: (line: string, bytes: number) => void,
    private readonly onDropped: (line: OversizedLine) => void,
    private readonly limit = LINE_LIMIT,
    private readonly onTooLong?: () => void,
    private readonly takesBytes?: (line: Uint8Array) => boolean,
  ) {}

  push(chunk: Uint8Array): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#append(chunk.subarray(from, at));
      this.#finish();
      from = at + 1;
    }
    this.#append(chunk.subarray(from));
  }

  /** Reports the text after the last line end. */
  end(): void {
    this.#finish();
  }

  #append(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#size += chunk.length;
    if (this.#cut) {
      this.#cut.ending = lastBytes([this.#cut.ending, chunk]);
      return;
    }
    this.#chunks.push(chunk);
    const isDense = this.#isDense(chunk);
    if (isDense || this.#size > this.limit) this.#giveUp(isDense);
  }

  #isDense(chunk: Uint8Array): boolean {
    if (this.#size <= DENSE_LINE_BYTES) return false;
    const isFirst = this.#values === undefined;
    this.#values ??= new ValueCounter();
    for (const each of isFirst ? this.#chunks : [chunk]) this.#values.push(each);
    return this.#values.count > MAX_VALUES;
  }

  #giveUp(isDense: boolean): void {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#cut = { beginning: firstBytes(chunks), ending: lastBytes(chunks), isDense };
    this.onTooLong?.();
  }

  #finish(): void {
    const [chunks, bytes, cut] = [this.#chunks, this.#size, this.#cut];
    this.#chunks = [];
    this.#size = 0;
    this.#cut = undefined;
    this.#values = undefined;
    if (cut) {
      const text = (part: Uint8Array): string => Buffer.from(part).toString('utf8');
      const ends = { beginning: text(cut.beginning), ending: text(cut.ending) };
      this.onDropped({ bytes, ...ends, ...(cut.isDense && { isDense: true }) });
      return;
    }
    const whole = Buffer.concat(chunks, bytes);
    if (this.takesBytes?.(whole) === true) return;
    const line = whole.toString('utf8').replace(/\r$/, '');
    if (line.length > 0) this.onLine(line, bytes);
  }
}

function firstBytes(chunks: readonly Uint8Array[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let remaining = END_BYTES;
  for (const chunk of chunks) {
    if (remaining <= 0) break;
    parts.push(chunk.subarray(0, remaining));
    remaining -= chunk.length;
  }
  return Buffer.concat(parts);
}

function lastBytes(chunks: readonly Uint8Array[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let remaining = END_BYTES;
  for (const chunk of chunks.toReversed()) {
    if (remaining <= 0) break;
    parts.unshift(chunk.subarray(Math.max(0, chunk.length - remaining)));
    remaining -= chunk.length;
  }
  return Buffer.concat(parts);
}

/**
 * The JSON-RPC message in a line; undefined for logger output, invalid JSON, arrays and other objects. A message of another version is read
 * as one of 2.0: without its answer a request would wait forever.
 */
export function parseMessage(line: string): JsonObject | undefined {
  // Also removes byte order marks.
  const text = line.trim();
  return text.startsWith('{') ? asMessage(parseJson(text)) : undefined;
}

/**
 * The messages of a batch (JSON-RPC 2.0, section 6); undefined for logger output and other arrays. ACP has no batches,
 * but an unread request would wait forever.
 */
export function parseBatch(line: string): readonly JsonObject[] | undefined {
  const text = line.trim();
  if (!text.startsWith('[')) return undefined;
  const messages = asArray(parseJson(text)).flatMap((value): JsonObject[] => {
    const message = asMessage(value);
    return message ? [message] : [];
  });
  return messages.length > 0 ? messages : undefined;
}

function asMessage(value: unknown): JsonObject | undefined {
  if (!isObject(value) || !('jsonrpc' in value)) return undefined;
  if (value['jsonrpc'] === '2.0') return value;
  return 'method' in value || 'id' in value ? { ...value, jsonrpc: '2.0' } : undefined;
}

const MESSAGE_START = '{"jsonrpc"';

/**
 * The message that follows the beginning of an unfinished one in the same line. A string in JSON cannot contain the
 * start of a message unescaped.
 */
export function messageAfterUnfinished(line: string): JsonObject | undefined {
  const at = line.startsWith(MESSAGE_START) ? line.lastIndexOf(MESSAGE_START) : 0;
  return at > 0 ? parseMessage(line.slice(at)) : undefined;
}

/**
 * Maximum nesting depth of a message. Real messages have less than 30 levels. V8 parses any depth, but later steps
 * (writing JSON, posting to a page, drawing a tree) need stack for each level.
 */
export const DEPTH_LIMIT = 256;

/** Replaces values below the maximum depth. */
export const TOO_DEEP = `(nested more than ${DEPTH_LIMIT} levels deep; left out)`;

/**
 * Replaces too deeply nested values, in place and without recursion.
 * @returns whether a value was replaced
 */
export function limitDepth(message: JsonObject): boolean {
  let isLimited = false;
  let level: object[] = [message];
  for (let depth = 1; level.length > 0; depth++) {
    const next: object[] = [];
    for (const container of level) {
      for (const [key, value] of Object.entries(container)) {
        if (typeof value !== 'object' || value === null) continue;
        if (depth < DEPTH_LIMIT) next.push(value as object);
        else {
          isLimited = true;
          Object.defineProperty(container, key, {
            value: TOO_DEEP,
            enumerable: true,
            writable: true,
            configurable: true,
          });
        }
      }
    }
    level = next;
  }
  return isLimited;
}

/**
 * Writes one line. Resolves when the operating system has the bytes (back-pressure), or with the error when writing
 * failed: a closed reader (EPIPE) does not end the connection, its exit is reported separately.
 */
export function writeLine(output: Writable, line: string): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const closed = (): void => resolve(new Error(t('the input of the process was closed')));
    if (!output.writable) {
      closed();
      return;
    }
    const pending = pendingWrites(output);
    pending.add(closed);
    output.write(`${line}\n`, (error) => {
      pending.delete(closed);
      resolve(error ?? undefined);
    });
  });
}

const pendingOf = new WeakMap<Writable, Set<() => void>>();

/** Called when the stream closes. One listener for all: a reader that is slow may leave thousands of lines unwritten. */
function pendingWrites(output: Writable): Set<() => void> {
  const known = pendingOf.get(output);
  if (known) return known;
  const pending = new Set<() => void>();
  pendingOf.set(output, pending);
  output.once('close', () => {
    for (const closed of pending) closed();
  });
  return pending;
}

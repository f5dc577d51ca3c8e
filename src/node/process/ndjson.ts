import type { Writable } from 'node:stream';
import type { JsonObject } from '../../base/json';
import { isObject } from '../../base/json';
import { t } from '../../base/l10n';

/** Bytes of one line, above which it is dropped (the ACP SDK's own limit is 32 MiB and ends the connection). */
export const LINE_LIMIT = 64 * 1024 * 1024;

const NEWLINE = 0x0a;

/** Bytes that are kept of each end of a line over the limit: enough to tell which message it was. */
const END_BYTES = 4_096;

/** A line that was too long to be kept: its length in bytes, and its two ends. */
export interface OversizedLine {
  readonly bytes: number;
  readonly beginning: string;
  readonly ending: string;
}

export interface LineDecoderOptions {
  /** A complete line without its end; never empty. `bytes` is its length on the wire. */
  onLine(line: string, bytes: number): void;
  /** A line has just become longer than the limit. It may never end. */
  onTooLong?(): void;
  /** Such a line has ended and was thrown away; the next one is read as usual. */
  onDropped(line: OversizedLine): void;
  readonly limit?: number;
}

/**
 * Cuts a stream of bytes into lines. Only whole lines are decoded, so a UTF-8 character is never torn at a chunk border, and
 * the pieces of a long line are joined once, so a 4 MiB line in 64 KiB pieces costs time linear in its length.
 */
export class NdjsonDecoder {
  readonly #options: LineDecoderOptions;
  readonly #limit: number;
  #pieces: Uint8Array[] = [];
  /** Bytes of the unfinished line, also of one that is being thrown away. */
  #size = 0;
  /** The ends of the line that is being thrown away. */
  #cut: { readonly beginning: Uint8Array; ending: Uint8Array } | undefined;

  constructor(options: LineDecoderOptions) {
    this.#options = options;
    this.#limit = options.limit ?? LINE_LIMIT;
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, at));
      this.#finish();
      from = at + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  /** Gives out what came after the last line end. */
  end(): void {
    this.#finish();
  }

  #keep(piece: Uint8Array): void {
    this.#size += piece.length;
    if (this.#size <= this.#limit) {
      if (piece.length > 0) this.#pieces.push(piece);
      return;
    }
    if (!this.#cut) this.#giveUp(piece);
    else if (piece.length > 0) this.#cut.ending = lastBytes([this.#cut.ending, piece]);
  }

  #giveUp(piece: Uint8Array): void {
    const pieces = [...this.#pieces, piece];
    this.#pieces = [];
    this.#cut = { beginning: firstBytes(pieces), ending: lastBytes(pieces) };
    this.#options.onTooLong?.();
  }

  #finish(): void {
    const [pieces, bytes, cut] = [this.#pieces, this.#size, this.#cut];
    this.#pieces = [];
    this.#size = 0;
    this.#cut = undefined;
    if (cut) {
      const text = (part: Uint8Array): string => Buffer.from(part).toString('utf8');
      this.#options.onDropped({ bytes, beginning: text(cut.beginning), ending: text(cut.ending) });
      return;
    }
    const line = Buffer.concat(pieces, bytes).toString('utf8').replace(/\r$/, '');
    if (line.length > 0) this.#options.onLine(line, bytes);
  }
}

function firstBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const kept: Uint8Array[] = [];
  let left = END_BYTES;
  for (const piece of pieces) {
    if (left <= 0) break;
    kept.push(piece.subarray(0, left));
    left -= piece.length;
  }
  return Buffer.concat(kept);
}

function lastBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const kept: Uint8Array[] = [];
  let left = END_BYTES;
  for (const piece of pieces.toReversed()) {
    if (left <= 0) break;
    kept.unshift(piece.subarray(Math.max(0, piece.length - left)));
    left -= piece.length;
  }
  return Buffer.concat(kept);
}

/** The JSON-RPC message in a line, or undefined when it is noise: text of a logger, broken JSON, an array, another kind of object. */
export function parseMessage(line: string): JsonObject | undefined {
  const text = line.startsWith('\uFEFF') ? line.slice(1) : line;
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && value['jsonrpc'] === '2.0' ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Writes one line. Resolves when the bytes are with the operating system (back-pressure), or with the error when they
 * never got there: a reader that is gone (EPIPE) is no reason to end the connection, its exit will be told apart.
 */
export function writeLine(output: Writable, line: string): Promise<Error | undefined> {
  return new Promise((resolve) => {
    if (!output.writable) {
      resolve(new Error(t('its input is closed')));
      return;
    }
    const closed = (): void => resolve(new Error(t('its input was closed')));
    output.once('close', closed);
    output.write(`${line}\n`, (error) => {
      output.off('close', closed);
      resolve(error ?? undefined);
    });
  });
}

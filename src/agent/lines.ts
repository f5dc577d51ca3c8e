import type { Writable } from 'node:stream';
import type { JsonObject } from '../base/json';
import { isObject } from '../base/json';

/** Bytes of one line, above which it is dropped (the ACP SDK's own limit is 32 MiB and ends the connection). */
export const LINE_LIMIT = 64 * 1024 * 1024;

const NEWLINE = 0x0a;

export interface LineDecoderOptions {
  /** A complete line without its end; never empty. `bytes` is its length on the wire. */
  onLine(line: string, bytes: number): void;
  /** A line longer than the limit was thrown away; the next line is read as usual. */
  onDropped(bytes: number): void;
  readonly limit?: number;
}

/**
 * Cuts a stream of bytes into lines. Only whole lines are decoded, so a UTF-8 character is never torn at a chunk border, and
 * the pieces of a long line are joined once, so a 4 MiB line in 64 KiB pieces costs time linear in its length.
 */
export class LineDecoder {
  readonly #options: LineDecoderOptions;
  readonly #limit: number;
  #pieces: Uint8Array[] = [];
  /** Bytes of the unfinished line, also of one that is being thrown away. */
  #size = 0;

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
    if (this.#size > this.#limit) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  #finish(): void {
    const [pieces, size] = [this.#pieces, this.#size];
    this.#pieces = [];
    this.#size = 0;
    if (size > this.#limit) {
      this.#options.onDropped(size);
      return;
    }
    const line = Buffer.concat(pieces, size).toString('utf8').replace(/\r$/, '');
    if (line.length > 0) this.#options.onLine(line, size);
  }
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
      resolve(new Error('its input is closed'));
      return;
    }
    const closed = (): void => resolve(new Error('its input was closed'));
    output.once('close', closed);
    output.write(`${line}\n`, (error) => {
      output.off('close', closed);
      resolve(error ?? undefined);
    });
  });
}

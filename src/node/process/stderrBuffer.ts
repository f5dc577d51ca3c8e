import { stripVTControlCharacters } from 'node:util';
import { NdjsonDecoder } from './ndjson';

/** Characters of stderr retained per agent; temporarily up to twice as many. */
const MAX_RETAINED_CHARS = 64 * 1024;
/** A longer line is split here. */
const LINE_BYTES = 16 * 1024;

/**
 * Retains the last stderr lines of an agent: a free-form log (ACP: transports), shown to users when the agent exits.
 */
export class StderrBuffer {
  #lines: string[] = [];
  #bytes = 0;
  readonly #decoder: NdjsonDecoder;

  /** @param onLine called with every complete line, without colors */
  constructor(onLine: (line: string) => void) {
    const add = (line: string): void => {
      this.#retain(line);
      onLine(line);
    };
    this.#decoder = new NdjsonDecoder(
      (line) => add(stripVTControlCharacters(line)),
      ({ bytes }) => add(`(a line of ${bytes} bytes was left out)`),
      LINE_BYTES,
    );
  }

  push(chunk: Uint8Array): void {
    this.#decoder.push(chunk);
  }

  /** Reports the text after the last line end as a line. */
  end(): void {
    this.#decoder.end();
  }

  /** The last lines, oldest first. */
  tail(lines = 20): string {
    return this.#lines.slice(-lines).join('\n');
  }

  #retain(line: string): void {
    this.#lines.push(line);
    this.#bytes += line.length;
    // Drops lines in large steps, so that the cost of a line does not depend on the buffer's size.
    if (this.#bytes <= 2 * MAX_RETAINED_CHARS) return;
    let first = 0;
    while (this.#bytes > MAX_RETAINED_CHARS) this.#bytes -= this.#lines[first++]?.length ?? 0;
    this.#lines = this.#lines.slice(first);
  }
}

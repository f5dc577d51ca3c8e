import { TerminalModel, textOf } from '../shared/screen/model';
import { OutputTail } from './outputTail';

/** What the agent reads of a command's output. Sizes are bytes of UTF-8. */
export interface OutputText {
  append(data: string): void;
  /** The newest output, at most `limit` bytes, from a character boundary on. */
  read(limit: number): { output: string; truncated: boolean };
}

/**
 * The last of what a pseudo-terminal shows, as plain text: no escape sequences, bare line feeds, and of what was drawn over only
 * what is left, as the card shows it. An agent's model reads that; a thousand states of a progress bar would only cost it tokens.
 */
export class RenderedTail implements OutputText {
  readonly #settled: OutputTail;
  readonly #screen: TerminalModel;
  #waiting: string[] = [];

  /** @param limit bytes that are kept of the lines that cannot change any more */
  constructor(limit: number) {
    this.#settled = new OutputTail(limit);
    this.#screen = new TerminalModel({ settled: (line) => this.#waiting.push(textOf(line)) });
  }

  append(data: string): void {
    this.#screen.write(data);
    // Nobody draws here; changes are let go of, so that they do not pile up.
    this.#screen.takeChanges();
    if (this.#waiting.length === 0) return;
    this.#settled.append(this.#waiting.join(''));
    this.#waiting = [];
  }

  read(limit: number): { output: string; truncated: boolean } {
    const live = new OutputTail(limit);
    live.append(this.#screen.text);
    const { output, truncated } = live.read();
    const before = this.#settled.read(truncated ? 0 : limit - Buffer.byteLength(output));
    return { output: before.output + output, truncated: truncated || before.truncated };
  }
}

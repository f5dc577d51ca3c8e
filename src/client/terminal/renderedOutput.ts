import { TerminalScreen, textOf } from '../../shared/terminal/terminalScreen';
import { OutputTail } from './outputTail';

/** What the agent reads of a command's output. Sizes are bytes of UTF-8. */
export interface OutputText {
  append(data: string): void;
  /** The newest output, at most `limit` bytes, from a character boundary on. */
  read(limit: number): { output: string; truncated: boolean };
}

/** How long one look at the output may take, in milliseconds; other extensions live in this process too. */
const SLICE_MS = 8;
/** UTF-16 units that are rendered between two looks at the clock. */
const PORTION = 8192;
/** UTF-16 units that may wait to be rendered. */
const MAX_WAITING = 1024 * 1024;

/**
 * The last of what a pseudo-terminal shows, as plain text: no escape sequences, bare line feeds, and of what was drawn over only
 * what is left, as the card shows it. An agent's model reads that; a thousand states of a progress bar would only cost it tokens.
 * Rendered in slices: the owner calls {@link catchUp} now and then, and holds the command back while this is {@link behind}.
 */
export class RenderedOutput implements OutputText {
  readonly #settled: OutputTail;
  readonly #screen: TerminalScreen;
  #lines: string[] = [];
  #waiting: string[] = [];
  #length = 0;

  /** @param limit bytes that are kept of the lines that cannot change any more */
  constructor(limit: number) {
    this.#settled = new OutputTail(limit);
    this.#screen = new TerminalScreen({ settled: (line) => this.#lines.push(textOf(line)) });
  }

  append(data: string): void {
    this.#waiting.push(data);
    this.#length += data.length;
  }

  /** So much waits that the command had better pause. */
  get behind(): boolean {
    return this.#length > MAX_WAITING;
  }

  /** Renders what waits, for a few milliseconds. */
  catchUp(): void {
    this.#render(performance.now() + SLICE_MS);
  }

  read(limit: number): { output: string; truncated: boolean } {
    this.#render(Infinity);
    const live = new OutputTail(limit);
    live.append(this.#screen.text);
    const { output, truncated } = live.read();
    const before = this.#settled.read(truncated ? 0 : limit - Buffer.byteLength(output));
    return { output: before.output + output, truncated: truncated || before.truncated };
  }

  #render(deadline: number): void {
    const data = this.#waiting.join('');
    let at = 0;
    for (; at < data.length && performance.now() < deadline; at += PORTION) {
      this.#screen.write(data.slice(at, at + PORTION));
      // Nobody draws here; changes are let go of, so that they do not pile up.
      this.#screen.takeChanges();
    }
    const rest = data.slice(at);
    this.#waiting = rest === '' ? [] : [rest];
    this.#length = rest.length;
    if (this.#lines.length > 0) this.#settled.append(this.#lines.join(''));
    this.#lines = [];
  }
}

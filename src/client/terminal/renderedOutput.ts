import { TerminalScreen, screenLineText } from '../../shared/terminal/terminalScreen';
import { OutputTail } from './outputTail';

/** Maximum milliseconds of one slice, because other extensions run in this process too. */
const SLICE_MS = 8;
/** UTF-16 units rendered between two time checks. */
const CHARS_PER_SLICE = 8192;
/** Maximum UTF-16 units waiting to be rendered. */
const MAX_WAITING = 1024 * 1024;

/**
 * The end of a pseudo-terminal's screen as plain text: without escape sequences, with plain line feeds, and without
 * overwritten text, as on the card. A model would waste tokens on the states of a progress bar. Rendered in slices: the
 * owner calls {@link catchUp} regularly, and pauses the command while this is {@link isBehind}.
 */
export class RenderedOutput {
  readonly #finished: OutputTail;
  readonly #screen: TerminalScreen;
  #lines: string[] = [];
  #waiting: string[] = [];
  #length = 0;

  /** @param limit retained bytes of lines that can no longer change */
  constructor(limit: number) {
    this.#finished = new OutputTail(limit);
    this.#screen = new TerminalScreen((line) => this.#lines.push(screenLineText(line)));
  }

  append(data: string): void {
    this.#waiting.push(data);
    this.#length += data.length;
  }

  /** The command should pause. */
  get isBehind(): boolean {
    return this.#length > MAX_WAITING;
  }

  /** Renders waiting output for a few milliseconds. */
  catchUp(): void {
    this.#render(performance.now() + SLICE_MS);
  }

  read(limit: number): { output: string; truncated: boolean } {
    this.#render(Infinity);
    const live = new OutputTail(limit);
    live.append(this.#screen.text);
    const { output, truncated } = live.read();
    const before = this.#finished.read(truncated ? 0 : limit - Buffer.byteLength(output));
    return { output: before.output + output, truncated: truncated || before.truncated };
  }

  #render(deadline: number): void {
    const data = this.#waiting.join('');
    let at = 0;
    for (; at < data.length && performance.now() < deadline; at += CHARS_PER_SLICE) {
      this.#screen.write(data.slice(at, at + CHARS_PER_SLICE));
      // Discards the changes, which would accumulate otherwise.
      this.#screen.takeChanges();
    }
    const rest = data.slice(at);
    this.#waiting = rest === '' ? [] : [rest];
    this.#length = rest.length;
    if (this.#lines.length > 0) this.#finished.append(this.#lines.join(''));
    this.#lines = [];
  }
}

import { locale, t } from '../../base/l10n';
import type { ScreenLine, StyledRun } from '../../shared/terminal/screenLine';
import { TerminalScreen } from '../../shared/terminal/terminalScreen';
import { nextFrame, SLICE_MS } from '../markdown/frameScheduler';
import { announceGrowth } from '../markdown/growth';
import { replaceControls } from '../markdown/normalizeText';
import { SgrStyleParser } from './sgrStyle';

/** UTF-16 units of output between two time checks. */
const CHUNK_LENGTH = 4096;
/** Lines per block, so that invisible ones need no layout. */
const LINES_PER_BLOCK = 200;
/** Empty lines that are hidden at the end: each slice of output visits them. */
const MAX_END_LINES = 500;

/**
 * Shows the output of a terminal: colors, and what progress bars need (carriage return, backspace, erase, cursor).
 * Each line is an element, and long output is rendered in slices. Untrusted output is safe: all other control sequences
 * are dropped, and a hyperlink is only its text.
 *
 * Classes: `ansi-block` (give it `content-visibility: auto; contain-intrinsic-size: auto 200lh`) > `ansi-line`
 * (`display: block; white-space: pre-wrap`), with `ansi-end` (`display: none`) on empty lines that nothing follows; the note `ansi-dropped`; on spans `ansi-<color>-fg`, `ansi-<color>-bg`,
 * `ansi-bright-<color>-fg`, `ansi-bright-<color>-bg` (black, red, green, yellow, blue, magenta, cyan, white),
 * `ansi-bold`, `ansi-dim`, `ansi-italic`, `ansi-underline`, `ansi-blink`, `ansi-hidden`, `ansi-strikethrough`,
 * `ansi-reverse-fg` (text in the background's color) and `ansi-reverse-bg` (background in the text's color).
 * The other colors of 256 and true colors are set by CSSOM. The host's `textContent` is the text.
 */
export class TerminalOutputView {
  readonly #maxBlocks: number;
  #model = newModel();
  #elements = new WeakMap<ScreenLine, HTMLElement>();
  #blocks: HTMLElement[] = [];
  #note: HTMLElement | undefined;
  /** The empty lines that nothing follows. */
  #end: HTMLElement[] = [];
  #dropped = 0;
  #waiting: string[] = [];
  #cancel: (() => void) | undefined;
  #resolvers: (() => void)[] = [];

  /** @param maxLines minimum number of lines retained in the page; a note replaces earlier blocks */
  constructor(
    private readonly host: HTMLElement,
    maxLines = 10_000,
  ) {
    this.#maxBlocks = Math.ceil(maxLines / LINES_PER_BLOCK) + 1;
  }

  /** Appends output; shown with the next frame. */
  write(data: string): void {
    if (data === '') return;
    this.#waiting.push(data);
    this.#cancel ??= nextFrame(() => this.#work());
  }

  /** Settles when all written output is shown. */
  whenShown(): Promise<void> {
    if (!this.#cancel) return Promise.resolve();
    return new Promise((resolve) => this.#resolvers.push(resolve));
  }

  /** Clears the screen. */
  reset(): void {
    this.dispose();
    this.#model = newModel();
    this.#elements = new WeakMap();
    this.#blocks = [];
    this.#end = [];
    this.#note = undefined;
    this.#dropped = 0;
    this.host.replaceChildren();
  }

  /** Stops working; rendered content stays. */
  dispose(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#waiting = [];
    this.#resolveWaiting();
  }

  #work(): void {
    this.#cancel = undefined;
    const deadline = performance.now() + SLICE_MS;
    let data = this.#waiting.join('');
    this.#waiting = [];
    let at = 0;
    while (at < data.length && performance.now() < deadline) {
      this.#model.write(data.slice(at, at + CHUNK_LENGTH));
      for (const line of this.#model.takeChanges()) this.#show(line);
      at += CHUNK_LENGTH;
    }
    this.#hideEnd();
    announceGrowth(this.host);
    data = data.slice(at);
    if (data === '') {
      this.#resolveWaiting();
      return;
    }
    this.#waiting.push(data);
    this.#cancel = nextFrame(() => this.#work());
  }

  #resolveWaiting(): void {
    for (const resolve of this.#resolvers) resolve();
    this.#resolvers = [];
  }

  #show(line: ScreenLine): void {
    let element = this.#elements.get(line);
    if (!element) {
      element = document.createElement('span');
      element.className = 'ansi-line';
      this.#elements.set(line, element);
      this.#block().append(element);
    }
    element.hidden = line.isHidden;
    const nodes = line.runs.map(nodeOf);
    element.replaceChildren(...nodes, ...(line.isContinued ? [] : ['\n']));
  }

  /** Hides the empty lines at the end. */
  #hideEnd(): void {
    for (const line of this.#end) line.classList.remove('ansi-end');
    this.#end = [];
    for (const block of this.#blocks.toReversed()) {
      for (let line = block.lastElementChild; line; line = line.previousElementSibling) {
        if (!(line instanceof HTMLElement)) return;
        if (!line.hidden && (line.firstElementChild || line.textContent.trim() !== '')) return;
        line.classList.add('ansi-end');
        this.#end.push(line);
        if (this.#end.length === MAX_END_LINES) return;
      }
    }
  }

  /** The block that takes the next line. */
  #block(): HTMLElement {
    const last = this.#blocks.at(-1);
    if (last && last.childElementCount < LINES_PER_BLOCK) return last;
    const block = document.createElement('div');
    block.className = 'ansi-block';
    this.host.append(block);
    this.#blocks.push(block);
    if (this.#blocks.length > this.#maxBlocks) this.#drop(this.#blocks.shift());
    return block;
  }

  #drop(block: HTMLElement | undefined): void {
    this.#dropped += block?.childElementCount ?? 0;
    block?.remove();
    if (!this.#note) {
      this.#note = document.createElement('div');
      this.#note.className = 'ansi-dropped';
      this.host.prepend(this.#note);
    }
    this.#note.textContent = t('{0} earlier lines are no longer shown.', this.#dropped.toLocaleString(locale()));
  }
}

function newModel(): TerminalScreen {
  const styles = new SgrStyleParser();
  return new TerminalScreen(undefined, (parameters) => styles.read(parameters));
}

function nodeOf({ text, style }: StyledRun): Node | string {
  if (style.classes === '' && !style.color && !style.background) return replaceControls(text);
  const span = document.createElement('span');
  span.className = style.classes;
  if (style.color) span.style.color = style.color;
  if (style.background) span.style.backgroundColor = style.background;
  span.textContent = replaceControls(text);
  return span;
}

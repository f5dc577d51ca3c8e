import { pieces, visible } from './text';

/** The longest text of one text node; longer lines become several nodes, because layout looks at a whole node again. */
const pieceSize = 2000;

/**
 * Shows text line by line: each line an element with its own text, so that appending one costs the same however
 * many there are (one growing text node is laid out anew each time: measured 7 times the cost of markdown).
 * Each line's text ends with a line feed, so `textContent` of the host is the text.
 */
export class LineAppender {
  readonly #host: HTMLElement;
  readonly #className: string;
  #last: HTMLElement | undefined;
  #preview: HTMLElement | undefined;
  #rest = '';

  constructor(host: HTMLElement, className: string) {
    this.#host = host;
    this.#className = className;
  }

  line(text: string): void {
    this.unpreview();
    this.#last = this.#element();
    this.#rest = '';
    this.more(text);
  }

  /** Continues the last line. */
  more(text: string): void {
    const line = this.#last;
    if (!line) return;
    const whole = this.#rest + text;
    if (line.lastChild) line.lastChild.remove();
    const parts = pieces(whole, pieceSize);
    this.#rest = parts.at(-1) ?? '';
    parts.forEach((part, index) => line.append(visible(part) + (index === parts.length - 1 ? '\n' : '')));
  }

  /** Shows an unfinished line until the next call. */
  preview(text: string): void {
    this.unpreview();
    this.#preview = this.#element();
    this.#preview.append(`${visible(text)}\n`);
  }

  unpreview(): void {
    this.#preview?.remove();
    this.#preview = undefined;
  }

  #element(): HTMLElement {
    const element = document.createElement('span');
    element.className = this.#className;
    this.#host.append(element);
    return element;
  }
}

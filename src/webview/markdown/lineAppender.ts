import { chunksOf, escapeInvisible } from './normalizeText';

/** The most text, in UTF-16 units, of one element: layout looks at all of a line again when some is appended. */
const maxPiece = 2000;
/** Lines that stand together in one element: layout looks at all children of an element when one is appended. */
const groupSize = 100;

/**
 * Shows text line by line: each line an element with its own text, so that appending one costs the same however
 * many there are (one growing text node is laid out anew each time: measured 7 times the cost of markdown).
 * Each line's text ends with a line feed, so `textContent` of the host is the text. A very long line becomes several
 * elements, and from the 101st line on lines stand in groups (`div.line-group`).
 */
export class LineAppender {
  #group: HTMLElement;
  readonly #host: HTMLElement;
  readonly #className: string;
  readonly #tag: 'span' | 'div';
  #count = 0;
  #last: HTMLElement | undefined;
  #preview: HTMLElement | undefined;
  /** Text of the last element, as it came. */
  #rest = '';

  constructor(host: HTMLElement, className: string, tag: 'span' | 'div' = 'span') {
    this.#tag = tag;
    this.#host = host;
    this.#group = host;
    this.#className = className;
  }

  line(text: string): void {
    this.unpreview();
    this.#last = this.#next();
    this.#rest = '';
    this.more(text);
  }

  /** Continues the last line. */
  more(text: string): void {
    const parts = chunksOf(this.#rest + text, maxPiece);
    this.#rest = parts.pop() ?? '';
    for (const part of parts) {
      this.#last?.replaceChildren(escapeInvisible(part));
      this.#last = this.#next();
    }
    this.#last?.replaceChildren(`${escapeInvisible(this.#rest)}\n`);
  }

  /** Shows an unfinished line until the next call. */
  preview(text: string): void {
    this.unpreview();
    this.#preview = this.#element();
    this.#preview.append(`${escapeInvisible(text)}\n`);
    this.#group.append(this.#preview);
  }

  unpreview(): void {
    this.#preview?.remove();
    this.#preview = undefined;
  }

  #next(): HTMLElement {
    if (this.#count > 0 && this.#count % groupSize === 0) {
      this.#group = document.createElement('div');
      this.#group.className = 'line-group';
      this.#host.append(this.#group);
    }
    this.#count++;
    const element = this.#element();
    this.#group.append(element);
    return element;
  }

  #element(): HTMLElement {
    const element = document.createElement(this.#tag);
    element.className = this.#className;
    return element;
  }
}

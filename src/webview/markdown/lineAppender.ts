import { chunksOf, replaceControls } from './normalizeText';

/** Maximum UTF-16 units of one element: appending causes layout of the whole line. */
const MAX_CHUNK_LENGTH = 2000;
/** Lines per group element: appending an element causes layout of all its siblings. */
const LINES_PER_GROUP = 100;

/**
 * Shows text line by line. Each line is an element, so that appending costs the same for any number of lines (layout of
 * one growing text node: measured 7 times the cost of Markdown). Each line's text ends with a line feed, so
 * `textContent` of the host is the text. A very long line becomes several elements, and from the 101st line on lines
 * are grouped (`div.line-group`).
 */
export class LineAppender {
  #group: HTMLElement;
  #count = 0;
  #last: HTMLElement | undefined;
  #preview: HTMLElement | undefined;
  /** Text of the last element, before escaping. */
  #rest = '';

  constructor(
    private readonly host: HTMLElement,
    private readonly className: string,
    private readonly tag: 'span' | 'div' = 'span',
  ) {
    this.#group = host;
  }

  line(text: string): void {
    this.unpreview();
    this.#last = this.#next();
    this.#rest = '';
    this.more(text);
  }

  /** Continues the last line. */
  more(text: string): void {
    const parts = chunksOf(this.#rest + text, MAX_CHUNK_LENGTH);
    this.#rest = parts.pop() ?? '';
    for (const part of parts) {
      this.#last?.replaceChildren(replaceControls(part));
      this.#last = this.#next();
    }
    this.#last?.replaceChildren(`${replaceControls(this.#rest)}\n`);
  }

  /** Shows an unfinished line until the next call. */
  preview(text: string): void {
    this.unpreview();
    this.#preview = this.#element();
    this.#preview.append(`${replaceControls(text)}\n`);
    this.#group.append(this.#preview);
  }

  unpreview(): void {
    this.#preview?.remove();
    this.#preview = undefined;
  }

  #next(): HTMLElement {
    if (this.#count > 0 && this.#count % LINES_PER_GROUP === 0) {
      this.#group = document.createElement('div');
      this.#group.className = 'line-group';
      this.host.append(this.#group);
    }
    this.#count++;
    const element = this.#element();
    this.#group.append(element);
    return element;
  }

  #element(): HTMLElement {
    const element = document.createElement(this.tag);
    element.className = this.className;
    return element;
  }
}

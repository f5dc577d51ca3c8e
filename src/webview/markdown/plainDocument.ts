import type { Progress } from './markdownDocument';
import { LineAppender } from './lineAppender';

/** Unparsed text, line by line: for a parser that cannot be loaded. */
export class PlainDocument {
  readonly #lines: LineAppender;
  #begun = false;

  constructor(host: HTMLElement) {
    const element = document.createElement('div');
    element.className = 'md-plain';
    host.append(element);
    this.#lines = new LineAppender(element, 'md-line', 'div');
  }

  work(text: string, ended: boolean): Progress {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0 || !this.#begun) this.#lines.line(part);
      else this.#lines.more(part);
      this.#begun = true;
    }
    return ended ? 'done' : 'idle';
  }
}

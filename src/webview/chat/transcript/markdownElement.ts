import type { Disposable } from '../../../base/lifecycle';
import { GrowingText } from './growingText';
import { MarkdownStream, renderMarkdown } from '../../markdown/markdownStream';

/** Markdown in an element: rendered at once when finished, block by block while it streams. */
export class MarkdownElement implements Disposable {
  readonly #host: HTMLElement;
  #stream: MarkdownStream | undefined;
  #text = this.#newText();
  /** The whole text, once it is finished. */
  #finished: string | undefined;

  constructor(host: HTMLElement) {
    this.#host = host;
  }

  /** Shows `text`; `grown` is its new part at the end, where known. */
  update(text: string, finished: boolean, grown = ''): void {
    if (this.#finished !== undefined) {
      if (this.#finished === text && finished) return;
      this.#restart();
    }
    if (finished && !this.#stream) {
      renderMarkdown(this.#host, text);
    } else {
      this.#text.follow(text, grown);
      if (finished) this.#stream?.end();
    }
    if (finished) this.#finished = text;
  }

  #newText(): GrowingText {
    return new GrowingText({
      push: (text) => {
        this.#stream ??= new MarkdownStream(this.#host);
        this.#stream.push(text);
      },
      restart: () => this.#clear(),
    });
  }

  #restart(): void {
    this.#clear();
    this.#finished = undefined;
    this.#text = this.#newText();
  }

  #clear(): void {
    this.dispose();
    this.#host.replaceChildren();
  }

  dispose(): void {
    this.#stream?.dispose();
    this.#stream = undefined;
  }
}

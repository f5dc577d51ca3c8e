import type { Block, LineDecision } from './block';
import { formulaElement, showFormulas } from './formulaQueue';
import { LineAppender } from './lineAppender';
import { LONG_LINE_LENGTH, isBlank } from './blockSyntax';
import { endsMathBlock, MAX_FORMULA } from './mathSyntax';

/**
 * A formula of several lines, shown as text until its end delimiter. A blank line or too much text ends the block
 * without a formula; its lines are then Markdown.
 */
export class MathBlock implements Block {
  readonly lazy = false;
  readonly verbatim = false;
  readonly #element = document.createElement('p');
  readonly #lines: string[];
  readonly #text: LineAppender;
  #length: number;
  #isClosed = false;

  /** @param end The end delimiter. */
  constructor(
    parent: HTMLElement,
    line: string,
    private readonly end: string,
  ) {
    this.#lines = [line];
    this.#length = line.length;
    this.#element.className = 'md-plain';
    this.#text = new LineAppender(this.#element, 'md-line');
    this.#text.line(line);
    parent.append(this.#element);
  }

  offer(line: string): LineDecision {
    this.#length += line.length + 1;
    if (isBlank(line) || line.length >= LONG_LINE_LENGTH || this.#length > MAX_FORMULA) return 'refused';
    const last = endsMathBlock(line, this.end);
    if (last === undefined && line.includes(this.end)) return 'refused';
    this.#lines.push(line);
    if (last === undefined) {
      this.#text.line(line);
      return 'taken';
    }
    this.#close(last, line.slice(last.length + 2).trim());
    return 'closed';
  }

  preview(line: string): boolean {
    this.#text.preview(line);
    return true;
  }

  unpreview(): void {
    this.#text.unpreview();
  }

  /** A line that is still incomplete cannot belong to a formula. */
  more(): void {}

  takeLazy(): void {}

  previewLazy(): void {}

  seal(): void {
    if (!this.#isClosed) this.#element.remove();
  }

  /** The lines of a block that was sealed without its end. */
  get unclosedLines(): readonly string[] {
    return this.#isClosed ? [] : this.#lines;
  }

  #close(last: string, punctuation: string): void {
    this.#isClosed = true;
    const source = [...this.#lines.slice(0, -1), last].join('\n').trimStart();
    this.#element.className = '';
    this.#element.replaceChildren(formulaElement(`${source}${this.end}`), punctuation);
    showFormulas(this.#element);
  }
}

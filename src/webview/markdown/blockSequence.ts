import type { MarkdownBlock, DocumentContext, LineDecision } from './block';
import { fenceStart, footnoteStart, indentOf, isBlank, isQuote, listMarker, LONG_LINE_LENGTH } from './blockSyntax';
import { FootnoteBlock, ListBlock, QuoteBlock } from './containerBlocks';
import { FlowBlock } from './flowBlock';
import { formulaElement, showFormulas } from './formulaQueue';
import { announceGrowth } from './growth';
import { LineAppender } from './lineAppender';
import { mathBlockEnd, endsMathBlock, MAX_FORMULA } from './mathSyntax';
import { replaceControls } from './normalizeText';
import { isTable, toFragment, withTrialDefinitions } from './renderFragment';
import { TableBlock } from './tableBlock';
import { FenceBlock, IndentedBlock } from './verbatimBlocks';

/** Maximum nesting; deeper content is shown as plain text. */
const MAX_DEPTH = 16;

/** Lines of text per group element: about a screen, the height that the styles give to groups that were never laid out. */
const LINES_PER_GROUP = 48;
/** UTF-16 units of a line in a narrow view. */
const CHARS_PER_LINE = 60;

/**
 * Consecutive blocks of a document, quote or list item. Only the last one is open. The blocks of a long document are
 * grouped (`md-group`), because layout and paint visit all children of an element for each change to one of them:
 * without groups the cost grows with the length of the text.
 */
export class BlockSequence {
  #host: HTMLElement;
  readonly #root: HTMLElement;
  /** Lines since the start of the last group. */
  #lines = 0;
  #open: MarkdownBlock | undefined;
  /** Lines of a formula without an end are taken again. */
  #isRetaking = false;
  #preview: Element[] = [];
  /** Groups that {@link reveal} has not shown yet. */
  #hidden: HTMLElement[] = [];

  constructor(
    host: HTMLElement,
    private readonly context: DocumentContext,
    private readonly depth: number,
  ) {
    this.#host = host;
    this.#root = host;
  }

  get lazy(): boolean {
    return this.#open?.lazy ?? false;
  }

  get verbatim(): boolean {
    return this.#open?.verbatim ?? false;
  }

  line(line: string): void {
    this.#lines += 1 + Math.floor(line.length / CHARS_PER_LINE);
    const open = this.#open;
    if (open) {
      if (open instanceof FlowBlock && this.#becomesTable(open, line)) return;
      const decision = open.offer(line);
      if (decision === 'taken') return;
      this.#close();
      if (decision === 'closed') return;
      if (this.#open) {
        this.line(line);
        return;
      }
    }
    if (isBlank(line)) return;
    this.#group();
    this.#open = this.#openBlock(line);
  }

  preview(line: string): void {
    if (isBlank(line) || this.#open?.preview(line)) return;
    if (this.depth >= MAX_DEPTH || nestsDeeply(line)) return;
    this.#preview = isMathStart(line)
      ? [asText(line)]
      : [...toFragment(line, withTrialDefinitions(this.context.definitions)).children];
    this.#host.append(...this.#preview);
  }

  unpreview(): void {
    this.#open?.unpreview();
    for (const node of this.#preview) node.remove();
    this.#preview = [];
  }

  more(text: string): void {
    this.#open?.more(text);
  }

  takeLazy(line: string): void {
    this.#open?.takeLazy(line);
  }

  previewLazy(line: string): void {
    this.#open?.previewLazy(line);
  }

  /** Shows new groups of a document, together: of all those the browser lays out only the ones near the view. */
  reveal(): void {
    if (this.#hidden.length === 0) return;
    for (const group of this.#hidden.splice(0)) group.hidden = false;
    announceGrowth(this.#root);
  }

  seal(): void {
    while (this.#open) this.#close();
  }

  /** Closes the open block. An unclosed formula block becomes other blocks, of which the last is open afterwards. */
  #close(): void {
    const open = this.#open;
    this.#open = undefined;
    open?.seal();
    if (open instanceof MathBlock || open instanceof FenceBlock) this.#retake(open.unclosedLines);
  }

  #retake(lines: readonly string[]): void {
    this.#isRetaking = true;
    for (const line of lines) this.line(line);
    this.#isRetaking = false;
  }

  /** The first blocks are direct children: a short text needs no groups. */
  #group(): void {
    if (this.#lines > LINES_PER_GROUP) {
      this.#lines = 1;
      this.#host = document.createElement('div');
      this.#host.className = 'md-group';
      if (this.depth === 0) {
        this.#host.hidden = true;
        this.#hidden.push(this.#host);
      }
      this.#root.append(this.#host);
    }
  }

  #becomesTable(open: FlowBlock, line: string): boolean {
    const header = open.takeHeader(line, isTable);
    if (header === undefined) return false;
    this.seal();
    this.#open = new TableBlock(this.#host, this.context, header, line);
    return true;
  }

  #openBlock(line: string): MarkdownBlock {
    if (this.depth >= MAX_DEPTH) return new FlowBlock(this.#host, this.context, line, true);
    if (indentOf(line) >= 4) return new IndentedBlock(this.#host, line);
    const fence = fenceStart(line);
    if (fence) return new FenceBlock(this.#host, this.context, fence);
    const mathEnd = this.#isRetaking || line.length >= LONG_LINE_LENGTH ? undefined : mathBlockEnd(line);
    if (mathEnd !== undefined) return new MathBlock(this.#host, line, mathEnd);
    const child = (host: HTMLElement): BlockSequence => new BlockSequence(host, this.context, this.depth + 1);
    if (isQuote(line)) return new QuoteBlock(this.#host, child, line);
    const marker = listMarker(line);
    if (marker) return new ListBlock(this.#host, this.context, child, marker);
    const footnote = footnoteStart(line);
    if (footnote) return new FootnoteBlock(this.#host, this.context, child, footnote);
    return new FlowBlock(this.#host, this.context, line, false);
  }
}

function isMathStart(line: string): boolean {
  return mathBlockEnd(line) !== undefined;
}

function asText(line: string): Element {
  const element = document.createElement('p');
  element.textContent = replaceControls(line);
  return element;
}

/** Many quotes and items started on one line: not previewed before the line is complete. */
function nestsDeeply(line: string): boolean {
  return /^(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)])){6}/.test(line);
}

/**
 * A formula of several lines, shown as text until its end delimiter. A blank line or too much text ends the block
 * without a formula; its lines are then Markdown.
 */
class MathBlock implements MarkdownBlock {
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

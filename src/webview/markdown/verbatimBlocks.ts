import type { MarkdownBlock, DocumentContext, LineDecision } from './block';
import type { Fence } from './blockSyntax';
import { closesFence, indentOf, isBlank, stripIndent } from './blockSyntax';
import { CodeBlock } from './codeBlock';
import { QuotedMarkdown, quotesMarkdown } from './quotedMarkdown';

/** Code between fences. Lines are appended without parsing. */
export class FenceBlock implements MarkdownBlock {
  readonly lazy = false;
  readonly verbatim = true;
  #block: CodeBlock;
  readonly #quoted: QuotedMarkdown | undefined;
  /** Lines that were taken although the block had ended before them. */
  unclosedLines: readonly string[] = [];

  constructor(
    parent: HTMLElement,
    private readonly context: DocumentContext,
    private readonly fence: Fence,
  ) {
    this.#block = new CodeBlock(fence.info);
    this.#quoted = quotesMarkdown(fence) ? new QuotedMarkdown(fence) : undefined;
    parent.append(this.#block.element);
  }

  offer(line: string): LineDecision {
    if (this.#quoted) {
      const { decision, lines } = this.#quoted.offer(line);
      for (const each of lines) this.#block.lines.line(this.#content(each));
      return decision;
    }
    if (closesFence(line, this.fence)) return 'closed';
    this.#block.lines.line(this.#content(line));
    return 'taken';
  }

  preview(line: string): boolean {
    const closing = new RegExp(`^ {0,3}${this.fence.marker[0] ?? ''}+[ \t]*$`);
    if (!closing.test(line)) this.#block.lines.preview(this.#content(line));
    return true;
  }

  unpreview(): void {
    this.#block.lines.unpreview();
  }

  more(text: string): void {
    this.#quoted?.more(text);
    this.#block.lines.more(text);
  }

  seal(): void {
    const cut = this.#quoted?.cut();
    if (cut) {
      const text = cut.block.map((line) => `${this.#content(line)}\n`).join('');
      const block = CodeBlock.of(this.fence.info, text);
      this.#block.element.replaceWith(block.element);
      this.#block = block;
      this.unclosedLines = cut.rest;
    }
    this.context.highlight(this.#block.code);
  }

  takeLazy(): void {}

  previewLazy(): void {}

  /** Removes the indentation of the opening fence. */
  #content(line: string): string {
    const indent = Math.min(this.fence.indent, indentOf(line));
    return indent === 0 ? line : (stripIndent(line, indent) ?? line);
  }
}

/** Code indented by four columns. Empty lines belong to it only when more code follows. */
export class IndentedBlock implements MarkdownBlock {
  readonly lazy = false;
  readonly verbatim = false;
  readonly #block = new CodeBlock('');
  #blank: string[] = [];

  constructor(parent: HTMLElement, line: string) {
    parent.append(this.#block.element);
    this.offer(line);
  }

  offer(line: string): LineDecision {
    const content = stripIndent(line, 4);
    if (isBlank(line)) {
      this.#blank.push(content ?? '');
      return 'taken';
    }
    if (content === undefined) return 'refused';
    for (const blank of this.#blank) this.#block.lines.line(blank);
    this.#blank = [];
    this.#block.lines.line(content);
    return 'taken';
  }

  preview(line: string): boolean {
    const content = stripIndent(line, 4);
    if (content === undefined) return false;
    this.#block.lines.preview(content);
    return true;
  }

  unpreview(): void {
    this.#block.lines.unpreview();
  }

  more(text: string): void {
    this.#block.lines.more(text);
  }

  seal(): void {}

  takeLazy(): void {}

  previewLazy(): void {}
}

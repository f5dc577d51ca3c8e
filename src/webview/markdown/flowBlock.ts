import type { MarkdownBlock, PendingRender, DocumentContext, ClosedBlock, LineDecision } from './block';
import { interruptsParagraph, isBlank, isDelimiterRow, isHeading, isRule, isUnderline } from './blockSyntax';
import { fileLinks } from './fileLinks';
import { LineAppender } from './lineAppender';
import { toFragment, withTrialDefinitions } from './renderFragment';

/** A paragraph with more UTF-16 units is shown as plain lines, because parsing it repeatedly is too expensive. */
const MAX_LENGTH = 8192;
/** A paragraph with more inline markup characters is shown as plain lines: parsers take quadratic time. */
const MAX_MARKUP = 600;
/** An open block is rendered again after the last rendering time multiplied by this factor. */
const REST_FACTOR = 6;

/**
 * A paragraph, heading or rule, parsed by marked. An open block is parsed again for each batch of text; its size is at
 * most 8 KB, which bounds the cost.
 */
export class FlowBlock implements MarkdownBlock, PendingRender, ClosedBlock {
  readonly verbatim = false;
  readonly #context: DocumentContext;
  readonly #parent: HTMLElement;
  readonly #isSingle: boolean;
  readonly #lines: string[] = [];
  #partial: string | undefined;
  #length = 0;
  #markup = 0;
  #nodes: ChildNode[];
  #plain: LineAppender | undefined;
  #renderedAt = 0;
  #cost = 0;

  /** @param plain without markup, for excessive nesting */
  constructor(parent: HTMLElement, context: DocumentContext, line: string, plain: boolean) {
    this.#parent = parent;
    this.#context = context;
    this.#isSingle = !plain && (isHeading(line) || isRule(line));
    const placeholder = document.createComment('');
    parent.append(placeholder);
    this.#nodes = [placeholder];
    if (plain) this.#becomePlain();
    this.#add(line);
  }

  get lazy(): boolean {
    return !this.#isSingle;
  }

  get source(): string {
    return this.#lines.join('\n');
  }

  offer(line: string): LineDecision {
    if (this.#isSingle || isBlank(line)) return 'refused';
    if (!this.#plain && isUnderline(line)) {
      this.#add(line);
      return 'closed';
    }
    if (interruptsParagraph(line)) return 'refused';
    this.#add(line);
    return 'taken';
  }

  /** Removes the last line when it is the header of a table that starts with `delimiter`. */
  takeHeader(delimiter: string, isTable: (header: string, delimiter: string) => boolean): string | undefined {
    const header = this.#lines.at(-1);
    if (this.#isSingle || this.#plain || header === undefined || !isDelimiterRow(delimiter)) return undefined;
    if (!isTable(header, delimiter)) return undefined;
    this.#lines.pop();
    this.#markDirty();
    return header;
  }

  preview(line: string): boolean {
    if (this.#isSingle || interruptsParagraph(line)) return false;
    this.previewLazy(line);
    return true;
  }

  previewLazy(line: string): void {
    this.#partial = line;
    if (this.#plain) this.#plain.preview(line);
    else this.#markDirty();
  }

  unpreview(): void {
    if (this.#partial === undefined) return;
    this.#partial = undefined;
    if (this.#plain) this.#plain.unpreview();
    else this.#markDirty();
  }

  takeLazy(line: string): void {
    this.#add(line);
  }

  more(text: string): void {
    this.#lines.push((this.#lines.pop() ?? '') + text);
    if (this.#plain) this.#plain.more(text);
    else this.#measure(text);
  }

  /** Renders the current text, unless the last rendering was too recent. */
  render(): boolean {
    const now = performance.now();
    if (now - this.#renderedAt < this.#cost * REST_FACTOR) return true;
    this.#context.dirty = undefined;
    const source = this.#partial === undefined ? this.source : [...this.#lines, this.#partial].join('\n');
    this.#show(toFragment(source, withTrialDefinitions(this.#context.definitions)));
    this.#renderedAt = performance.now();
    this.#cost = this.#renderedAt - now;
    return true;
  }

  seal(): void {
    if (this.#context.dirty === this) this.#context.dirty = undefined;
    if (this.#plain) return;
    this.#partial = undefined;
    this.#parse();
    if (this.source.includes('[')) this.#context.references.push(this);
  }

  resolve(): void {
    this.#parse();
  }

  #add(line: string): void {
    this.#lines.push(line);
    if (this.#plain) this.#plain.line(line);
    else this.#measure(line);
  }

  #measure(text: string): void {
    this.#length += text.length + 1;
    this.#markup += text.match(/[*_~[\]`!<&\\$]/g)?.length ?? 0;
    if (this.#length > MAX_LENGTH || this.#markup > MAX_MARKUP) this.#becomePlain();
    else this.#markDirty();
  }

  #markDirty(): void {
    this.#context.dirty = this;
  }

  #parse(): void {
    this.#show(toFragment(this.source, this.#context.definitions));
    for (const node of this.#nodes) if (node instanceof Element) fileLinks.add(node);
  }

  #show(fragment: DocumentFragment): void {
    this.#replace([...fragment.childNodes].filter((node) => node.nodeType === Node.ELEMENT_NODE));
  }

  #becomePlain(): void {
    const element = document.createElement('div');
    element.className = 'md-plain';
    this.#replace([element]);
    this.#plain = new LineAppender(element, 'md-line', 'div');
    for (const line of this.#lines) this.#plain.line(line);
    if (this.#context.dirty === this) this.#context.dirty = undefined;
  }

  /** A comment node marks the position of an invisible block, such as a definition. */
  #replace(nodes: ChildNode[]): void {
    const next = nodes.length > 0 ? nodes : [document.createComment('')];
    const [first] = this.#nodes;
    if (first?.parentNode === this.#parent) first.before(...next);
    else this.#parent.append(...next);
    for (const node of this.#nodes) node.remove();
    this.#nodes = next;
  }
}

import type { MarkdownBlock, DocumentContext, LineDecision } from './block';
import type { ListMarker } from './blockSyntax';
import { isBlank, isQuote, listMarker, startsBlock, stripIndent } from './blockSyntax';
import { footnoteDefinition, taskMark, toFragment, withTrialDefinitions } from './renderFragment';

/** The interface of `BlockSequence` for containers. */
interface Content extends Omit<MarkdownBlock, 'offer' | 'preview'> {
  line(line: string): void;
  preview(line: string): void;
}

type NewContent = (host: HTMLElement) => Content;

/** Passes the rest of each line, without the container's prefix, to the content. */
abstract class Container implements MarkdownBlock {
  protected abstract readonly content: Content;

  abstract offer(line: string): LineDecision;
  abstract preview(line: string): boolean;

  get lazy(): boolean {
    return this.content.lazy;
  }

  get verbatim(): boolean {
    return this.content.verbatim;
  }

  unpreview(): void {
    this.content.unpreview();
  }

  more(text: string): void {
    this.content.more(text);
  }

  takeLazy(line: string): void {
    this.content.takeLazy(line);
  }

  previewLazy(line: string): void {
    this.content.previewLazy(line);
  }

  seal(): void {
    this.content.seal();
  }

  /** Offers a line without the container's prefix: only an open paragraph can continue with such a line. */
  protected offerLazy(line: string): LineDecision {
    if (!this.content.lazy || isBlank(line) || startsBlock(line)) return 'refused';
    this.content.takeLazy(line);
    return 'taken';
  }

  protected tryPreviewLazy(line: string): boolean {
    if (!this.content.lazy || startsBlock(line)) return false;
    this.content.previewLazy(line);
    return true;
  }
}

export class QuoteBlock extends Container {
  protected readonly content: Content;

  constructor(parent: HTMLElement, newContent: NewContent, line: string) {
    super();
    const element = document.createElement('blockquote');
    parent.append(element);
    this.content = newContent(element);
    this.content.line(unquote(line));
  }

  override offer(line: string): LineDecision {
    if (!isQuote(line)) return this.offerLazy(line);
    this.content.line(unquote(line));
    return 'taken';
  }

  override preview(line: string): boolean {
    if (!isQuote(line)) return this.tryPreviewLazy(line);
    this.content.preview(unquote(line));
    return true;
  }
}

function unquote(line: string): string {
  return line.replace(/^ {0,3}> ?/, '');
}

/** `[^label]: text`, shown in place. Its text continues with lines indented by four columns. */
export class FootnoteBlock extends Container {
  protected readonly content: Content;

  constructor(
    parent: HTMLElement,
    context: DocumentContext,
    newContent: NewContent,
    footnote: { label: string; text: string },
  ) {
    super();
    const element = document.createElement('div');
    element.className = 'md-footnote';
    const mark = document.createElement('sup');
    mark.append(footnote.label);
    element.append(mark);
    parent.append(element);
    context.definitions[`^${footnote.label.toLowerCase()}`] ??= footnoteDefinition(footnote.label);
    this.content = newContent(element);
    this.content.line(footnote.text);
  }

  override offer(line: string): LineDecision {
    const inner = isBlank(line) ? '' : stripIndent(line, 4);
    if (inner === undefined) return this.offerLazy(line);
    this.content.line(inner);
    return 'taken';
  }

  override preview(line: string): boolean {
    const inner = stripIndent(line, 4);
    if (inner === undefined) return this.tryPreviewLazy(line);
    this.content.preview(inner);
    return true;
  }
}

/** Items per list element of a long list: layout visits all of them for each new one. */
const ITEMS_PER_PART = 100;

/** A list. An item followed by another is complete and never changed again. */
export class ListBlock extends Container {
  protected content: Content;
  #element: HTMLElement;
  readonly #parts: HTMLElement[] = [];
  #isLoose = false;
  #count = 0;
  readonly #first: number;
  #marker: ListMarker;
  #isAfterBlank = false;
  #preview: HTMLElement | undefined;

  constructor(
    private readonly parent: HTMLElement,
    private readonly context: DocumentContext,
    private readonly newContent: NewContent,
    marker: ListMarker,
  ) {
    super();
    this.#marker = marker;
    this.#first = marker.start;
    this.#element = this.#part();
    this.content = this.#item(marker);
  }

  override offer(line: string): LineDecision {
    if (isBlank(line)) {
      this.#isAfterBlank ||= !this.content.verbatim;
      this.content.line('');
      return 'taken';
    }
    const inner = stripIndent(line, this.#marker.content);
    if (inner !== undefined) {
      this.#spread();
      this.content.line(inner);
      return 'taken';
    }
    const marker = this.#next(line);
    if (!marker) return this.#isAfterBlank ? 'refused' : this.offerLazy(line);
    this.#spread();
    this.content.seal();
    this.#marker = marker;
    this.content = this.#item(marker);
    return 'taken';
  }

  override preview(line: string): boolean {
    const inner = stripIndent(line, this.#marker.content);
    if (inner !== undefined) {
      this.content.preview(inner);
      return true;
    }
    const marker = this.#next(line);
    if (!marker) return !this.#isAfterBlank && this.tryPreviewLazy(line);
    this.#preview = document.createElement('li');
    this.#preview.append(...toFragment(marker.text, withTrialDefinitions(this.context.definitions)).children);
    this.#element.append(this.#preview);
    return true;
  }

  override unpreview(): void {
    super.unpreview();
    this.#preview?.remove();
    this.#preview = undefined;
  }

  #next(line: string): ListMarker | undefined {
    const marker = listMarker(line);
    return marker?.type === this.#marker.type ? marker : undefined;
  }

  /** An empty line between two blocks of a list widens the whole list. */
  #spread(): void {
    if (this.#isAfterBlank && !this.#isLoose) {
      this.#isLoose = true;
      for (const part of this.#parts) part.classList.add('md-loose');
    }
    this.#isAfterBlank = false;
  }

  #part(): HTMLElement {
    const element = document.createElement(this.#marker.ordered ? 'ol' : 'ul');
    const start = this.#first + this.#count;
    if (this.#marker.ordered && start !== 1) element.setAttribute('start', String(start));
    if (this.#count > 0) element.classList.add('md-part');
    if (this.#isLoose) element.classList.add('md-loose');
    this.#parts.push(element);
    this.parent.append(element);
    return element;
  }

  #item(marker: ListMarker): Content {
    if (this.#count > 0 && this.#count % ITEMS_PER_PART === 0) this.#element = this.#part();
    this.#count++;
    const item = document.createElement('li');
    this.#element.append(item);
    const content = this.newContent(item);
    const task = /^\[([ xX])\][ \t]+(?=\S)/.exec(marker.text);
    if (task) {
      item.className = 'md-task-item';
      item.innerHTML = taskMark(task[1] !== ' ');
    }
    content.line(task ? marker.text.slice(task[0].length) : marker.text);
    return content;
  }
}

import { fileLinks } from '../chat/transcript/fileLinks';
import type { Block, PendingRender, DocumentContext, ClosedBlock, LineVerdict } from './block';
import { toFragment } from './renderFragment';
import { indentOf, isBlank, startsBlock } from './blockSyntax';

/** Maximum UTF-16 units of a parsed row; longer rows are shown unparsed. */
const maxRow = 8192;

/** Larger tables show new rows less often, because layout visits all cells for each new row. */
const smallTable = 200;
/** Milliseconds per row between two renderings of such a table. */
const restPerRow = 0.5;

/**
 * A table. Complete rows are appended and never changed, so that the cost of a row is independent of the table's
 * length.
 */
export class TableBlock implements Block, PendingRender, ClosedBlock {
  readonly lazy = false;
  readonly verbatim = false;
  readonly #context: DocumentContext;
  readonly #header: string;
  readonly #delimiter: string;
  readonly #rows: string[] = [];
  #shown = 0;
  #shownAt = 0;
  #wrapper: HTMLElement;
  #body: HTMLElement;
  #columns: number;
  #preview: Element | undefined;

  constructor(parent: HTMLElement, context: DocumentContext, header: string, delimiter: string) {
    this.#context = context;
    this.#header = header;
    this.#delimiter = delimiter;
    [this.#wrapper, this.#body] = this.#frame();
    this.#columns = this.#wrapper.querySelectorAll('th').length;
    parent.append(this.#wrapper);
  }

  get source(): string {
    return [this.#header, ...this.#rows].join('\n');
  }

  offer(line: string): LineVerdict {
    if (!this.#isRow(line)) return 'refused';
    this.#rows.push(line);
    this.#context.dirty = this;
    return 'taken';
  }

  preview(line: string): boolean {
    if (!this.#isRow(line)) return false;
    if (this.#rows.length > smallTable) return true;
    this.#append();
    this.#preview = this.#parse([line])[0];
    if (this.#preview) this.#body.append(this.#preview);
    return true;
  }

  unpreview(): void {
    this.#preview?.remove();
    this.#preview = undefined;
  }

  more(text: string): void {
    this.#rows.push((this.#rows.pop() ?? '') + text);
    const last = this.#body.lastElementChild;
    if (this.#shown < this.#rows.length || !last) return;
    last.remove();
    this.#shown--;
    this.#context.dirty = this;
  }

  render(): void {
    const rest = this.#rows.length > smallTable ? this.#rows.length * restPerRow : 0;
    if (performance.now() - this.#shownAt >= rest) this.#append();
  }

  #append(): void {
    if (this.#context.dirty === this) this.#context.dirty = undefined;
    this.#shownAt = performance.now();
    if (this.#shown === this.#rows.length) return;
    this.#body.append(...this.#parse(this.#rows.slice(this.#shown)));
    this.#shown = this.#rows.length;
  }

  seal(): void {
    this.#append();
    fileLinks.add(this.#wrapper);
    if (this.source.includes('[')) this.#context.references.push(this);
  }

  takeLazy(): void {}

  previewLazy(): void {}

  resolve(): void {
    const old = this.#wrapper;
    [this.#wrapper, this.#body] = this.#frame();
    this.#shown = 0;
    this.#append();
    old.replaceWith(this.#wrapper);
    fileLinks.add(this.#wrapper);
  }

  #isRow(line: string): boolean {
    return !isBlank(line) && !startsBlock(line) && indentOf(line) < 4;
  }

  #frame(): [HTMLElement, HTMLElement] {
    const fragment = toFragment(`${this.#header}\n${this.#delimiter}`, this.#context.definitions);
    const wrapper = fragment.querySelector<HTMLElement>('.md-table') ?? document.createElement('div');
    const body = document.createElement('tbody');
    wrapper.querySelector('table')?.append(body);
    return [wrapper, body];
  }

  #parse(rows: readonly string[]): Element[] {
    if (rows.some((row) => row.length > maxRow)) return rows.map((row) => this.#asIs(row));
    const header = `|${' |'.repeat(this.#columns)}`;
    const source = [header, this.#delimiter, ...rows.map(withPipe)].join('\n');
    const parsed = [...toFragment(source, this.#context.definitions).querySelectorAll('tbody > tr')];
    if (parsed.length === rows.length) return parsed;
    return rows.length === 1 ? rows.map((row) => this.#asIs(row)) : rows.flatMap((row) => this.#parse([row]));
  }

  #asIs(row: string): Element {
    const element = document.createElement('tr');
    const cell = document.createElement('td');
    cell.colSpan = this.#columns;
    cell.textContent = row;
    element.append(cell);
    return element;
  }
}

/** Adds a leading pipe, without which a row could be parsed as another block. */
function withPipe(row: string): string {
  const trimmed = row.trimStart();
  return trimmed.startsWith('|') ? trimmed : `| ${trimmed}`;
}

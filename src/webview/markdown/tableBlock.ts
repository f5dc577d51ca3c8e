import type { MarkdownBlock, PendingRender, DocumentContext, ClosedBlock, LineDecision } from './block';
import { indentOf, isBlank, startsBlock } from './blockSyntax';
import { fileLinks } from './fileLinks';
import { announceGrowth } from './growth';
import { toFragment } from './renderFragment';

/** Maximum UTF-16 units of a parsed row; longer rows are shown unparsed. */
const MAX_ROW_LENGTH = 8192;

/** Maximum cells of a table element, and its minimum and maximum rows: layout visits all cells of an element for each new row. */
const CELLS_PER_PART = 500;
const ROWS_PER_PART = { min: 20, max: 100 };
/** Cells rendered between two time checks. */
const CELLS_PER_CHECK = 200;
/** Minimum width of a column in a table of several parts: later rows, which do not change the widths, may have longer texts. */
const MIN_COLUMN_PX = 60;
/** Width of the columns of a table that is not laid out. */
const COLUMN_EM = 10;
/** Parts that are added to the document together: the browser creates the layout of all of them in one task. */
const PARTS_PER_BATCH = 30;

/**
 * A table. Complete rows are appended and never changed, so that the cost of a row is independent of the table's
 * length. After the first 100 rows at most they are in separate tables (`div.md-table-part` > `table`) with the same column
 * widths; rows that do not fit a slice of work are rendered in the next ones.
 */
export class TableBlock implements MarkdownBlock, PendingRender, ClosedBlock {
  readonly lazy = false;
  readonly verbatim = false;
  readonly #rows: string[] = [];
  #shown = 0;
  #wrapper: HTMLElement;
  #body: HTMLElement;
  #columns: number;
  /** Columns and width of the whole table, once it has more than one part. */
  #sizes: { readonly columns: HTMLElement; readonly width: string } | undefined;
  #preview: Element | undefined;
  /** Parts that are not in the document yet. */
  readonly #detached = document.createDocumentFragment();
  #isSealed = false;

  constructor(
    parent: HTMLElement,
    private readonly context: DocumentContext,
    private readonly header: string,
    private readonly delimiter: string,
  ) {
    [this.#wrapper, this.#body] = this.#frame();
    this.#columns = this.#wrapper.querySelectorAll('th').length;
    parent.append(this.#wrapper);
  }

  get source(): string {
    return [this.header, ...this.#rows].join('\n');
  }

  offer(line: string): LineDecision {
    if (!this.#isRow(line)) return 'refused';
    this.#rows.push(line);
    this.context.dirty = this;
    return 'taken';
  }

  preview(line: string): boolean {
    if (!this.#isRow(line)) return false;
    // Rows in between are still missing.
    if (!this.render()) return true;
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
    this.context.dirty = this;
  }

  /** Renders at least some rows, or shows a batch of them. */
  render(deadline = 0): boolean {
    // The layout of a batch takes a slice of its own.
    const isDue = this.#isBatchFull || this.#isRendered;
    if (!isDue) this.#renderRows(deadline);
    if (isDue || (this.#isRendered && this.#detached.childElementCount < 2)) this.#attach();
    const isDone = this.#isRendered && !this.#detached.hasChildNodes();
    if (isDone && this.context.dirty === this) this.context.dirty = undefined;
    if (isDone && this.#isSealed) fileLinks.add(this.#wrapper);
    return isDone;
  }

  get #isRendered(): boolean {
    return this.#shown === this.#rows.length;
  }

  get #isBatchFull(): boolean {
    return this.#detached.childElementCount === PARTS_PER_BATCH;
  }

  #renderRows(deadline: number): void {
    const most = Math.max(1, Math.floor(CELLS_PER_CHECK / this.#columns));
    while (!this.#isRendered && !this.#isBatchFull) {
      if (this.#shown > 0 && this.#shown % this.#partSize === 0) this.#body = this.#part();
      const end = Math.min(this.#shown + most, this.#rows.length, this.#endOfPart);
      this.#body.append(...this.#parse(this.#rows.slice(this.#shown, end)));
      this.#shown = end;
      if (performance.now() >= deadline) break;
    }
  }

  /** Parts that are attached together cost layout and paint only where they are visible. */
  #attach(): void {
    if (!this.#detached.hasChildNodes()) return;
    this.#wrapper.append(this.#detached);
    announceGrowth(this.#wrapper);
  }

  seal(): void {
    this.#isSealed = true;
    if (this.context.dirty === this) this.context.dirty = undefined;
    if (!this.render()) this.context.unfinished.push(this);
    if (this.source.includes('[')) this.context.references.push(this);
  }

  takeLazy(): void {}

  previewLazy(): void {}

  resolve(): void {
    const old = this.#wrapper;
    [this.#wrapper, this.#body] = this.#frame();
    this.#shown = 0;
    this.#sizes = undefined;
    old.replaceWith(this.#wrapper);
    if (!this.render()) this.context.unfinished.push(this);
  }

  #isRow(line: string): boolean {
    return !isBlank(line) && !startsBlock(line) && indentOf(line) < 4;
  }

  #frame(): [HTMLElement, HTMLElement] {
    const fragment = toFragment(`${this.header}\n${this.delimiter}`, this.context.definitions);
    const wrapper = fragment.querySelector<HTMLElement>('.md-table') ?? document.createElement('div');
    const body = document.createElement('tbody');
    wrapper.querySelector('table')?.append(body);
    return [wrapper, body];
  }

  /** Rows of a table element. */
  get #partSize(): number {
    return Math.min(ROWS_PER_PART.max, Math.max(ROWS_PER_PART.min, Math.floor(CELLS_PER_PART / this.#columns)));
  }

  get #endOfPart(): number {
    return (Math.floor(this.#shown / this.#partSize) + 1) * this.#partSize;
  }

  /** The body of a further table element. */
  #part(): HTMLElement {
    this.#sizes ??= this.#fixSizes();
    const element = document.createElement('div');
    element.className = 'md-table-part';
    element.style.inlineSize = this.#sizes.width;
    const table = document.createElement('table');
    const body = document.createElement('tbody');
    table.append(this.#sizes.columns.cloneNode(true), body);
    element.append(table);
    this.#detached.append(element);
    return body;
  }

  /** Keeps the column widths of the first part; all are equal while nothing is laid out. */
  #fixSizes(): { columns: HTMLElement; width: string } {
    this.#wrapper.closest('.md-group[hidden]')?.removeAttribute('hidden');
    const table = this.#wrapper.querySelector('table');
    const cells = [...(table?.querySelectorAll('th') ?? [])];
    const isLaidOut = cells.some((cell) => cell.getBoundingClientRect().width > 0);
    const widths = cells.map((cell) => Math.max(MIN_COLUMN_PX, cell.getBoundingClientRect().width));
    const total = widths.reduce((sum, width) => sum + width, 0);
    const columns = document.createElement('colgroup');
    for (const width of widths) {
      const column = document.createElement('col');
      column.style.inlineSize = `${(width / total) * 100}%`;
      columns.append(column);
    }
    const width = isLaidOut ? `${Math.ceil(total)}px` : `max(100%, ${widths.length * COLUMN_EM}em)`;
    table?.classList.add('md-table-first');
    table?.prepend(columns);
    if (table) table.style.inlineSize = width;
    return { columns, width };
  }

  #parse(rows: readonly string[]): Element[] {
    if (rows.some((row) => row.length > MAX_ROW_LENGTH)) return rows.map((row) => this.#asIs(row));
    const header = `|${' |'.repeat(this.#columns)}`;
    const source = [header, this.delimiter, ...rows.map(withPipe)].join('\n');
    const parsed = [...toFragment(source, this.context.definitions).querySelectorAll('tbody > tr')];
    if (parsed.length === rows.length) return parsed;
    return rows.length === 1 ? rows.map((row) => this.#asIs(row)) : rows.flatMap((row) => this.#parse([row]));
  }

  #asIs(row: string): Element {
    const element = document.createElement('tr');
    const cell = document.createElement('td');
    cell.colSpan = this.#columns;
    cell.className = 'md-long';
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

/** The style of a run of characters. Equal styles are the same object. */
export interface Style {
  /** Class names, such as `ansi-red-fg ansi-bold`. */
  readonly classes: string;
  /** CSS colors besides the sixteen of themes. */
  readonly color?: string;
  readonly background?: string;
}

export const plainStyle: Style = { classes: '' };

/** Characters of one style. */
export interface StyledRun {
  readonly text: string;
  readonly style: Style;
}

/** One line of a terminal's output. Columns are UTF-16 units. */
export class ScreenLine {
  runs: readonly StyledRun[] = [];
  length = 0;
  /** The line was too long and continues in the next. */
  isContinued = false;
  /** A closed full-screen program drew this line: it is hidden until it is written again. */
  isHidden = false;

  get text(): string {
    return this.runs.map((run) => run.text).join('');
  }

  /** Writes `text` at `column`, replacing existing characters. */
  write(column: number, text: string, style: Style): void {
    if (text === '') return;
    this.isHidden = false;
    const gap = column - this.length;
    const before = gap > 0 ? [...this.runs, { text: ' '.repeat(gap), style: plainStyle }] : this.#cut(0, column);
    const after = column + text.length < this.length ? this.#cut(column + text.length, this.length) : [];
    this.#set([...before, { text, style }, ...after]);
  }

  /** Deletes `count` characters at `column`; the rest moves left. */
  remove(column: number, count: number): void {
    if (column >= this.length) return;
    this.#set([...this.#cut(0, column), ...this.#cut(column + count, this.length)]);
  }

  /** Inserts `count` blanks at `column`; the rest moves right. */
  insert(column: number, count: number): void {
    if (column >= this.length) return;
    const blanks = { text: ' '.repeat(count), style: plainStyle };
    this.#set([...this.#cut(0, column), blanks, ...this.#cut(column, this.length)]);
  }

  truncate(column: number): void {
    if (column >= this.length) return;
    this.#set(this.#cut(0, column));
  }

  #set(runs: readonly StyledRun[]): void {
    this.runs = joinRuns(runs);
    this.length = this.runs.reduce((sum, run) => sum + run.text.length, 0);
  }

  #cut(from: number, to: number): StyledRun[] {
    const result: StyledRun[] = [];
    let at = 0;
    for (const run of this.runs) {
      const text = run.text.slice(Math.max(0, from - at), Math.max(0, to - at));
      if (text !== '') result.push(text === run.text ? run : { text, style: run.style });
      at += run.text.length;
    }
    return result;
  }
}

function joinRuns(runs: readonly StyledRun[]): StyledRun[] {
  const result: StyledRun[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    if (last?.style === run.style) result[result.length - 1] = { text: last.text + run.text, style: run.style };
    else result.push(run);
  }
  return result;
}

import { AnsiParser, endsInHalf } from './parser';
import type { Style } from './style';
import { plainStyle, StyleReader } from './style';

/** Characters of one style. */
export interface Run {
  readonly text: string;
  readonly style: Style;
}

/** A longer line goes on in the next one. Characters; bounds what one change to a line costs. */
const maxColumns = 2000;
/** How many lines at the end the cursor can come back to. */
const reach = 500;

export class Line {
  runs: readonly Run[] = [];
  length = 0;
  /** The line was too long and goes on in the next. */
  continued = false;

  get text(): string {
    return this.runs.map((run) => run.text).join('');
  }

  /** Puts `text` at `column`, over what is there. */
  write(column: number, text: string, style: Style): void {
    if (text === '') return;
    const gap = column - this.length;
    const before = gap > 0 ? [...this.runs, { text: ' '.repeat(gap), style: plainStyle }] : this.cut(0, column);
    const after = column + text.length < this.length ? this.cut(column + text.length, this.length) : [];
    this.runs = joined([...before, { text, style }, ...after]);
    this.length = Math.max(this.length, column + text.length);
  }

  /** Removes everything from `column` on. */
  truncate(column: number): void {
    if (column >= this.length) return;
    this.runs = this.cut(0, column);
    this.length = column;
  }

  cut(from: number, to: number): Run[] {
    const result: Run[] = [];
    let at = 0;
    for (const run of this.runs) {
      const text = run.text.slice(Math.max(0, from - at), Math.max(0, to - at));
      if (text !== '') result.push(text === run.text ? run : { text, style: run.style });
      at += run.text.length;
    }
    return result;
  }
}

function joined(runs: readonly Run[]): Run[] {
  const result: Run[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    if (last?.style === run.style) result[result.length - 1] = { text: last.text + run.text, style: run.style };
    else result.push(run);
  }
  return result;
}

/** The lines that a terminal's output makes. Knows nothing of the page. */
export class TerminalModel {
  readonly #parser = new AnsiParser({
    text: (text) => this.#text(text),
    lineFeed: () => this.#lineFeed(),
    carriageReturn: () => this.#moveTo(this.#row, 0),
    backspace: () => this.#moveTo(this.#row, this.#column - 1),
    control: (final, parameters) => this.#control(final, parameters),
  });
  readonly #styles = new StyleReader();
  /** The last lines; the first of them has number {@link #first}. */
  #lines: Line[] = [];
  #first = 0;
  #row = 0;
  #column = 0;
  /** Where the screen began when it was last cleared; positions count from there. */
  #top = 0;
  #style = plainStyle;
  #changed = new Set<Line>();

  write(data: string): void {
    this.#parser.write(data);
  }

  /** Lines that are new or other than at the last call; new ones in their order. */
  takeChanges(): Iterable<Line> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  #text(text: string): void {
    for (let rest = text; rest !== '';) {
      const room = maxColumns - this.#column;
      if (room <= 0) {
        this.#line().continued = true;
        this.#lineFeed();
        continue;
      }
      const part = upTo(rest, room);
      if (part === '') {
        this.#column = maxColumns;
        continue;
      }
      this.#line().write(this.#column, part, this.#style);
      this.#column += part.length;
      rest = rest.slice(part.length);
    }
  }

  /** The line under the cursor, made if need be; it will be told as changed. */
  #line(): Line {
    while (this.#first + this.#lines.length <= this.#row) {
      const line = new Line();
      this.#lines.push(line);
      this.#changed.add(line);
    }
    if (this.#lines.length > 2 * reach) {
      this.#first += this.#lines.length - reach;
      this.#lines = this.#lines.slice(-reach);
    }
    const line = this.#lines[this.#row - this.#first] ?? new Line();
    this.#changed.add(line);
    return line;
  }

  #lineFeed(): void {
    this.#row++;
    this.#column = 0;
    // Lines at the end appear when something is written to them, but not ever more of them.
    if (this.#row - this.#first - this.#lines.length > reach) this.#line();
  }

  /** Up as far as the cursor reaches, and down to the line after the last. */
  #moveTo(row: number, column: number): void {
    const end = this.#first + this.#lines.length;
    this.#row = Math.max(0, end - reach, Math.min(row, Math.max(end, this.#row)));
    this.#column = Math.min(Math.max(0, column), maxColumns);
  }

  #control(final: string, parameters: string): void {
    if (final === 'm') {
      if (!/[<-?]/.test(parameters)) this.#style = this.#styles.read(parameters);
      return;
    }
    const [first = '', second = ''] = parameters.split(';');
    const count = Math.min(Math.max(1, Number.parseInt(first, 10) || 1), maxColumns);
    this.#cursor(final, count, Math.max(1, Number.parseInt(second, 10) || 1));
    if (final === 'K') this.#eraseLine(first);
    else if (final === 'J') this.#eraseScreen(first);
  }

  #cursor(final: string, count: number, second: number): void {
    if (final === 'A') this.#moveTo(this.#row - count, this.#column);
    else if (final === 'B') this.#moveTo(this.#row + count, this.#column);
    else if (final === 'C') this.#moveTo(this.#row, this.#column + count);
    else if (final === 'D') this.#moveTo(this.#row, this.#column - count);
    else if (final === 'E') this.#moveTo(this.#row + count, 0);
    else if (final === 'F') this.#moveTo(this.#row - count, 0);
    else if (final === 'G') this.#moveTo(this.#row, count - 1);
    else if (final === 'H' || final === 'f') this.#moveTo(this.#top + count - 1, second - 1);
  }

  #eraseLine(what: string): void {
    const line = this.#line();
    if (what === '1') line.write(0, ' '.repeat(this.#column + 1), plainStyle);
    else line.truncate(what === '2' ? 0 : this.#column);
  }

  /** Clearing the screen loses nothing here: what was there stays above, and the screen begins below it. */
  #eraseScreen(what: string): void {
    const end = this.#first + this.#lines.length;
    if (what === '2' || what === '3') {
      this.#top = end;
      this.#row = end;
      return;
    }
    if (what === '1') return;
    this.#eraseLine('0');
    for (const line of this.#lines.slice(this.#row - this.#first + 1)) {
      line.truncate(0);
      this.#changed.add(line);
    }
  }
}

/** The first `length` UTF-16 units, or one fewer rather than half a character. */
function upTo(text: string, length: number): string {
  const part = text.slice(0, length);
  return part.length < text.length && endsInHalf(part) ? part.slice(0, -1) : part;
}

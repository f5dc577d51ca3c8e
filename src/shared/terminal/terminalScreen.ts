import { AnsiParser, endsInHighSurrogate } from './ansiParser';
import { ScreenLine, plainStyle } from './screenLine';
import type { Style } from './screenLine';

/** Size of pseudo-terminals in characters: wide enough for most tables, as high as a panel. */
export const TERMINAL_COLUMNS = 120;
export const TERMINAL_ROWS = 30;

/** Maximum characters of a line, which bounds the cost of a change; longer lines wrap. */
const MAX_COLUMNS = 2000;
/** Number of last lines that the cursor can return to. */
const REACHABLE_LINES = 500;

interface Position {
  readonly row: number;
  readonly column: number;
}

/**
 * The lines of terminal output (ECMA-48 and xterm extensions): text is overwritten in place, so that a progress bar is
 * one line. Independent of the page: the page renders the lines, the host sends their text to the agent. Rows count
 * from the first line of the output; positions on the screen count from the start of the last {@link TERMINAL_ROWS}
 * lines.
 */
export class TerminalScreen {
  readonly #parser = new AnsiParser({
    text: (text) => this.#text(text),
    character: (character) => this.#character(character),
    control: (final, parameters) => this.#control(final, parameters),
    escape: (final) => this.#escape(final),
  });
  /** The last lines; the first one has number {@link #first}. */
  #lines: ScreenLine[] = [];
  #first = 0;
  #row = 0;
  #column = 0;
  /** Start of the screen when it was last cleared. */
  #top = 0;
  #saved: Position = { row: 0, column: 0 };
  /** Cursor and start of the screen when a full-screen program started. */
  #below: (Position & { readonly top: number; readonly end: number }) | undefined;
  /** Number of scrolling rows; a status line below is not output. */
  #scrolling = TERMINAL_ROWS;
  #isInStatusLine = false;
  #style = plainStyle;
  #changed = new Set<ScreenLine>();

  /**
   * @param onFinishedLine called in order for each line that the cursor can no longer reach
   * @param style the style for the parameters of a select-graphic-rendition sequence; without it, all text is plain
   */
  constructor(
    private readonly onFinishedLine?: (line: ScreenLine) => void,
    private readonly style?: (parameters: string) => Style,
  ) {}

  write(data: string): void {
    this.#parser.write(data);
  }

  /** Lines that are new or changed since the last call; new lines in order. */
  takeChanges(): Iterable<ScreenLine> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  /** The text of the lines that the cursor can still reach; earlier lines were passed to `onFinishedLine`. */
  get text(): string {
    const shown = this.#lines.slice(0, this.#lines.findLastIndex((line) => !line.isHidden) + 1);
    const end = this.#first + shown.length;
    const text = shown.map(screenLineText).join('');
    if (this.#row >= end) return text + '\n'.repeat(this.#row - end);
    return text.endsWith('\n') ? text.slice(0, -1) : text;
  }

  /** The row after the last line. */
  get #end(): number {
    return this.#first + this.#lines.length;
  }

  /** The first row of the screen. */
  get #screen(): number {
    return Math.max(this.#top, Math.max(this.#end, this.#row + 1) - this.#scrolling);
  }

  #text(text: string): void {
    if (this.#isInStatusLine) return;
    for (let rest = text; rest !== '';) {
      const available = MAX_COLUMNS - this.#column;
      if (available <= 0) {
        this.#line().isContinued = true;
        this.#lineFeed();
        continue;
      }
      const part = upTo(rest, available);
      if (part === '') {
        this.#column = MAX_COLUMNS;
        continue;
      }
      this.#line().write(this.#column, part, this.#style);
      this.#column += part.length;
      rest = rest.slice(part.length);
    }
  }

  /** The line under the cursor, created if needed; marks it as changed. */
  #line(): ScreenLine {
    while (this.#end <= this.#row) {
      const line = new ScreenLine();
      this.#lines.push(line);
      this.#changed.add(line);
    }
    if (this.#lines.length > 2 * REACHABLE_LINES) this.#finishUnreachable();
    const line = this.#lines[this.#row - this.#first] ?? new ScreenLine();
    this.#changed.add(line);
    return line;
  }

  #finishUnreachable(): void {
    const finished = this.#lines.slice(0, -REACHABLE_LINES);
    this.#first += finished.length;
    this.#lines = this.#lines.slice(-REACHABLE_LINES);
    for (const line of finished) this.onFinishedLine?.(line);
  }

  #character(character: string): void {
    if (character === '\n') this.#lineFeed();
    else if (character === '\r') this.#moveTo(this.#row, 0);
    else if (character === '\b') this.#moveTo(this.#row, this.#column - 1);
  }

  #lineFeed(): void {
    if (this.#isInStatusLine) return;
    const left = this.#lines[this.#row - this.#first];
    if (left?.isHidden) {
      left.isHidden = false;
      this.#changed.add(left);
    }
    this.#row++;
    this.#column = 0;
    // Lines at the end are created on writing, but their number is limited.
    if (this.#row - this.#end > REACHABLE_LINES) this.#line();
  }

  /** Limits the row to the lines that the cursor can reach, and to one line after the last. */
  #moveTo(row: number, column: number): void {
    if (row !== this.#row) this.#isInStatusLine = false;
    this.#row = Math.max(0, this.#end - REACHABLE_LINES, Math.min(row, Math.max(this.#end, this.#row)));
    this.#column = Math.min(Math.max(0, column), MAX_COLUMNS);
  }

  /** Moves to a position on the screen; both count from 1. */
  #moveOnScreen(row: number, column: number): void {
    this.#isInStatusLine = row > this.#scrolling && this.#scrolling < TERMINAL_ROWS;
    if (!this.#isInStatusLine) this.#row = this.#screen + Math.min(row, this.#scrolling) - 1;
    this.#column = Math.min(column, MAX_COLUMNS) - 1;
  }

  #escape(final: string): void {
    if (final === '7') this.#saved = { row: this.#row, column: this.#column };
    else if (final === '8') this.#restore(this.#saved);
    else if (final === 'M') this.#moveTo(this.#row - 1, this.#column);
    else if (final === 'c') this.#reset();
  }

  #restore({ row, column }: Position): void {
    this.#isInStatusLine = false;
    this.#moveTo(row, column);
  }

  #reset(): void {
    this.#scrolling = TERMINAL_ROWS;
    this.#style = plainStyle;
    this.#eraseScreen('2');
    this.#moveOnScreen(1, 1);
  }

  #control(final: string, parameters: string): void {
    if (/[<-?]/.test(parameters)) {
      if ((final === 'h' || final === 'l') && /^\?(?:47|1047|1049)$/.test(parameters)) this.#fullScreen(final === 'h');
      return;
    }
    if (final === 'm') {
      this.#style = this.style?.(parameters) ?? plainStyle;
      return;
    }
    const [first = '', second = ''] = parameters.split(';');
    const count = Math.min(Math.max(1, Number.parseInt(first, 10) || 1), MAX_COLUMNS);
    if (this.#cursor(final, count, Math.max(1, Number.parseInt(second, 10) || 1))) return;
    if (final === 'r') this.#scrollRegion(Number.parseInt(second, 10) || TERMINAL_ROWS);
    else this.#edit(final, first, count);
  }

  /** False when the sequence does not move the cursor. */
  #cursor(final: string, count: number, second: number): boolean {
    if (final === 'A') this.#moveTo(this.#row - count, this.#column);
    else if (final === 'B' || final === 'e') this.#moveTo(this.#row + count, this.#column);
    else if (final === 'C' || final === 'a') this.#moveTo(this.#row, this.#column + count);
    else if (final === 'D') this.#moveTo(this.#row, this.#column - count);
    else if (final === 'E') this.#moveTo(this.#row + count, 0);
    else if (final === 'F') this.#moveTo(this.#row - count, 0);
    else if (final === 'G' || final === '`') this.#moveTo(this.#row, count - 1);
    else if (final === 'd') this.#moveOnScreen(count, this.#column + 1);
    else if (final === 'H' || final === 'f') this.#moveOnScreen(count, second);
    else if (final === 's') this.#escape('7');
    else if (final === 'u') this.#escape('8');
    else return false;
    return true;
  }

  #edit(final: string, first: string, count: number): void {
    if (final === 'K') this.#eraseLine(first);
    else if (final === 'J') this.#eraseScreen(first);
    else if (final === 'P') this.#line().remove(this.#column, count);
    else if (final === '@') this.#line().insert(this.#column, count);
    else if (final === 'X') this.#blank(this.#column, count);
  }

  #eraseLine(what: string): void {
    if (what === '1') this.#blank(0, this.#column + 1);
    else this.#line().truncate(what === '2' ? 0 : this.#column);
  }

  /** Overwrites with blanks without making the line longer. */
  #blank(column: number, count: number): void {
    const line = this.#line();
    const end = Math.min(column + count, line.length);
    if (end === line.length) line.truncate(column);
    else line.write(column, ' '.repeat(end - column), plainStyle);
  }

  /** Clearing the screen deletes nothing: the old content stays above, and the screen starts below it. */
  #eraseScreen(what: string): void {
    if (what === '2') {
      this.#top = this.#end;
      this.#row = this.#end;
      return;
    }
    if (what === '1' || what === '3') return;
    if (this.#row < this.#end) this.#eraseLine('0');
    for (const line of this.#lines.slice(this.#row - this.#first + 1)) {
      line.truncate(0);
      this.#changed.add(line);
    }
  }

  #scrollRegion(bottom: number): void {
    this.#scrolling = Math.min(bottom, TERMINAL_ROWS);
    this.#moveOnScreen(1, 1);
  }

  /** A full-screen program draws below the existing lines; its lines are removed when it ends. */
  #fullScreen(isBegin: boolean): void {
    if (isBegin) {
      if (this.#below) return;
      this.#below = { row: this.#row, column: this.#column, top: this.#top, end: this.#end };
      this.#top = this.#row = this.#end;
      this.#column = 0;
      return;
    }
    const before = this.#below;
    if (!before) return;
    this.#below = undefined;
    for (const line of this.#lines.slice(Math.max(0, before.end - this.#first))) {
      line.truncate(0);
      line.isHidden = true;
      this.#changed.add(line);
    }
    this.#top = before.top;
    this.#row = Math.max(before.row, this.#end - REACHABLE_LINES);
    this.#column = before.column;
  }
}

/** The line with its line end. */
export function screenLineText(line: ScreenLine): string {
  return line.isContinued ? line.text : `${line.text}\n`;
}

/** The first `length` UTF-16 units, or one less to avoid half a character. */
function upTo(text: string, length: number): string {
  const part = text.slice(0, length);
  return part.length < text.length && endsInHighSurrogate(part) ? part.slice(0, -1) : part;
}

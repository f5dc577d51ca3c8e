import { truncate } from '../../base/text';

/** Pure functions for the lines of a comment; 0-based. */

export interface CommentLines {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
}

/** A change of a document, in its positions before the change. */
export interface TextEdit {
  readonly range: {
    readonly start: { readonly line: number; readonly character: number };
    readonly end: { readonly line: number; readonly character: number };
  };
  readonly text: string;
}

/** The text of a document. */
export interface DocumentLines {
  readonly lineCount: number;
  lineAt(line: number): { readonly text: string };
}

/** Maximum number of lines that are quoted for a comment. */
const MAX_QUOTED_LINES = 20;
/** Maximum UTF-16 units of a quoted line. */
const MAX_QUOTED_LINE = 300;

/** The position of lines after an edit. Lines that the edit replaced are somewhere in its text. */
export function afterEdit({ first, last }: CommentLines, { range: { start, end }, text }: TextEdit): CommentLines {
  if (start.line > last) return { first, last };
  const added = countLines(text) - 1;
  const shift = added - (end.line - start.line);
  if (end.line < first || (end.line === first && end.character === 0)) {
    return { first: first + shift, last: last + shift };
  }
  const top = start.line < first ? Math.min(first, start.line + added) : first;
  const bottom = last > end.line ? last + shift : Math.min(last, start.line + added);
  return { first: top, last: Math.max(top, bottom) };
}

/** Whether an edit is within the lines: their text has changed, their position has not. */
export function isWithin({ first, last }: CommentLines, { range: { start, end } }: TextEdit): boolean {
  return start.line >= first && end.line <= last && !(end.line === first && end.character === 0);
}

/** The text of the lines, up to the limits. */
export function quoteOf(document: DocumentLines, { first, last }: CommentLines): readonly string[] {
  const end = Math.min(last, document.lineCount - 1, first + MAX_QUOTED_LINES - 1);
  return Array.from({ length: Math.max(0, end - first + 1) }, (_, at) => quotedLine(document, first + at));
}

/** The lines with the quoted text nearest to the expected position; the expected lines if no lines have that text. */
export function findQuote(document: DocumentLines, expected: CommentLines, quote: readonly string[]): CommentLines {
  const { lineCount } = document;
  const [head] = quote;
  const matches = (first: number): boolean =>
    head !== undefined &&
    quotedLine(document, first) === head &&
    quote.every((line, at) => quotedLine(document, first + at) === line);
  const length = expected.last - expected.first;
  const most = Math.max(expected.first, lineCount - 1 - expected.first);
  for (let away = 0; away <= most; away++) {
    const found = [expected.first - away, expected.first + away].find((line) => line >= 0 && matches(line));
    if (found !== undefined) return { first: found, last: found + length };
  }
  const first = Math.max(0, Math.min(expected.first, lineCount - 1));
  return { first, last: Math.max(first, Math.min(expected.last, lineCount - 1)) };
}

function quotedLine(document: DocumentLines, line: number): string {
  return line < document.lineCount ? truncate(document.lineAt(line).text, MAX_QUOTED_LINE) : '';
}

function countLines(text: string): number {
  return text.split(/\r\n|\r|\n/).length;
}

/** Pure functions for reading and writing a text file for the agent. */

/** Lines `line` (1-based, 0 counts as 1) to `line + limit - 1` with their line ends; empty beyond the end. */
export function sliceLines(text: string, line: number | undefined, limit: number | undefined): string {
  const start = lineStart(text, 0, Math.max(1, line ?? 1) - 1);
  if (start === undefined) return '';
  const end = limit === undefined ? undefined : lineStart(text, start, limit);
  return text.slice(start, end);
}

/** Offset of the line `count` lines after the one at `from`; undefined when there are fewer lines. */
function lineStart(text: string, from: number, count: number): number | undefined {
  let offset = from;
  for (let passed = 0; passed < count; passed++) {
    const end = text.indexOf('\n', offset);
    if (end < 0) return undefined;
    offset = end + 1;
  }
  return offset;
}

export type Eol = '\n' | '\r\n';

/** Replaces every line end (`\r\n`, `\n`, a lone `\r`, as VS Code counts them) by `eol`. */
export function withEol(text: string, eol: Eol): string {
  return text.replaceAll(/\r\n|\r|\n/g, eol);
}

/** Replaces `[start, end)` of the old text by `text`. Offsets are UTF-16 units. */
interface TextReplacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The smallest single replacement that turns `from` into `to`, without their common start and end. */
export function minimalReplacement(from: string, to: string): TextReplacement | undefined {
  if (from === to) return undefined;
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from.charCodeAt(start) === to.charCodeAt(start)) start++;
  if (isInsidePair(from, start) || isInsidePair(to, start)) start--;
  let common = 0;
  while (
    common < shorter - start &&
    from.charCodeAt(from.length - 1 - common) === to.charCodeAt(to.length - 1 - common)
  )
    common++;
  if (common > 0 && (isInsidePair(from, from.length - common) || isInsidePair(to, to.length - common))) common--;
  return { start, end: from.length - common, text: to.slice(start, to.length - common) };
}

/** The first line that differs in `to`, 1-based; 1 when nothing does. */
export function firstChangedLine(from: string, to: string): number {
  const start = minimalReplacement(from, to)?.start ?? 0;
  return to.slice(0, start).split('\n').length;
}

/** True between the two units of a surrogate pair and between `\r` and `\n`, where no edit may start or end. */
function isInsidePair(text: string, offset: number): boolean {
  if (offset <= 0 || offset >= text.length) return false;
  const before = text.charCodeAt(offset - 1);
  const after = text.charCodeAt(offset);
  if (before === 0x0d) return after === 0x0a;
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

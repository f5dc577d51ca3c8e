/** Lines of a text, 0-based; `end` is not one of them any more. */
export interface Lines {
  readonly start: number;
  readonly end: number;
}

/** Puts code, which ends with its last line, in place of lines of a text; without lines behind the text. Line ends are `\n`. */
export function insertLines(text: string, code: string, at?: Lines): string {
  const lines = text.split('\n');
  const atEnd = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  const { start, end } = at ?? { start: atEnd, end: atEnd };
  const added = code.replace(/\n$/, '').split('\n');
  const next = [...lines.slice(0, start), ...added, ...lines.slice(end)].join('\n');
  return next.endsWith('\n') ? next : `${next}\n`;
}

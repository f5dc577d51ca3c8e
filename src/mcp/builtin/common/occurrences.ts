/** A place in a text, 0-based. */
export interface Occurrence {
  readonly line: number;
  readonly character: number;
}

const WORD = /[\p{L}\p{N}_$]/u;

/** Where a name stands as a whole word; every place of it when it is no word. In order. */
export function occurrences(lines: readonly string[], symbol: string): readonly Occurrence[] {
  if (symbol === '') return [];
  const all = lines.flatMap((text, line) => indexes(text, symbol).map((character) => ({ line, character })));
  const whole = all.filter(({ line, character }) => isWhole(lines[line] ?? '', character, symbol));
  return whole.length > 0 ? whole : all;
}

function indexes(text: string, symbol: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(symbol); at !== -1; at = text.indexOf(symbol, at + symbol.length)) found.push(at);
  return found;
}

function isWhole(text: string, at: number, symbol: string): boolean {
  const before = text[at - 1] ?? '';
  const after = text[at + symbol.length] ?? '';
  const begins = WORD.test(symbol[0] ?? '');
  const ends = WORD.test(symbol.at(-1) ?? '');
  return !(begins && WORD.test(before)) && !(ends && WORD.test(after));
}

import { lineChanges, splitLines } from './lineDiff';

/**
 * `next` with the line ends of `before`. Many agents know only `\n`: lines of a file with one kind of line end get that kind, and in a file
 * with several kinds, or with a lone `\r`, each unchanged line keeps its own. Whether the last line has an end is up to `next`.
 */
export function keepLineEnds(before: string, next: string): string {
  if (!/[\r\n]/.test(before)) return next;
  const sole = soleLineEnd(before);
  if (sole !== undefined) return next.replaceAll(/\r\n|\n/g, sole);
  const [old, lines] = [splitLines(before), splitLines(next)];
  const olds = lineOrigins(old, lines);
  // An agent that returns the ends of all unchanged lines means those of the others, too, unless it may know only `\n`.
  const knowsEnds = next.includes('\r');
  const isExact = lines.every((line, at) => {
    const { isChanged, line: origin = '' } = olds[at] ?? { isChanged: true };
    return isChanged || endOf(origin) === '' || endOf(line) === '' || endOf(origin) === endOf(line);
  });
  if (knowsEnds && isExact) return next;
  let last: string | undefined;
  const kept = lines.map((line, at) => {
    const end = endOf(line);
    if (end === '') return line;
    last = endOf(olds[at]?.line ?? '') || (last ?? end);
    return line.slice(0, -end.length) + last;
  });
  return kept.join('');
}

/** The only kind of line end in a text; undefined for several kinds, for a lone `\r`, and without line ends. */
export function soleLineEnd(text: string): '\n' | '\r\n' | undefined {
  if (/\r(?!\n)/.test(text)) return undefined;
  const hasCrlf = text.includes('\r\n');
  if (/(?<!\r)\n/.test(text)) return hasCrlf ? undefined : '\n';
  return hasCrlf ? '\r\n' : undefined;
}

interface LineOrigin {
  /** With its end; undefined for a line without counterpart. */
  readonly line?: string;
  readonly isChanged: boolean;
}

/** For each line of `lines`, the one of `old` that it is or replaces. Line ends do not count. */
function lineOrigins(old: readonly string[], lines: readonly string[]): LineOrigin[] {
  const origins: LineOrigin[] = [];
  let from = 0;
  const unchanged = (until: number): void => {
    while (from < until) origins.push({ line: old[from++] ?? '', isChanged: false });
  };
  for (const change of lineChanges(old.map(withoutEnd), lines.map(withoutEnd))) {
    unchanged(change.from);
    for (let at = change.to; at < change.toEnd; at++) {
      const line = from < change.fromEnd ? old[from++] : undefined;
      origins.push({ isChanged: true, ...(line !== undefined && { line }) });
    }
    from = change.fromEnd;
  }
  unchanged(old.length);
  return origins;
}

function endOf(line: string): string {
  if (line.endsWith('\r\n')) return '\r\n';
  return line.endsWith('\n') || line.endsWith('\r') ? line.slice(-1) : '';
}

function withoutEnd(line: string): string {
  return line.slice(0, line.length - endOf(line).length);
}

import type { LineChange } from './lineDiff';
import { lineChanges, splitLines } from './lineDiff';

/** Lines `first` to `last`, 1-based and inclusive. For an insertion both name the following line. */
interface LineRange {
  readonly first: number;
  readonly last: number;
}

type MergeResult =
  | { readonly type: 'merged'; readonly text: string }
  /** Conflicting changes, as lines of `mine`. */
  | { readonly type: 'overlap'; readonly lines: readonly LineRange[] };

/**
 * Merges the changes of `mine` (the user's buffer) and `theirs` (the agent's text) since `base` by lines. Changes of the same or adjacent
 * lines conflict unless they are equal. All texts need the same line ends.
 */
export function mergeThreeWay(base: string, mine: string, theirs: string): MergeResult {
  if (mine === theirs || theirs === base) return { type: 'merged', text: mine };
  if (mine === base) return { type: 'merged', text: theirs };
  const lines = { base: splitLines(base), mine: splitLines(mine), theirs: splitLines(theirs) };
  return join(lines, findRegions(lineChanges(lines.base, lines.mine), lineChanges(lines.base, lines.theirs)));
}

interface Lines {
  readonly base: readonly string[];
  readonly mine: readonly string[];
  readonly theirs: readonly string[];
}

interface Region {
  base: number;
  baseEnd: number;
  readonly mine: LineChange[];
  readonly theirs: LineChange[];
}

function findRegions(mine: readonly LineChange[], theirs: readonly LineChange[]): Region[] {
  const all = [
    ...mine.map((change) => ({ side: 'mine' as const, change })),
    ...theirs.map((change) => ({ side: 'theirs' as const, change })),
  ].sort((a, b) => a.change.from - b.change.from || a.change.fromEnd - b.change.fromEnd);
  const found: Region[] = [];
  for (const { side, change } of all) {
    let region = found.at(-1);
    if (!region || change.from > region.baseEnd) {
      region = { base: change.from, baseEnd: change.fromEnd, mine: [], theirs: [] };
      found.push(region);
    }
    region.baseEnd = Math.max(region.baseEnd, change.fromEnd);
    region[side].push(change);
  }
  return found;
}

function join(lines: Lines, found: readonly Region[]): MergeResult {
  const text: string[] = [];
  const overlaps: LineRange[] = [];
  let done = 0;
  let shift = 0;
  for (const region of found) {
    text.push(lines.base.slice(done, region.base).join(''));
    const mine = sideOf(lines.mine, region, region.mine, shift);
    const theirs = sideOf(lines.theirs, region, region.theirs, undefined);
    if (region.theirs.length === 0 || isSame(mine.lines, theirs.lines)) text.push(mine.lines.join(''));
    else if (region.mine.length === 0) text.push(theirs.lines.join(''));
    else overlaps.push({ first: mine.start + 1, last: Math.max(mine.start + 1, mine.start + mine.lines.length) });
    done = region.baseEnd;
    shift = mine.start + mine.lines.length - region.baseEnd;
  }
  if (overlaps.length > 0) return { type: 'overlap', lines: overlaps };
  return { type: 'merged', text: text.join('') + lines.base.slice(done).join('') };
}

/** The region on one side; `shift` is the line offset to the base. */
function sideOf(
  lines: readonly string[],
  region: Region,
  changes: readonly LineChange[],
  shift: number | undefined,
): { start: number; lines: readonly string[] } {
  const first = changes[0];
  const last = changes.at(-1);
  if (!first || !last) {
    const start = region.base + (shift ?? 0);
    return { start, lines: shift === undefined ? [] : lines.slice(start, region.baseEnd + shift) };
  }
  const start = first.to - (first.from - region.base);
  return { start, lines: lines.slice(start, last.toEnd + (region.baseEnd - last.fromEnd)) };
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}

/** "line 3", "lines 3-5 and 9". */
export function formatLineRanges(ranges: readonly LineRange[]): string {
  const parts = ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
  const list = parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
  const isSingle = ranges.length === 1 && ranges[0]?.first === ranges[0]?.last;
  return `${isSingle ? 'line' : 'lines'} ${list}`;
}

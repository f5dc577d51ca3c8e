import { diffArrays } from 'diff/lib/diff/array.js';

/** Lines `first` to `last`, 1-based and inclusive. For an insertion both name the following line. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

export type MergeResult =
  | { readonly type: 'merged'; readonly text: string }
  /** Conflicting changes, as lines of `mine`. */
  | { readonly type: 'overlap'; readonly lines: readonly LineRange[] };

/** Milliseconds, after which both sides count as completely rewritten. */
const DIFF_TIMEOUT = 2000;

/**
 * Merges the changes of `mine` (the user's buffer) and `theirs` (the agent's text) since `base` by lines. Changes of the same or adjacent
 * lines conflict unless they are equal. All texts need the same line ends.
 */
export function mergeThreeWay(base: string, mine: string, theirs: string): MergeResult {
  if (mine === theirs || theirs === base) return { type: 'merged', text: mine };
  if (mine === base) return { type: 'merged', text: theirs };
  const lines = { base: linesOf(base), mine: linesOf(mine), theirs: linesOf(theirs) };
  return join(lines, regions(changesOf(lines.base, lines.mine), changesOf(lines.base, lines.theirs)));
}

interface Lines {
  readonly base: readonly string[];
  readonly mine: readonly string[];
  readonly theirs: readonly string[];
}

/** Lines `[base, baseEnd)` of the base became lines `[side, sideEnd)` of the side. 0-based. */
interface Change {
  readonly base: number;
  readonly baseEnd: number;
  readonly side: number;
  readonly sideEnd: number;
}

interface Region {
  base: number;
  baseEnd: number;
  readonly mine: Change[];
  readonly theirs: Change[];
}

/** Lines with their ends; the last may have none. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

function changesOf(base: readonly string[], side: readonly string[]): Change[] {
  const parts = diffArrays([...base], [...side], { timeout: DIFF_TIMEOUT });
  if (!parts) return [{ base: 0, baseEnd: base.length, side: 0, sideEnd: side.length }];
  const changes: Change[] = [];
  let from: Change | undefined;
  let at = { base: 0, side: 0 };
  for (const part of parts) {
    const length = part.value.length;
    if (!part.added && !part.removed) from = undefined;
    const next = { base: at.base + (part.added ? 0 : length), side: at.side + (part.removed ? 0 : length) };
    if (part.added || part.removed) {
      if (from) changes.pop();
      from = { base: from?.base ?? at.base, side: from?.side ?? at.side, baseEnd: next.base, sideEnd: next.side };
      changes.push(from);
    }
    at = next;
  }
  return changes;
}

function regions(mine: readonly Change[], theirs: readonly Change[]): Region[] {
  const all = [
    ...mine.map((change) => ({ side: 'mine' as const, change })),
    ...theirs.map((change) => ({ side: 'theirs' as const, change })),
  ].sort((a, b) => a.change.base - b.change.base || a.change.baseEnd - b.change.baseEnd);
  const found: Region[] = [];
  for (const { side, change } of all) {
    let region = found.at(-1);
    if (!region || change.base > region.baseEnd) {
      region = { base: change.base, baseEnd: change.baseEnd, mine: [], theirs: [] };
      found.push(region);
    }
    region.baseEnd = Math.max(region.baseEnd, change.baseEnd);
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
    if (region.theirs.length === 0 || same(mine.lines, theirs.lines)) text.push(mine.lines.join(''));
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
  changes: readonly Change[],
  shift: number | undefined,
): { start: number; lines: readonly string[] } {
  const first = changes[0];
  const last = changes.at(-1);
  if (!first || !last) {
    const start = region.base + (shift ?? 0);
    return { start, lines: shift === undefined ? [] : lines.slice(start, region.baseEnd + shift) };
  }
  const start = first.side - (first.base - region.base);
  return { start, lines: lines.slice(start, last.sideEnd + (region.baseEnd - last.baseEnd)) };
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}

/** "line 3", "lines 3-5 and 9". */
export function formatLineRanges(ranges: readonly LineRange[]): string {
  const parts = ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
  const list = parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
  const single = ranges.length === 1 && ranges[0]?.first === ranges[0]?.last;
  return `${single ? 'line' : 'lines'} ${list}`;
}

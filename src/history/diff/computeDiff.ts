import { diffArrays } from 'diff/lib/diff/array.js';
import type { DiffContent, DiffHunk, DiffLine } from '../../shared/state/contentBlocks';
import type { LineChange } from './lineDiff';
import { toLineChanges, wholeChange } from './lineDiff';
import { patienceDiff } from './patienceDiff';

type ComputedDiff = Pick<DiffContent, 'added' | 'removed' | 'hunks' | 'coarse' | 'omitted'>;

/** Lines shown in a card; more are counted in `omitted`. */
const MAX_LINES = 1_000;
/** Longer lines get no word marks. */
const MAX_MARKED_LINE = 1_000;
/** Letters of other scripts are words of their own. */
const WORD = /[\p{Script=Latin}\p{Nd}_]+|\s+|./gu;
/** Changed words of a line; one with more gets no marks: each pair of lines would take a tenth of a second. */
const MAX_MARKED_WORDS = 40;
/** jsdiff is quadratic in the number of differences; beyond this, unique lines serve as anchors. */
const MAX_EDITS = 200;
/** Lines of both texts: longer ones with more changes are shown as one change, since the search for anchors would take seconds. */
const MAX_ANCHORED_LINES = 60_000;
/** See {@link patienceDiff}: a fifth of a second. */
const MAX_WORK = 2_000_000;
/** Context lines around a change. */
const CONTEXT_LINES = 3;

/** Compares two texts by lines, and marks changed words. */
export function computeDiff(oldText: string, newText: string): ComputedDiff {
  const [before, after] = [linesIn(oldText), linesIn(newText)];
  const parts = diffArrays(before, after, { maxEditLength: MAX_EDITS });
  const { edits, isCoarse } = parts
    ? { edits: toLineChanges(parts, 0, 0), isCoarse: false }
    : manyChanges(before, after);
  const totals = {
    added: edits.reduce((sum, { to, toEnd }) => sum + toEnd - to, 0),
    removed: edits.reduce((sum, { from, fromEnd }) => sum + fromEnd - from, 0),
  };
  const { shown, omitted } = limitedHunks(groupsOf(edits), before, after);
  // Word diffs cost more than line diffs, so only shown lines get them.
  const marked = shown.map(({ oldStart, newStart, lines }) => ({ oldStart, newStart, lines: markChangedWords(lines) }));
  return { ...totals, hunks: marked, ...(omitted > 0 && { omitted }), ...(isCoarse && { coarse: true }) };
}

/** Lines with their ends: the last may have none. */
function linesIn(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function manyChanges(before: readonly string[], after: readonly string[]): ReturnType<typeof patienceDiff> {
  if (before.length + after.length <= MAX_ANCHORED_LINES) return patienceDiff(before, after, MAX_WORK);
  return { edits: [wholeChange(before, after)], isCoarse: true };
}

/** Edits whose context touches are in one group. */
function groupsOf(edits: readonly LineChange[]): LineChange[][] {
  const groups: LineChange[][] = [];
  for (const edit of edits) {
    const last = groups.at(-1);
    const gap = edit.from - (last?.at(-1)?.fromEnd ?? -Infinity);
    if (last && gap <= CONTEXT_LINES * 2) last.push(edit);
    else groups.push([edit]);
  }
  return groups;
}

/** The first lines of the hunks, and the number of the other lines. */
function limitedHunks(
  groups: readonly (readonly LineChange[])[],
  before: readonly string[],
  after: readonly string[],
): { readonly shown: readonly DiffHunk[]; readonly omitted: number } {
  let omitted = 0;
  let remaining = MAX_LINES;
  const shown: DiffHunk[] = [];
  for (const group of groups) {
    const { hunk, length } = hunkOf(group, before, after, remaining);
    omitted += length - hunk.lines.length;
    remaining -= hunk.lines.length;
    if (hunk.lines.length > 0) shown.push(hunk);
  }
  return { shown, omitted };
}

/**
 * A group of close edits with context.
 * @param maxLines the number of its lines in the result; `length` counts all
 */
function hunkOf(
  group: readonly LineChange[],
  before: readonly string[],
  after: readonly string[],
  maxLines: number,
): { readonly hunk: DiffHunk; readonly length: number } {
  const lines: DiffLine[] = [];
  let length = 0;
  const add = (type: DiffLine['type'], source: readonly string[], from: number, end: number): void => {
    length += end - from;
    for (const line of source.slice(from, Math.min(end, from + maxLines - lines.length)))
      lines.push({ type, text: line.replace(/\r?\n$/, '') });
  };
  const start = Math.max(0, (group[0]?.from ?? 0) - CONTEXT_LINES);
  let at = start;
  for (const { from, fromEnd, to, toEnd } of group) {
    add('same', before, at, from);
    add('removed', before, from, fromEnd);
    add('added', after, to, toEnd);
    at = fromEnd;
  }
  add('same', before, at, Math.min(before.length, at + CONTEXT_LINES));
  const shift = (group[0]?.to ?? 0) - (group[0]?.from ?? 0);
  return { hunk: { oldStart: start + 1, newStart: start + shift + 1, lines }, length };
}

/** Marks changed words where removed lines are followed by as many added ones. */
function markChangedWords(lines: readonly DiffLine[]): DiffLine[] {
  const marked = [...lines];
  for (let start = 0; start < marked.length; start++) {
    if (marked[start]?.type !== 'removed') continue;
    const removed = runLength(marked, start, 'removed');
    const added = runLength(marked, start + removed, 'added');
    const pairs = removed === added ? removed : 0;
    for (let pair = 0; pair < pairs; pair++) markPair(marked, start + pair, start + removed + pair);
    start += removed + added - 1;
  }
  return marked;
}

function runLength(lines: readonly DiffLine[], start: number, type: DiffLine['type']): number {
  let end = start;
  while (lines[end]?.type === type) end++;
  return end - start;
}

function markPair(lines: DiffLine[], removedAt: number, addedAt: number): void {
  const removed = lines[removedAt];
  const added = lines[addedAt];
  if (!removed || !added || Math.max(removed.text.length, added.text.length) > MAX_MARKED_LINE) return;
  const parts = diffArrays(wordsOf(removed.text), wordsOf(added.text), { maxEditLength: MAX_MARKED_WORDS });
  if (!parts) return;
  const words = parts.map((part) => ({ length: part.value.join('').length, added: part.added, removed: part.removed }));
  const same = words.reduce((sum, word) => sum + (word.added || word.removed ? 0 : word.length), 0);
  // Lines with little in common are a replacement: marking nearly everything is useless.
  if (same * 3 < Math.min(removed.text.length, added.text.length)) return;
  lines[removedAt] = {
    ...removed,
    marks: changedRanges(
      words.filter((word) => !word.added),
      'removed',
    ),
  };
  lines[addedAt] = {
    ...added,
    marks: changedRanges(
      words.filter((word) => !word.removed),
      'added',
    ),
  };
}

function changedRanges(
  words: readonly { length: number; added: boolean; removed: boolean }[],
  changed: 'added' | 'removed',
): (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  let at = 0;
  for (const word of words) {
    if (word[changed]) found.push([at, at + word.length]);
    at += word.length;
  }
  return found;
}

function wordsOf(text: string): string[] {
  return text.match(WORD) ?? [];
}

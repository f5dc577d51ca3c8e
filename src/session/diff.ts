import { diffWordsWithSpace } from 'diff/lib/diff/word.js';
import { structuredPatch } from 'diff/lib/patch/create.js';
import type { DiffContent, DiffHunk, DiffLine } from '../shared/content';

/** The part of a {@link DiffContent} that is computed from the two texts. */
export type ComputedDiff = Pick<DiffContent, 'added' | 'removed' | 'hunks' | 'coarse' | 'omitted'>;

/** Lines shown in a card; more are counted in `omitted`. */
const MAX_LINES = 1_000;
/** A line longer than this gets no word marks. */
const MAX_MARKED_LINE = 1_000;
/** jsdiff is quadratic in the number of differences: give up on a total rewrite (measured 0.9 s for 3,000 lines). */
const MAX_EDITS = 2_000;
const TIMEOUT_MS = 250;

/** Compares two texts line by line, with marks on the words that changed. Pure but for its time limit. */
export function computeDiff(oldText: string, newText: string): ComputedDiff {
  const patch = structuredPatch('', '', oldText, newText, undefined, undefined, {
    context: 3,
    maxEditLength: MAX_EDITS,
    timeout: TIMEOUT_MS,
  });
  const hunks = patch ? patch.hunks.map(toHunk) : [replacement(oldText, newText)];
  const count = (type: DiffLine['type']): number =>
    hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.type === type).length, 0);
  const totals = { added: count('added'), removed: count('removed') };
  return { ...totals, ...limited(hunks), ...(!patch && { coarse: true }) };
}

function toHunk(hunk: { oldStart: number; newStart: number; lines: string[] }): DiffHunk {
  const lines = hunk.lines.filter((line) => !line.startsWith('\\')).map(toLine);
  return { oldStart: hunk.oldStart, newStart: hunk.newStart, lines: withMarks(lines) };
}

function toLine(line: string): DiffLine {
  const text = line.slice(1).replace(/\r$/, '');
  if (line.startsWith('+')) return { type: 'added', text };
  return { type: line.startsWith('-') ? 'removed' : 'same', text };
}

/** The whole text replaced: what is shown when the comparison was given up. */
function replacement(oldText: string, newText: string): DiffHunk {
  const lines: DiffLine[] = [
    ...splitLines(oldText).map((text) => ({ type: 'removed' as const, text })),
    ...splitLines(newText).map((text) => ({ type: 'added' as const, text })),
  ];
  return { oldStart: 1, newStart: 1, lines };
}

function splitLines(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

function limited(hunks: readonly DiffHunk[]): Pick<DiffContent, 'hunks' | 'omitted'> {
  let room = MAX_LINES;
  let omitted = 0;
  const kept: DiffHunk[] = [];
  for (const hunk of hunks) {
    const lines = hunk.lines.slice(0, room);
    omitted += hunk.lines.length - lines.length;
    room -= lines.length;
    if (lines.length > 0) kept.push({ ...hunk, lines });
  }
  return { hunks: kept, ...(omitted > 0 && { omitted }) };
}

/** Marks changed words where a run of removed lines is followed by as many added ones. */
function withMarks(lines: readonly DiffLine[]): DiffLine[] {
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
  const words = diffWordsWithSpace(removed.text, added.text);
  const same = words.reduce((sum, word) => sum + (word.added || word.removed ? 0 : word.value.length), 0);
  // Two lines with little in common are a replacement: marking nearly everything says nothing.
  if (same * 3 < Math.min(removed.text.length, added.text.length)) return;
  lines[removedAt] = {
    ...removed,
    marks: ranges(
      words.filter((word) => !word.added),
      'removed',
    ),
  };
  lines[addedAt] = {
    ...added,
    marks: ranges(
      words.filter((word) => !word.removed),
      'added',
    ),
  };
}

function ranges(
  words: readonly { value: string; added?: boolean; removed?: boolean }[],
  changed: 'added' | 'removed',
): (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  let at = 0;
  for (const word of words) {
    if (word[changed]) found.push([at, at + word.value.length]);
    at += word.value.length;
  }
  return found;
}

import { createHash } from 'node:crypto';
import type { LineChange } from '../../history/diff/lineDiff';
import { applyChanges, hasLineEnds, lineChanges } from '../../history/diff/lineDiff';
import type { ConflictReason } from '../../shared/state/reviewState';
import type { FileAttribution } from './fileAttribution';
import {
  carryLines,
  isBinary,
  isUnchangedFile,
  linesOf,
  targetLines,
  textOf,
  unchangedFile,
  withLines,
} from './fileAttribution';

/** The agent's changes in one file as hunks, and what Keep and Undo make of the file. Pure. */

/** Lines `[start, start + lines)`, 0-based. */
interface LineSpan {
  readonly start: number;
  readonly lines: number;
}

/** A difference between baseline and current text. */
export interface Hunk {
  /** Stable while the texts of both sides are unchanged. */
  readonly id: string;
  /** In the baseline text. */
  readonly before: LineSpan;
  /** In the editor's buffer if it is open, else on disk. */
  readonly after: LineSpan;
  /** The user changed lines of the hunk too: a button can keep the hunk, but not undo it. */
  readonly conflict?: true;
}

/** Empty for a binary file. A created or deleted text file is one hunk. */
export function hunksOf(attribution: FileAttribution): Hunk[] {
  if (isBinary(attribution) || isUnchangedFile(attribution)) return [];
  const base = linesOf(attribution.base);
  const text = linesOf(attribution.text);
  const seen = new Map<string, number>();
  const own = new Set(attribution.userLines);
  return wholeOr(attribution, base, text).map((change) => {
    const { from, fromEnd, to, toEnd } = change;
    const digest = hash(base.slice(from, fromEnd).join(''), text.slice(to, toEnd).join(''));
    const count = seen.get(digest) ?? 0;
    seen.set(digest, count + 1);
    const isConflict = attribution.isReplacedByUser || targetLines(change).some((line) => own.has(line));
    const before = { start: from, lines: fromEnd - from };
    const after = { start: to, lines: toEnd - to };
    const hunk: Hunk = { id: count === 0 ? digest : `${digest}.${count}`, before, after };
    return isConflict ? Object.assign(hunk, { conflict: isConflict }) : hunk;
  });
}

function wholeOr(attribution: FileAttribution, base: readonly string[], text: readonly string[]): LineChange[] {
  if (attribution.base && attribution.text) return lineChanges(base, text);
  return [{ from: 0, fromEnd: base.length, to: 0, toEnd: text.length }];
}

function hash(before: string, after: string): string {
  return createHash('sha256').update(`${before.length}:`).update(before).update(after).digest('hex').slice(0, 16);
}

/** Why the whole file cannot be undone. */
export function conflictOf(attribution: FileAttribution): ConflictReason | undefined {
  return attribution.isReplacedByUser || hunksOf(attribution).some(({ conflict }) => conflict) ? 'edited' : undefined;
}

/** Moves a hunk into the baseline; undefined for an unknown id. */
export function keepHunk(attribution: FileAttribution, id: string): FileAttribution | undefined {
  const hunk = hunksOf(attribution).find((each) => each.id === id);
  return hunk && keepHunks(attribution, [hunk]);
}

/** Moves some hunks into the baseline. */
export function keepHunks(attribution: FileAttribution, hunks: readonly Hunk[]): FileAttribution {
  const { base, text } = attribution;
  if (!base || !text) return unchangedFile(text);
  const lines = applyChanges(linesOf(base), hunks.map(changeOf), linesOf(text));
  const kept = withLines(base, lines);
  if (textOf(kept) === textOf(text) || !hasLineEnds(lines)) return unchangedFile(text);
  return { ...attribution, base: kept };
}

/** The text without a hunk; `conflict` when it contains user lines, undefined for an unknown id. */
export function undoHunk(attribution: FileAttribution, id: string): FileAttribution | 'conflict' | undefined {
  const hunk = hunksOf(attribution).find((each) => each.id === id);
  if (!hunk) return undefined;
  if (hunk.conflict) return 'conflict';
  const { base, text } = attribution;
  if (!base || !text) return unchangedFile(base);
  const lines = applyChanges(linesOf(text), [reverseOf(hunk)], linesOf(base));
  if (!hasLineEnds(lines)) return 'conflict';
  const next = withLines(text, lines);
  if (textOf(next) === textOf(base)) return unchangedFile(base);
  return { ...attribution, text: next, userLines: carryLines(attribution, next).userLines };
}

function changeOf({ before, after }: Hunk): LineChange {
  return {
    from: before.start,
    fromEnd: before.start + before.lines,
    to: after.start,
    toEnd: after.start + after.lines,
  };
}

/** Whether two hunks, of attributions of the same text, overlap. Removed lines belong to what is above and below them. */
export function overlaps({ after: a }: Hunk, { after: b }: Hunk): boolean {
  const [start, end] = [Math.max(a.start, b.start), Math.min(a.start + a.lines, b.start + b.lines)];
  return a.lines > 0 && b.lines > 0 ? start < end : start <= end;
}

/**
 * Undoes all hunks without user lines. `complete` is false when some remain.
 * @param within limits to hunks that overlap this one
 */
export function undoAll(
  attribution: FileAttribution,
  within?: Hunk,
): {
  readonly attribution: FileAttribution;
  readonly isComplete: boolean;
} {
  if (attribution.isReplacedByUser) return { attribution, isComplete: false };
  // In one step: among equal lines, the remaining hunks may be cut differently after each undo.
  if (isBinary(attribution) || (!within && conflictOf(attribution) === undefined))
    return { attribution: unchangedFile(attribution.base), isComplete: true };
  const { base, text, userLines } = attribution;
  const hunks = hunksOf(attribution).filter((hunk) => !within || overlaps(hunk, within));
  const isComplete = within !== undefined && !hunks.some(({ conflict }) => conflict);
  if (!base || !text)
    return isComplete ? { attribution: unchangedFile(base), isComplete } : { attribution, isComplete };
  const changes = hunks.filter(({ conflict }) => !conflict).map(reverseOf);
  const undo = (undone: readonly LineChange[]): string[] => applyChanges(linesOf(text), undone, linesOf(base));
  // Only the last change can join two lines: the last line of a text may have no end.
  const undone = hasLineEnds(undo(changes)) ? changes : changes.slice(0, -1);
  const next = withLines(text, undo(undone), base);
  if (next.bytes === base.bytes) return { attribution: unchangedFile(base), isComplete: true };
  const carried = { ...attribution, text: next, userLines: shiftLines(userLines, undone) };
  return { attribution: carried, isComplete: isComplete && undone.length === changes.length };
}

function reverseOf(hunk: Hunk): LineChange {
  const { from, fromEnd, to, toEnd } = changeOf(hunk);
  return { from: to, fromEnd: toEnd, to: from, toEnd: fromEnd };
}

/** New positions of lines outside the changed ranges. Both are in order. */
function shiftLines(lines: readonly number[], changes: readonly LineChange[]): number[] {
  let [at, shift] = [0, 0];
  return lines.map((line) => {
    for (let change = changes[at]; change && change.fromEnd <= line; change = changes[++at])
      shift += change.toEnd - change.to - (change.fromEnd - change.from);
    return line + shift;
  });
}

/** Whether the text has lines that the agent wrote. False for a binary file. */
export function hasAgentLines(attribution: FileAttribution): boolean {
  const own = new Set(attribution.userLines);
  return hunksOf(attribution).some(({ after: { start, lines } }) =>
    Array.from({ length: lines }, (_, at) => start + at).some((line) => !own.has(line)),
  );
}

export function lineCounts(attribution: FileAttribution): { readonly added: number; readonly removed: number } {
  const hunks = hunksOf(attribution);
  return {
    added: hunks.reduce((sum, { after }) => sum + after.lines, 0),
    removed: hunks.reduce((sum, { before }) => sum + before.lines, 0),
  };
}

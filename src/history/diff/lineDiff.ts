import { diffArrays } from 'diff/lib/diff/array.js';

/** Lines `[from, fromEnd)` of one text became lines `[to, toEnd)` of another. 0-based. */
export interface LineChange {
  readonly from: number;
  readonly fromEnd: number;
  readonly to: number;
  readonly toEnd: number;
}

/**
 * jsdiff is quadratic in the number of differences: beyond this, which takes a second, the whole middle is one change. Not limited by a
 * clock: the same texts have the same changes, however busy the machine is.
 */
const MAX_EDITS = 3_000;

/** Lines with their ends as in VS Code: `\r\n`, `\n` and a lone `\r`. The last may have none. */
export function splitLines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
}

/** The smallest set of changes within the limits, in order, none adjacent. */
export function lineChanges(from: readonly string[], to: readonly string[]): LineChange[] {
  const whole = wholeChange(from, to);
  const middle = { from: from.slice(whole.from, whole.fromEnd), to: to.slice(whole.to, whole.toEnd) };
  if (middle.from.length + middle.to.length === 0) return [];
  if (middle.from.length === 0 || middle.to.length === 0) return [whole];
  const parts = diffArrays(middle.from, middle.to, { maxEditLength: MAX_EDITS });
  return parts ? toLineChanges(parts, whole.from, whole.to) : [whole];
}

/** All lines between those that the start and the end have in common. */
export function wholeChange(from: readonly string[], to: readonly string[]): LineChange {
  const start = commonStart(from, to);
  const end = commonEnd(from, to, start);
  return { from: start, fromEnd: from.length - end, to: start, toEnd: to.length - end };
}

/**
 * The changes in a result of jsdiff, in order, none adjacent.
 * @param from the line at which the compared part of the first text starts; `to`: that of the second
 */
export function toLineChanges(
  parts: readonly { readonly added: boolean; readonly removed: boolean; readonly count: number }[],
  from: number,
  to: number,
): LineChange[] {
  const changes: LineChange[] = [];
  let at = { from, to };
  let open: LineChange | undefined;
  for (const { added, removed, count } of parts) {
    const next = { from: at.from + (added ? 0 : count), to: at.to + (removed ? 0 : count) };
    if (added || removed) {
      if (open) changes.pop();
      open = { from: open?.from ?? at.from, fromEnd: next.from, to: open?.to ?? at.to, toEnd: next.to };
      changes.push(open);
    } else open = undefined;
    at = next;
  }
  return changes;
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const shorter = Math.min(a.length, b.length);
  let count = 0;
  while (count < shorter && a[count] === b[count]) count++;
  return count;
}

function commonEnd(a: readonly string[], b: readonly string[], start: number): number {
  const shorter = Math.min(a.length, b.length) - start;
  let count = 0;
  while (count < shorter && a[a.length - 1 - count] === b[b.length - 1 - count]) count++;
  return count;
}

/** Applies changes: each replaces its range by lines of `source`. */
export function applyChanges(
  lines: readonly string[],
  changes: readonly LineChange[],
  source: readonly string[],
): string[] {
  const result: string[] = [];
  let done = 0;
  for (const { from, fromEnd, to, toEnd } of changes) {
    for (let at = done; at < from; at++) result.push(lines[at] ?? '');
    for (let at = to; at < toEnd; at++) result.push(source[at] ?? '');
    done = fromEnd;
  }
  for (let at = done; at < lines.length; at++) result.push(lines[at] ?? '');
  return result;
}

/** False if a line other than the last has no line end: joined with the next, both would become one line. */
export function hasLineEnds(lines: readonly string[]): boolean {
  return lines.every((line, at) => at === lines.length - 1 || /[\r\n]$/.test(line));
}

interface RebaseResult {
  /** The target with all applied changes. */
  readonly lines: readonly string[];
  /** Changes whose lines differ in the target. */
  readonly refused: readonly LineChange[];
}

/** Applies the changes from `from` to `to` to another version of `from`, where its lines are the same. */
export function rebaseChanges(target: readonly string[], from: readonly string[], to: readonly string[]): RebaseResult {
  const differences = lineChanges(target, from);
  const accepted: LineChange[] = [];
  const refused: LineChange[] = [];
  let lines = target;
  for (const change of lineChanges(from, to)) {
    const moved = moveToTarget(change, differences);
    const next = moved && applyChanges(target, [...accepted, moved], to);
    if (moved && next && hasLineEnds(next)) {
      accepted.push(moved);
      lines = next;
    } else refused.push(change);
  }
  return { lines, refused };
}

/** The position of a change in the target; undefined when it overlaps a difference of the two. */
function moveToTarget(change: LineChange, differences: readonly LineChange[]): LineChange | undefined {
  let shift = 0;
  for (const other of differences) {
    if (change.from < other.toEnd && other.to < change.fromEnd) return undefined;
    if (other.toEnd <= change.from) shift = other.fromEnd - other.toEnd;
  }
  return { ...change, from: change.from + shift, fromEnd: change.fromEnd + shift };
}

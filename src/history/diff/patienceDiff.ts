import { diffArrays } from 'diff/lib/diff/array.js';
import type { LineChange } from './lineDiff';
import { toLineChanges } from './lineDiff';

interface LineEdits {
  /** In order, none adjacent. */
  readonly edits: readonly LineChange[];
  /** Part of the texts was not compared line by line. */
  readonly isCoarse: boolean;
}

/** Differences between two anchors that are searched individually. */
const MAX_BETWEEN = 200;
/** Recursion depth of the search for anchors. */
const MAX_ANCHOR_DEPTH = 8;

/**
 * Patience diff for long texts with many differences: lines that are unique in both texts are anchors, and only ranges between them are
 * compared in full. Takes n log n, where a shortest edit list takes the square of its length.
 * @param maxWork squares of the differences between anchors, in total; the remaining ranges become replacements. Not a clock: the same texts
 * have the same changes, however busy the machine is.
 */
export function patienceDiff(before: readonly string[], after: readonly string[], maxWork: number): LineEdits {
  const comparison = new Comparison(before, after, maxWork);
  comparison.compare({ from: 0, fromEnd: before.length, to: 0, toEnd: after.length }, 0);
  return comparison;
}

class Comparison implements LineEdits {
  readonly edits: LineChange[] = [];
  isCoarse = false;

  #remainingWork: number;

  constructor(
    private readonly before: readonly string[],
    private readonly after: readonly string[],
    maxWork: number,
  ) {
    this.#remainingWork = maxWork;
  }

  compare(whole: LineChange, depth: number): void {
    const part = this.#trim(whole);
    if (part.from === part.fromEnd || part.to === part.toEnd) {
      if (part.from < part.fromEnd || part.to < part.toEnd) this.edits.push(part);
      return;
    }
    const old = onlyOnes(this.before, part.from, part.fromEnd);
    const next = onlyOnes(this.after, part.to, part.toEnd);
    const shared = Array.from(old.keys()).filter((line) => next.has(line));
    const anchors = depth < MAX_ANCHOR_DEPTH ? anchorsOf(shared, old, next) : [];
    if (shared.length === 0) {
      // Nothing in common: a replacement.
      this.edits.push(part);
      return;
    }
    if (anchors.length === 0) {
      this.#inFull(part);
      return;
    }
    let { from, to } = part;
    for (const [fromEnd, toEnd] of anchors) {
      this.compare({ from, fromEnd, to, toEnd }, depth + 1);
      [from, to] = [fromEnd + 1, toEnd + 1];
    }
    this.compare({ from, fromEnd: part.fromEnd, to, toEnd: part.toEnd }, depth + 1);
  }

  /** Without common prefix and suffix. */
  #trim({ from, fromEnd, to, toEnd }: LineChange): LineChange {
    const [before, after] = [this.before, this.after];
    while (from < fromEnd && to < toEnd && before[from] === after[to]) [from, to] = [from + 1, to + 1];
    while (from < fromEnd && to < toEnd && before[fromEnd - 1] === after[toEnd - 1])
      [fromEnd, toEnd] = [fromEnd - 1, toEnd - 1];
    return { from, fromEnd, to, toEnd };
  }

  #inFull(part: LineChange): void {
    const old = this.before.slice(part.from, part.fromEnd);
    const next = this.after.slice(part.to, part.toEnd);
    const maxEditLength = Math.min(MAX_BETWEEN, Math.floor(Math.sqrt(this.#remainingWork)));
    const changes = maxEditLength > 0 ? diffArrays(old, next, { maxEditLength }) : undefined;
    const edits = changes?.reduce((sum, { added, removed, count }) => sum + (added || removed ? count : 0), 0);
    this.#remainingWork -= (edits ?? maxEditLength) ** 2;
    if (!changes) {
      this.isCoarse = true;
      this.edits.push(part);
      return;
    }
    this.edits.push(...toLineChanges(changes, part.from, part.to));
  }
}

/** Index of each unique line; -1 for a repeated one. */
function onlyOnes(lines: readonly string[], from: number, to: number): Map<string, number> {
  const found = new Map<string, number>();
  for (let at = from; at < to; at++) {
    const line = lines[at] ?? '';
    found.set(line, found.has(line) ? -1 : at);
  }
  return found;
}

type Pair = readonly [old: number, next: number];

/** The longest ordered sequence of lines that are unique in both texts. */
function anchorsOf(
  shared: readonly string[],
  old: ReadonlyMap<string, number>,
  next: ReadonlyMap<string, number>,
): Pair[] {
  const pairs = shared.map((line): Pair => [old.get(line) ?? -1, next.get(line) ?? -1]);
  return longestRisingPairs(pairs.filter(([at, to]) => at >= 0 && to >= 0).toSorted(([a], [b]) => a - b));
}

/** The longest increasing subsequence by the second item; pairs are sorted by the first. */
function longestRisingPairs(pairs: readonly Pair[]): Pair[] {
  /** The last pair with the lowest end, per length. */
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [at, [, second]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.[1] ?? 0) < second) low = middle + 1;
      else high = middle;
    }
    previous[at] = low > 0 ? (ends[low - 1] ?? -1) : -1;
    ends[low] = at;
  }
  const longest: Pair[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) {
    const pair = pairs[at];
    if (pair) longest.push(pair);
  }
  return longest.toReversed();
}

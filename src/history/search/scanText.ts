import { foldCase } from '../../base/text';
import { parseSearchEntry, textStart } from './searchIndexFile';
import type { SearchEntry } from './searchIndexFile';
import type { TimeSlicer } from './timeSlicer';

/** A line of an entry in which words were found. */
export interface LineMatch {
  /** Index in the transcript. */
  readonly entry: number;
  readonly kind: string;
  /** The line, cut so that the first word is in it. */
  readonly line: string;
}

/** UTF-16 units of a line that are shown, and of what stands before the word. */
const SHOWN = 160;
const BEFORE = 48;

/** A stretch of a body: whole lines, few enough to look through in one go. */
export interface TextSlice {
  readonly text: string;
  readonly folded: string;
}

export function pieceOf(text: string): TextSlice {
  return { text, folded: foldCase(text) };
}

export interface LineMatches {
  readonly hits: readonly LineMatch[];
  /** False: there are more than were wanted. */
  readonly isAll: boolean;
}

/** The same as {@link scan} for a whole body, piece by piece. */
export async function scanBody(
  pieces: Iterable<TextSlice>,
  words: readonly string[],
  most: number,
  slices: TimeSlicer,
): Promise<LineMatches> {
  const hits: LineMatch[] = [];
  for (const piece of pieces) {
    const found = scan(piece, words, most - hits.length);
    hits.push(...found.hits);
    if (!found.isAll) return { hits, isAll: false };
    // One piece after the other: when enough is found, the rest is not looked at.
    // oxlint-disable-next-line no-await-in-loop
    if (slices.isDue) await slices.pause();
  }
  return { hits, isAll: true };
}

/**
 * The entries of a piece that hold every word, in their order.
 * @param words folded, at least one;
 * @param most hits that are wanted
 */
export function scan({ text: body, folded }: TextSlice, words: readonly string[], most: number): LineMatches {
  const [rarest = '', ...others] = words.toSorted((a, b) => b.length - a.length);
  const hits: LineMatch[] = [];
  for (let at = folded.indexOf(rarest); at >= 0;) {
    const start = folded.lastIndexOf('\n', at) + 1;
    const lineEnd = folded.indexOf('\n', at);
    // The last line of a file that was cut off has no end.
    const end = lineEnd < 0 ? folded.length : lineEnd;
    const text = textStart(folded, start);
    if (at < text) {
      // In the number or the kind of the entry.
      at = folded.indexOf(rarest, text);
      continue;
    }
    if (others.every((word) => isBetween(folded, word, text, end))) {
      if (hits.length === most) return { hits, isAll: false };
      hits.push(bestMatch(parseSearchEntry(body.slice(start, end)), words));
    }
    at = folded.indexOf(rarest, end);
  }
  return { hits, isAll: true };
}

function isBetween(text: string, word: string, from: number, to: number): boolean {
  const at = text.indexOf(word, from);
  return at >= 0 && at + word.length <= to;
}

/** The first line with a word in it: where there is one with all of them, that. */
export function bestMatch({ entry, kind, text }: SearchEntry, words: readonly string[]): LineMatch {
  const lines = text.split('\n');
  const count = (line: string): number => words.filter((word) => foldCase(line).includes(word)).length;
  let best = '';
  let most = 0;
  for (const line of lines) {
    const found = count(line);
    if (found <= most) continue;
    best = line;
    most = found;
    if (found === words.length) break;
  }
  return { entry, kind, line: around(best, words) };
}

function around(line: string, words: readonly string[]): string {
  const folded = foldCase(line);
  const places = words.map((word) => folded.indexOf(word)).filter((at) => at >= 0);
  const first = Math.min(...places, line.length);
  const start = line.length <= SHOWN || first <= BEFORE ? 0 : first - BEFORE;
  const shown = line.slice(start, start + SHOWN);
  return `${start > 0 ? '…' : ''}${shown.trim()}${start + SHOWN < line.length ? '…' : ''}`;
}

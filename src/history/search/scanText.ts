import { foldCaseKeepingLength } from '../../base/text';
import { parseSearchEntry, textStart } from './searchIndexFile';
import type { SearchEntry } from './searchIndexFile';
import type { TimeSlicer } from './timeSlicer';

export interface LineMatch {
  /** Index in the transcript. */
  readonly entry: number;
  readonly kind: string;
  /** Truncated so that it shows the first word. */
  readonly line: string;
}

/** UTF-16 units shown of a line, and before the match. */
const EXCERPT_CHARS = 160;
const EXCERPT_LEAD_CHARS = 48;

/** A chunk of whole lines, small enough to scan without a pause. */
export interface TextChunk {
  readonly text: string;
  readonly folded: string;
}

export function toChunk(text: string): TextChunk {
  return { text, folded: foldCaseKeepingLength(text) };
}

export interface LineMatches {
  readonly hits: readonly LineMatch[];
  /** False if there are more matches than requested. */
  readonly isAll: boolean;
}

/** Runs {@link scan} for all chunks of a body. */
export async function scanBody(
  chunks: Iterable<TextChunk>,
  words: readonly string[],
  most: number,
  slices: TimeSlicer,
): Promise<LineMatches> {
  const hits: LineMatch[] = [];
  for (const chunk of chunks) {
    const found = scan(chunk, words, most - hits.length);
    hits.push(...found.hits);
    if (!found.isAll) return { hits, isAll: false };
    // One chunk after the other: the rest is not read once there are enough hits.
    if (slices.isDue) await slices.pause();
  }
  return { hits, isAll: true };
}

/**
 * The entries of a chunk that contain every word, in order.
 * @param words folded, at least one
 * @param most number of hits
 */
export function scan({ text: body, folded }: TextChunk, words: readonly string[], most: number): LineMatches {
  const [rarest = '', ...others] = words.toSorted((a, b) => b.length - a.length);
  const hits: LineMatch[] = [];
  for (let at = folded.indexOf(rarest); at >= 0;) {
    const start = folded.lastIndexOf('\n', at) + 1;
    const lineEnd = folded.indexOf('\n', at);
    // A truncated file may end without a line end.
    const end = lineEnd < 0 ? folded.length : lineEnd;
    const text = textStart(folded, start);
    if (at < text) {
      // The word is in the number or the kind of the entry, not in its text.
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

/** The first line with all words, else with one. */
function bestMatch({ entry, kind, text }: SearchEntry, words: readonly string[]): LineMatch {
  const lines = text.split('\n');
  const count = (line: string): number => words.filter((word) => foldCaseKeepingLength(line).includes(word)).length;
  let best = '';
  let most = 0;
  for (const line of lines) {
    const found = count(line);
    if (found <= most) continue;
    best = line;
    most = found;
    if (found === words.length) break;
  }
  return { entry, kind, line: excerptAround(best, words) };
}

function excerptAround(line: string, words: readonly string[]): string {
  const folded = foldCaseKeepingLength(line);
  const positions = words.map((word) => folded.indexOf(word)).filter((at) => at >= 0);
  const first = Math.min(...positions, line.length);
  const start = line.length <= EXCERPT_CHARS || first <= EXCERPT_LEAD_CHARS ? 0 : first - EXCERPT_LEAD_CHARS;
  const shown = line.slice(start, start + EXCERPT_CHARS);
  return `${start > 0 ? '…' : ''}${shown.trim()}${start + EXCERPT_CHARS < line.length ? '…' : ''}`;
}

import { entriesFrom } from '../../../shared/state/entryPages';
import type { Entry, EntryPages } from '../../../shared/state/sessionState';

/** Height of a mark, and minimum distance between two marks, in pixels: smaller targets are hard to hit (WCAG 2.2, 2.5.8). */
export const MARK_HEIGHT_PX = 24;

/** Units of text in one line of the page. */
const LINE_CHARS = 90;
/** Lines of a message of the user that are shown at most; longer ones are collapsed. */
const MAX_USER_LINES = 12;

/** A message of the user, and the share of the transcript above it. */
interface MessagePlace {
  /** Index of the entry. */
  readonly entry: number;
  readonly share: number;
}

/** A mark on the rail, for one message or for several that are close together. */
export interface MessageMark {
  /** Pixels from the top of the rail. */
  readonly top: number;
  /** Indexes of the entries, never empty. */
  readonly entries: readonly [first: number, ...others: number[]];
}

/** Places are estimated from the length of texts: measuring would lay out the whole conversation. */
export function placesOfMessages(entries: EntryPages): readonly MessagePlace[] {
  const found: { readonly entry: number; readonly above: number }[] = [];
  let lines = 0;
  for (const [index, entry] of entriesFrom(entries)) {
    if (entry.kind === 'user') found.push({ entry: index, above: lines });
    lines += linesOf(entry);
  }
  return found.map(({ entry, above }) => ({ entry, share: above / lines }));
}

/** Messages whose marks would overlap share one. */
export function marksOf(places: readonly MessagePlace[], height: number): readonly MessageMark[] {
  const marks: { top: number; entries: [first: number, ...others: number[]] }[] = [];
  for (const { entry, share } of places) {
    const top = Math.round(share * Math.max(0, height - MARK_HEIGHT_PX));
    const last = marks.at(-1);
    if (last && top - last.top < MARK_HEIGHT_PX) last.entries.push(entry);
    else marks.push({ top, entries: [entry] });
  }
  return marks;
}

/** One line is the gap to the next entry. Tool calls and thoughts are collapsed. */
function linesOf(entry: Entry): number {
  const lines = 'text' in entry && entry.text !== undefined ? Math.ceil(entry.text.length / LINE_CHARS) : 1;
  if (entry.kind === 'agent') return 1 + lines;
  return 1 + (entry.kind === 'user' ? Math.min(lines, MAX_USER_LINES) : 1);
}

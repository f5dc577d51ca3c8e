import type { Hunk } from '../tracking/hunks';
import type { ReviewedFile } from '../tracking/modifiedFiles';

/** Pure functions; lines are 0-based. */

export type HunkKind = 'added' | 'changed' | 'deleted';

export function hunkKind({ before, after }: Hunk): HunkKind {
  if (after.lines === 0) return 'deleted';
  return before.lines === 0 ? 'added' : 'changed';
}

/**
 * A hunk's first line, or the line of a deletion.
 * @param lineCount of the file, at least 1
 */
export function hunkLine({ after }: Hunk, lineCount: number): number {
  return Math.min(after.start, lineCount - 1);
}

/** The hunk at the cursor, or a deletion next to it. */
export function hunkAt(hunks: readonly Hunk[], line: number): Hunk | undefined {
  const inside = hunks.find(({ after }) => after.start <= line && line < after.start + after.lines);
  return inside ?? hunks.find(({ after }) => after.lines === 0 && (after.start === line || after.start - 1 === line));
}

/** A hunk, or a whole file without hunks (binary or deleted). */
export interface ReviewStop {
  readonly file: ReviewedFile;
  readonly hunk?: Hunk;
}

export type ReviewDirection = 'next' | 'previous';

export interface ReviewCursor {
  readonly path: string;
  readonly line: number;
  /** Set for a file that is no longer in the list; its label gives its position. */
  readonly label?: string;
}

/** The stop after or before the cursor across files, with wraparound; undefined without changes. */
export function nextReviewStop(
  files: readonly ReviewedFile[],
  cursor: ReviewCursor | undefined,
  direction: ReviewDirection,
): ReviewStop | undefined {
  const stops = files.flatMap(stopsOf);
  const own = cursor ? stops.filter(({ file }) => file.path === cursor.path) : [];
  if (!cursor || own.length === 0) return stopBeside(stops, cursor?.label, direction);
  const within = own.map((stop) => isPast(stop, cursor.line, direction));
  const found = direction === 'next' ? within.indexOf(true) : within.lastIndexOf(true);
  if (found >= 0) return own[found];
  const [first, last] = [stops.indexOf(own[0] as ReviewStop), stops.indexOf(own.at(-1) as ReviewStop)];
  return direction === 'next' ? (stops[last + 1] ?? stops[0]) : (stops[first - 1] ?? stops.at(-1));
}

/** @param label of a file without stops */
function stopBeside(
  stops: readonly ReviewStop[],
  label: string | undefined,
  direction: ReviewDirection,
): ReviewStop | undefined {
  if (direction === 'previous') return stops.at(-1);
  return stops.find(({ file }) => label !== undefined && file.label > label) ?? stops[0];
}

function stopsOf(file: ReviewedFile): ReviewStop[] {
  if (file.hunks.length === 0 || file.status === 'deleted') return [{ file }];
  return file.hunks.map((hunk) => ({ file, hunk }));
}

function isPast({ hunk }: ReviewStop, line: number, direction: ReviewDirection): boolean {
  if (!hunk) return false;
  return direction === 'next' ? hunk.after.start > line : hunk.after.start < line && !covers(hunk, line);
}

function covers({ after }: Hunk, line: number): boolean {
  return after.start <= line && line < after.start + after.lines;
}

/** Texts of an edit as the agent reported it, whole files or snippets. */
export interface EditTexts {
  readonly oldText: string;
  readonly newText: string;
}

interface FileLines {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * The hunks that share an added or removed line with an edit in the chat. Agents report whole files or a few lines without position, so
 * only the lines' text can be compared.
 */
export function hunksOfEdit(edit: EditTexts, hunks: readonly Hunk[], lines: FileLines): readonly Hunk[] {
  const [old, fresh] = [normalizedLines(edit.oldText), normalizedLines(edit.newText)];
  const added = linesWithout(fresh, old);
  const removed = linesWithout(old, fresh);
  return hunks.filter(({ before, after }) => {
    const now = lines.after.slice(after.start, after.start + after.lines);
    const was = lines.before.slice(before.start, before.start + before.lines);
    return now.some((line) => added.has(line.trim())) || was.some((line) => removed.has(line.trim()));
  });
}

/** Without leading and trailing spaces, which snippets may lack. */
export function normalizedLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

/** Non-blank lines that `others` lacks. */
function linesWithout(lines: readonly string[], others: readonly string[]): ReadonlySet<string> {
  const excluded = new Set(others.map((line) => line.trim()));
  return new Set(lines.map((line) => line.trim()).filter((line) => line !== '' && !excluded.has(line)));
}

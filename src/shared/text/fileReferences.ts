/**
 * References to files in texts: `src/a.ts:12`, `a.ts#L3-L7`, `a.ts(4,2)`, `src/lib/`. Pure; does not check that files
 * exist.
 */

/** A path as written in a text, with a position; `line`, `lastLine` and `column` are 1-based. */
export interface FileReference {
  readonly path: string;
  readonly line?: number;
  readonly lastLine?: number;
  readonly column?: number;
}

/** The range of a reference: `text.slice(start, end)`. */
interface FileReferenceSpan {
  readonly start: number;
  readonly end: number;
  readonly file: FileReference;
}

/** In UTF-16 units; longer words are not useful paths. */
const MAX_LENGTH = 260;

/** Candidates for references: one character class, so that the search takes linear time. */
const WORDS = /[\p{L}\p{N}_@.+~$%&=,:;#()[\]{}/\\-]+/gu;

/** `:12`, `:12:5`, `:12-20`, `#L3`, `#L3-L7`, `#L3C2`, `(4,2)`, `(4)` at the end of a word. */
const SUFFIX = /(?::(\d+)(?::(\d+)|-(\d+))?|#L(\d+)(?:C(\d+))?(?:-L?(\d+)(?:C\d+)?)?|\((\d+)(?:,(\d+))?\)):?$/;

/** A name with an extension, or at least two names with a slash between or after. */
const PATH =
  /^(?:\.{0,2}[\\/]|[A-Za-z]:[\\/]|~[\\/])?(?:[^\\/:]+[\\/])*(?:[^\\/:]+[\\/]|[^\\/:]*[^\\/:.]\.[\p{L}\p{N}_+-]{1,16}|[^\\/:]+)$/u;

/** The reference if the whole text is one; otherwise undefined. */
export function parseFileReference(text: string): FileReference | undefined {
  if (text.length > MAX_LENGTH || text.includes('://')) return undefined;
  const suffix = SUFFIX.exec(text);
  const path = suffix ? text.slice(0, suffix.index) : text;
  if (!looksLikePath(path)) return undefined;
  return { path, ...(suffix && numbersOf(suffix)) };
}

/** The references in a text, in order; at most `max`. */
export function findFileReferences(text: string, max = 50): FileReferenceSpan[] {
  const found: FileReferenceSpan[] = [];
  for (const { 0: word, index } of text.matchAll(WORDS)) {
    if (found.length >= max) break;
    const [start, end] = trimRange(word);
    const file = end - start >= 3 ? parseFileReference(word.slice(start, end)) : undefined;
    if (file) found.push({ start: index + start, end: index + end, file });
  }
  return found;
}

/** `a.ts:3`, `a.ts:3-7` */
export function fileReferenceLabel(label: string, line?: number, lastLine?: number): string {
  if (line === undefined) return label;
  return lastLine === undefined || lastLine <= line ? `${label}:${line}` : `${label}:${line}-${lastLine}`;
}

function looksLikePath(path: string): boolean {
  if (path.length < 3 || !/[\p{L}\p{N}]/u.test(path) || !PATH.test(path)) return false;
  if (/[\\/]/.test(path)) return !/^[\\/]{2}/.test(path) && !/^[\d\\/.,]+$/.test(path);
  // `1.2`, `e.g`, `v1.2.3` and similar words are not files.
  return /\.[\p{L}_][\p{L}\p{N}_+-]*$/u.test(path) && !/^(?:\p{L}\.)+\p{L}$/u.test(path);
}

/** Without surrounding punctuation: the end of a sentence, quotes, unbalanced brackets. */
function trimRange(word: string): [number, number] {
  let start = 0;
  let end = word.length;
  while (start < end && /[([{,;:=&]/.test(word[start] ?? '')) start++;
  for (; end > start; end--) {
    const last = word[end - 1] ?? '';
    if (/[.,:;=&]/.test(last)) continue;
    const open = CLOSING[last];
    if (open === undefined || word.slice(start, end).includes(open)) break;
  }
  return [start, end];
}

const CLOSING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

function numbersOf(suffix: RegExpExecArray): Omit<FileReference, 'path'> {
  const [first, column, last] = [
    [suffix[1], suffix[4], suffix[7]],
    [suffix[2], suffix[5], suffix[8]],
    [suffix[3], suffix[6]],
  ].map((all) => Number(all.find((each) => each !== undefined) ?? 0));
  if (!first) return {};
  return { line: first, ...(column && { column }), ...(last && last > first && { lastLine: last }) };
}

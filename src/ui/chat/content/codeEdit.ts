// Imported by file: the library's index would load the whole library when the window opens.

import { applyPatch } from 'diff/lib/patch/apply.js';

export interface CodeEdit {
  readonly text: string;
  /** Exactly one location fits; otherwise the user sees a diff first. */
  readonly isCertain: boolean;
}

/** Placeholders for omitted code, such as `// ... existing code ...`. */
const LEFT_OUT = /^\s*(?:(?:\/\/|\/\*|#|--|<!--|;|%|\{\/\*)\s*)?(?:\.{3}|…).*$/;

/** A missing file in a unified diff. */
const NO_FILE = '/dev/null';

/** Maximum lines by which a replaced range may exceed three times the code that replaces it. */
const MAX_EXTRA_LINES = 20;

/**
 * Inserts code into a text: as a patch if it is one; else replaces the range between the code's first and last line if these are unique;
 * else the whole text if the two are similar. Undefined when no location fits. Line ends are `\n`. Pure.
 */
export function codeEdit(old: string, code: string): CodeEdit | undefined {
  // Also for an empty text: a patch may create a file.
  if (isPatch(code)) return patchEdit(old, code);
  if (old.trim() === '') return { text: withEnd(code), isCertain: true };
  const lines = old.split('\n');
  const parts = partsOf(code);
  const certain = parts.length > 0 ? between(lines, parts) : undefined;
  if (certain !== undefined) return { text: certain, isCertain: true };
  const isWhole = parts.length === 1 && isSimilar(lines, code.split('\n'));
  return isWhole ? { text: withEnd(code), isCertain: false } : undefined;
}

export function isPatch(code: string): boolean {
  return /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m.test(code);
}

/** The path in a unified diff, unchanged. */
export function findPatchedPath(code: string): string | undefined {
  const after = /^\+\+\+ (?:b\/)?([^\t\r\n]+)/m.exec(code)?.[1]?.trim();
  if (after !== NO_FILE) return after;
  return /^--- (?:a\/)?([^\t\r\n]+)/m.exec(code)?.[1]?.trim();
}

/** Whether a unified diff deletes the file rather than emptying it. */
export function isFileDeletion(code: string): boolean {
  return isPatch(code) && /^\+\+\+ \/dev\/null\s*$/m.test(code);
}

function patchEdit(old: string, patch: string): CodeEdit | undefined {
  try {
    const text = applyPatch(old, withEnd(patch), { fuzzFactor: 2, autoConvertLineEndings: false });
    // A change that empties a file is shown first.
    return text === false ? undefined : { text, isCertain: text !== '' || old === '' };
  } catch {
    // An invalid patch, or one for several files.
    return undefined;
  }
}

/** The code split at its placeholders. */
function partsOf(code: string): string[][] {
  const parts: string[][] = [[]];
  for (const line of code.replace(/(?<!\n)\n+$/, '').split('\n')) {
    if (LEFT_OUT.test(line)) parts.push([]);
    else parts.at(-1)?.push(line);
  }
  return parts.map(withoutBlankEnds).filter((part) => part.length > 0);
}

function withoutBlankEnds(part: readonly string[]): string[] {
  const first = part.findIndex((line) => line.trim() !== '');
  const last = part.findLastIndex((line) => line.trim() !== '');
  return first < 0 ? [] : part.slice(first, last + 1);
}

function between(old: readonly string[], parts: readonly (readonly string[])[]): string | undefined {
  const next: string[] = [];
  let at = 0;
  for (const part of parts) {
    const found = spanOf(old, part, at);
    if (!found) return undefined;
    next.push(...old.slice(at, found.start), ...indentLike(part, old[found.start] ?? ''));
    at = found.end;
  }
  return [...next, ...old.slice(at)].join('\n');
}

/** From the unique line that equals the part's first to the unique later line that equals its last. */
function spanOf(
  old: readonly string[],
  part: readonly string[],
  from: number,
): { readonly start: number; readonly end: number } | undefined {
  const [first, last] = [part[0]?.trim() ?? '', part.at(-1)?.trim() ?? ''];
  const start = onlyIndex(old, first, from);
  if (start === undefined) return undefined;
  if (part.length === 1) return { start, end: start + 1 };
  const end = findClosing(old, part, start) ?? onlyIndex(old, last, start + 1);
  return end === undefined ? undefined : { start, end: end + 1 };
}

/** The last line of a part. A bracket occurs often, but together with its indentation it may be unique. */
function findClosing(old: readonly string[], part: readonly string[], start: number): number | undefined {
  const closing = part.at(-1) ?? '';
  const isLike = (line: string, indent: number): boolean => line.trim() === closing.trim() && indentOf(line) === indent;
  if (part.filter((line) => isLike(line, indentOf(closing))).length > 1) return undefined;
  const limit = start + part.length * 3 + MAX_EXTRA_LINES;
  const indent = indentOf(old[start] ?? '') - indentOf(part[0] ?? '') + indentOf(closing);
  const end = old.findIndex((line, index) => index > start && index < limit && isLike(line, indent));
  return end < 0 ? undefined : end;
}

function onlyIndex(lines: readonly string[], text: string, from: number): number | undefined {
  const isIt = (line: string): boolean => line.trim() === text;
  // Brackets alone do not identify a location.
  if (!/[\p{L}\p{N}]/u.test(text)) return undefined;
  const first = lines.findIndex((line, index) => index >= from && isIt(line));
  return first >= 0 && first === lines.findLastIndex(isIt) ? first : undefined;
}

/** Adds the location's indentation, which agents often omit. */
function indentLike(part: readonly string[], like: string): string[] {
  const [expected, actual] = [/^\s*/.exec(like)?.[0] ?? '', /^\s*/.exec(part[0] ?? '')?.[0] ?? ''];
  if (expected === actual) return [...part];
  return part.map((line) => {
    if (line.trim() === '') return line;
    return line.startsWith(actual) ? expected + line.slice(actual.length) : line;
  });
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** At least half of the non-blank lines of the shorter text occur in the longer one, and the shorter is not a small part of the longer. */
function isSimilar(old: readonly string[], code: readonly string[]): boolean {
  const [before, after] = [old, code].map((lines) => lines.map((line) => line.trim()).filter((line) => line !== ''));
  if (!before || !after || after.length * 2 < before.length) return false;
  const there = new Set(before);
  const same = after.filter((line) => there.has(line)).length;
  return same * 2 >= Math.min(before.length, after.length);
}

function withEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** 0-based; `end` is exclusive. */
export interface Lines {
  readonly start: number;
  readonly end: number;
}

/** Replaces lines by code that ends with a line break; without lines appends it. Line ends are `\n`. */
export function insertLines(text: string, code: string, at?: Lines): string {
  const lines = text.split('\n');
  const atEnd = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  const { start, end } = at ?? { start: atEnd, end: atEnd };
  const added = code.replace(/\n$/, '').split('\n');
  const next = [...lines.slice(0, start), ...added, ...lines.slice(end)].join('\n');
  return next.endsWith('\n') ? next : `${next}\n`;
}

/** Replaces the common indentation of code by that of its location. */
export function reindent(code: string, before: string): string {
  const lines = code.replace(/\n$/, '').split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const common = indents.length === 0 ? 0 : Math.min(...indents);
  const indent = /^\s*/.exec(before)?.[0] ?? '';
  return lines
    .map((line) => line.slice(common))
    .map((line, index) => (index === 0 || line === '' ? line : indent + line))
    .join('\n');
}

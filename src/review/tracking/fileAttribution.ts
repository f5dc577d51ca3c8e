import { createHash } from 'node:crypto';
import type { LineChange } from '../../history/diff/lineDiff';
import { applyChanges, lineChanges, hasLineEnds, splitLines, rebaseChanges } from '../../history/diff/lineDiff';
import { octal } from '../../node/fs/permissions';
import type { ConflictReason, FileStatus } from '../../shared/state/reviewState';
import type { FileContent } from '../storage/fileContent';
import { isSameContent, isSameMode, isText } from '../storage/fileContent';

/**
 * Attribution of changes in one file, pure. The baseline is the user's version, the text the current one; the agent's changes are the
 * difference. User changes go into both, so they never show as the agent's; where they overlap with the agent's they stay in the text only
 * and are marked, so that no undo removes them. Bytes are latin1 strings, one UTF-16 unit each, which preserves any encoding and line end.
 */

/** Undefined: no file. */
interface FileTexts {
  readonly base: FileContent | undefined;
  readonly text: FileContent | undefined;
}

export interface FileAttribution extends FileTexts {
  /** Lines that the user wrote into changes of the agent. 0-based, ascending. */
  readonly userLines: readonly number[];
  /** The user replaced the whole file after the agent's change (binary files). */
  readonly isReplacedByUser: boolean;
  /** The file before the user first changed text of the agent. Where it is restored, as by typing and undoing that, no user text is left. */
  readonly unedited?: FileTexts;
}

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

/** Byte order mark of UTF-8. As the mode, it belongs to the file: its first line may get others above it. */
const MARK = '\xef\xbb\xbf';

export function unchangedFile(content: FileContent | undefined): FileAttribution {
  return { base: content, text: content, userLines: [], isReplacedByUser: false };
}

/** A change of the permissions of a file, such as `0644 → 0755`; undefined for none. */
export function modeChangeOf({ base, text }: FileAttribution): string | undefined {
  if (!base || !text || base.mode === '120000' || text.mode === '120000' || isSameMode(base, text)) return undefined;
  return `${permissionWords(base)} → ${permissionWords(text)}`;
}

function permissionWords({ mode, permissions }: FileContent): string {
  return permissions === undefined ? `0${mode.slice(3)}` : octal(permissions);
}

export function isUnchangedFile({ base, text }: FileAttribution): boolean {
  return isSameContent(base, text);
}

/** Whether the file is not compared line by line. */
export function isBinary({ base, text }: FileTexts): boolean {
  return [base, text].some((content) => content !== undefined && !isText(content));
}

export function applyAgentEdit(attribution: FileAttribution, next: FileContent | undefined): FileAttribution {
  if (isSameContent(attribution.text, next)) return attribution;
  const retained = retainUserLines(attribution, next);
  return { ...retained, text: next, userLines: carryLines(retained, next).userLines };
}

export function applyUserEdit(attribution: FileAttribution, next: FileContent | undefined): FileAttribution {
  const { base, text } = attribution;
  if (isSameContent(text, next)) return attribution;
  if (isUnchangedFile(attribution) || next === undefined || isSameContent(base, next)) return unchangedFile(next);
  const unedited = hasUserText(attribution) ? attribution.unedited : { base, text };
  if (unedited && isSameContent(unedited.text, next) && isSameContent(unedited.base, base))
    return { base, text: next, userLines: [], isReplacedByUser: false };
  const edited = editByUser(attribution, next);
  return unedited && hasUserText(edited) ? { ...edited, unedited } : edited;
}

function hasUserText({ userLines, isReplacedByUser }: FileAttribution): boolean {
  return isReplacedByUser || userLines.length > 0;
}

function editByUser(attribution: FileAttribution, next: FileContent): FileAttribution {
  const { base, text } = attribution;
  if (isBinary(attribution) || !isText(next)) return { ...attribution, text: next, isReplacedByUser: true };
  const after = carryLines(attribution, next);
  if (!base || !text) {
    const fresh = lineChanges(linesOf(base), linesOf(next)).flatMap(targetLines);
    return { ...attribution, text: next, userLines: unite(after.userLines, text ? after.fresh : fresh) };
  }
  const { lines, refused } = rebaseChanges(linesOf(base), linesOf(text), linesOf(next));
  const modeFrom = isSameMode(base, text) ? next : base;
  const own = unite(after.userLines, refused.flatMap(targetLines));
  const markFrom = hasMark(base) === hasMark(text) ? next : base;
  return { ...attribution, base: withLines(modeFrom, lines, markFrom), text: next, userLines: own };
}

/** The user reverted text that was never saved: a file that the agent has deleted is deleted again, with its baseline. */
export function revertToDeleted(attribution: FileAttribution): FileAttribution {
  return { ...unchangedFile(undefined), base: isUnchangedFile(attribution) ? undefined : attribution.base };
}

/** Adds user lines that the agent is about to remove to the baseline, so that undo restores them. */
function retainUserLines(attribution: FileAttribution, next: FileContent | undefined): FileAttribution {
  const { base, text, userLines, isReplacedByUser } = attribution;
  if (isReplacedByUser) return { ...attribution, base: text, isReplacedByUser: false, userLines: [] };
  if (userLines.length === 0 || !text) return attribution;
  const replaced = next && isText(next) ? lineChanges(linesOf(text), linesOf(next)) : undefined;
  const isLost = (line: number): boolean => {
    return userLines.includes(line) && (replaced?.some(({ from, fromEnd }) => line >= from && line < fromEnd) ?? true);
  };
  const lines = addLines(linesOf(base), linesOf(text), isLost);
  return lines ? { ...attribution, base: withLines(base ?? text, lines) } : attribution;
}

/** The baseline with some lines of the text added; undefined without such lines. */
function addLines(
  base: readonly string[],
  text: readonly string[],
  isSelected: (line: number) => boolean,
): string[] | undefined {
  const additions: string[] = [];
  const changes: LineChange[] = [];
  for (const change of lineChanges(base, text)) {
    const to = additions.length;
    for (const line of targetLines(change)) if (isSelected(line)) additions.push(text[line] ?? '');
    if (additions.length > to)
      changes.push({ from: change.fromEnd, fromEnd: change.fromEnd, to, toEnd: additions.length });
  }
  if (changes.length === 0) return undefined;
  const lines = applyChanges(base, changes, additions);
  return lines.map((line, at) => (at === lines.length - 1 || /[\r\n]$/.test(line) ? line : `${line}\n`));
}

/** New positions of the user's lines, and the lines that are new in `next`. */
function carryLines(
  attribution: FileAttribution,
  next: FileContent | undefined,
): { userLines: number[]; fresh: number[] } {
  const changes = next ? lineChanges(linesOf(attribution.text), linesOf(next)) : [];
  const userLines: number[] = [];
  for (const line of next ? attribution.userLines : []) {
    let shift = 0;
    let isRemoved = false;
    for (const { from, fromEnd, toEnd } of changes) {
      if (line >= from && line < fromEnd) isRemoved = true;
      if (fromEnd <= line) shift = toEnd - fromEnd;
    }
    if (!isRemoved) userLines.push(line + shift);
  }
  return { userLines, fresh: changes.flatMap(targetLines) };
}

function targetLines({ to, toEnd }: LineChange): number[] {
  return Array.from({ length: toEnd - to }, (_, at) => to + at);
}

/** Whether the text has lines that the agent wrote. False for a binary file. */
export function hasAgentLines(attribution: FileAttribution): boolean {
  const own = new Set(attribution.userLines);
  return hunksOf(attribution).some(({ after: { start, lines } }) =>
    Array.from({ length: lines }, (_, at) => start + at).some((line) => !own.has(line)),
  );
}

export function unite(a: readonly number[], b: readonly number[]): number[] {
  return [...new Set([...a, ...b])].sort((x, y) => x - y);
}

export function linesOf(content: FileContent | undefined): string[] {
  return content ? splitLines(textOf(content)) : [];
}

function hasMark(content: FileContent): boolean {
  return content.bytes.startsWith(MARK);
}

function textOf(content: FileContent): string {
  return hasMark(content) ? content.bytes.slice(MARK.length) : content.bytes;
}

function withLines(content: FileContent, lines: readonly string[], markFrom = content): FileContent {
  return { ...content, bytes: (hasMark(markFrom) ? MARK : '') + lines.join('') };
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

export function statusOf({ base, text }: FileAttribution): FileStatus {
  if (!base) return 'created';
  return text ? 'changed' : 'deleted';
}

/** Why the whole file cannot be undone. */
export function conflictOf(attribution: FileAttribution): ConflictReason | undefined {
  return attribution.isReplacedByUser || hunksOf(attribution).some(({ conflict }) => conflict) ? 'edited' : undefined;
}

/** Moves a hunk into the baseline; undefined for an unknown id. */
export function keepHunk(attribution: FileAttribution, id: string): FileAttribution | undefined {
  const hunk = hunksOf(attribution).find((each) => each.id === id);
  const { base, text } = attribution;
  if (!hunk) return undefined;
  if (!base || !text) return unchangedFile(text);
  const lines = applyChanges(linesOf(base), [changeOf(hunk)], linesOf(text));
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

/** Undoes all hunks without user lines. `complete` is false when some remain. */
export function undoAll(attribution: FileAttribution): {
  readonly attribution: FileAttribution;
  readonly isComplete: boolean;
} {
  if (attribution.isReplacedByUser) return { attribution, isComplete: false };
  // In one step: among equal lines, the remaining hunks may be cut differently after each undo.
  if (isBinary(attribution) || conflictOf(attribution) === undefined)
    return { attribution: unchangedFile(attribution.base), isComplete: true };
  const { base, text, userLines } = attribution;
  if (!base || !text) return { attribution, isComplete: false };
  const changes = hunksOf(attribution)
    .filter(({ conflict }) => !conflict)
    .map(reverseOf);
  const undo = (undone: readonly LineChange[]): string[] => applyChanges(linesOf(text), undone, linesOf(base));
  // Only the last change can join two lines: the last line of a text may have no end.
  const undone = hasLineEnds(undo(changes)) ? changes : changes.slice(0, -1);
  const next = withLines(text, undo(undone), base);
  if (next.bytes === base.bytes) return { attribution: unchangedFile(base), isComplete: true };
  const carried = { ...attribution, text: next, userLines: shiftLines(userLines, undone) };
  return { attribution: carried, isComplete: false };
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

/** Reverts a step, from `after` to `before`, in a file that may have changed since; undefined for overlapping changes. */
export function revertStep(
  current: FileAttribution,
  before: FileAttribution,
  after: FileAttribution,
): FileAttribution | undefined {
  if (isSameContent(current.base, after.base) && isSameContent(current.text, after.text)) return before;
  if (isBinary(current) || isBinary(before)) return undefined;
  const base = revertContent(current.base, before.base, after.base);
  const text = revertContent(current.text, before.text, after.text);
  if (!base || !text) return undefined;
  const userLines = unite(carryLines(before, text.content).userLines, carryLines(current, text.content).userLines);
  return { base: base.content, text: text.content, userLines, isReplacedByUser: current.isReplacedByUser };
}

function revertContent(
  current: FileContent | undefined,
  before: FileContent | undefined,
  after: FileContent | undefined,
): { readonly content: FileContent | undefined } | undefined {
  if (isSameContent(before, after)) return { content: current };
  if (isSameContent(current, after)) return { content: before };
  if (!current || !before || !after) return undefined;
  const { lines, refused } = rebaseChanges(linesOf(current), linesOf(after), linesOf(before));
  const markFrom = hasMark(current) === hasMark(after) ? before : current;
  return refused.length > 0 ? undefined : { content: withLines(current, lines, markFrom) };
}

export function lineCounts(attribution: FileAttribution): { readonly added: number; readonly removed: number } {
  const hunks = hunksOf(attribution);
  return {
    added: hunks.reduce((sum, { after }) => sum + after.lines, 0),
    removed: hunks.reduce((sum, { before }) => sum + before.lines, 0),
  };
}

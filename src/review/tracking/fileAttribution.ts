import type { LineChange } from '../../history/diff/lineDiff';
import { applyChanges, lineChanges, splitLines, rebaseChanges } from '../../history/diff/lineDiff';
import { octal } from '../../node/fs/permissions';
import type { FileStatus } from '../../shared/state/reviewState';
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
export function carryLines(
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

export function targetLines({ to, toEnd }: LineChange): number[] {
  return Array.from({ length: toEnd - to }, (_, at) => to + at);
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

export function textOf(content: FileContent): string {
  return hasMark(content) ? content.bytes.slice(MARK.length) : content.bytes;
}

export function withLines(content: FileContent, lines: readonly string[], markFrom = content): FileContent {
  return { ...content, bytes: (hasMark(markFrom) ? MARK : '') + lines.join('') };
}

export function statusOf({ base, text }: FileAttribution): FileStatus {
  if (!base) return 'created';
  return text ? 'changed' : 'deleted';
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

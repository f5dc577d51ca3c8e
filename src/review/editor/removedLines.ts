import { t } from '../../base/l10n';
import { truncate } from '../../base/text';
import { escapeIconSyntax, escapeInvisibleInline } from '../../base/untrustedText';
import type { Hunk } from '../tracking/hunks';

/** A removed line, shown beside a line that replaced it. */
interface RemovedLine {
  /** 0-based, in the current text. */
  readonly line: number;
  /** One line, with non-breaking spaces: CSS collapses others. */
  readonly text: string;
  /** Columns between the end of the line and the text, so that the removed lines of a change are aligned. */
  readonly gap: number;
  /** Number of removed lines of this change that are not shown, because the change has too few lines to show them beside. */
  readonly more: number;
}

/** Maximum number of removed lines that are shown for a file. */
const MAX_LINES = 500;
/** Maximum UTF-16 units of a removed line. */
const MAX_TEXT = 160;
const MAX_PREVIEW = 100;
/**
 * Removed lines are aligned up to this column. A longer line has its removed line directly beside it, so that the others stay visible
 * in a narrow window.
 */
const MAX_COLUMN = 60;
const MIN_GAP = 4;

/**
 * The removed lines of changes that removed more than the code lens has room for, each with the added line beside which it is shown.
 * @param lines lines of the current text
 * @param base lines of the baseline
 */
export function removedLines(
  hunks: readonly Hunk[],
  lines: (line: number) => string,
  base: readonly string[],
  tabSize: number,
): readonly RemovedLine[] {
  const all: RemovedLine[] = [];
  for (const { before, after } of hunks.filter(({ before: { lines: removed } }) => removed > 1)) {
    const count = Math.min(before.lines, after.lines, MAX_LINES - all.length);
    const widths = Array.from({ length: count }, (_, at) => expandTabs(lines(after.start + at), tabSize).length);
    const column = Math.max(0, ...widths.filter((width) => width <= MAX_COLUMN)) + MIN_GAP;
    for (let at = 0; at < count; at++) {
      all.push({
        line: after.start + at,
        text: toShownText(base[before.start + at] ?? '', tabSize),
        gap: Math.max(MIN_GAP, column - (widths[at] ?? 0)),
        more: at === count - 1 ? before.lines - count : 0,
      });
    }
  }
  return all;
}

/** The first removed line of a change that is not blank, for a code lens. */
export function removedPreview({ before }: Hunk, base: readonly string[]): string {
  const first = base.slice(before.start, before.start + before.lines).find((line) => line.trim() !== '') ?? '';
  return escapeIconSyntax(truncate(escapeInvisibleInline(first.slice(0, MAX_TEXT)).trim(), MAX_PREVIEW));
}

export function moreLines(count: number): string {
  return count === 1 ? t('−1 line') : t('−{0} lines', count);
}

function toShownText(line: string, tabSize: number): string {
  const text = truncate(escapeInvisibleInline(expandTabs(line.slice(0, MAX_TEXT), tabSize)), MAX_TEXT);
  return text.replaceAll(' ', '\u00a0');
}

function expandTabs(line: string, tabSize: number): string {
  let text = '';
  for (const part of line.slice(0, MAX_TEXT).split(/(\t)/)) {
    text += part === '\t' ? ' '.repeat(tabSize - (text.length % tabSize)) : part;
  }
  return text;
}

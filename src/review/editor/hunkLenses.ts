import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { Hunk } from '../tracking/hunks';
import type { ReviewedFile } from '../tracking/modifiedFiles';
import { hunkLine } from './hunkNavigation';
import { moreLines, removedPreview } from './removedLines';

/** The code lenses and hovers of changes. In a separate chunk: needed with the first file under review. */

/** Argument of a hunk command. */
export interface HunkTarget {
  readonly path: string;
  readonly hunkId: string;
}

const HOVER_COMMANDS = ['parley.keepHunk', 'parley.undoHunk', 'parley.commentToAgent', 'parley.nextChange'];

/**
 * Those of one line in the order of their use, because a narrow editor cuts the last ones off.
 * @param shown the changes that get lenses
 */
export function lensesOf(
  file: ReviewedFile,
  shown: readonly Hunk[],
  lineCount: number,
  base: readonly string[],
): vscode.CodeLens[] {
  const [title, ...buttons] = fileLenses(file);
  return [
    ...buttons,
    ...shown.flatMap((hunk) => hunkLenses(file, hunk, lineCount)),
    ...shown.flatMap((hunk) => positionLenses(file, file.hunks.indexOf(hunk), lineCount, base)),
    ...(title ? [title] : []),
  ];
}

/** The lenses of a change as links. */
export function hunkHover(file: ReviewedFile, hunk: Hunk, lineCount: number): vscode.Hover {
  const position = positionLenses(file, file.hunks.indexOf(hunk), lineCount, []);
  const lenses = [...hunkLenses(file, hunk, lineCount), ...position];
  const text = new vscode.MarkdownString(lenses.flatMap(hoverLink).join(' | '));
  text.isTrusted = { enabledCommands: HOVER_COMMANDS };
  return new vscode.Hover(text);
}

/** Nothing for what is not the text of a button, such as the removed lines. */
function hoverLink({ command }: vscode.CodeLens): string[] {
  const { title = '', command: id = '', arguments: args = [], tooltip = '' } = command ?? {};
  if (!HOVER_COMMANDS.includes(id)) return id === '' ? [title] : [];
  return [`[${title}](command:${id}?${encodeURIComponent(JSON.stringify(args))} "${tooltip}")`];
}

function hunkLenses(file: ReviewedFile, hunk: Hunk, lineCount: number): vscode.CodeLens[] {
  const line = hunkLine(hunk, lineCount);
  const target: HunkTarget = { path: file.path, hunkId: hunk.id };
  const keep = createLens(line, t('Keep'), 'parley.keepHunk', t('Accept this change'), target);
  const comment = createLens(
    line,
    t('Comment'),
    'parley.commentToAgent',
    t('Send the agent a comment about this change'),
    target,
  );
  if (hunk.conflict) {
    // A note without a command.
    const note = createLens(
      line,
      t('You changed these lines too'),
      '',
      t('Manually undo the changes you do not want'),
      target,
    );
    return [keep, comment, note];
  }
  return [keep, createLens(line, t('Undo'), 'parley.undoHunk', t('Undo this change'), target), comment];
}

/** "2 of 5", and the removed text. These come last, so that the buttons always have the same position. */
function positionLenses(
  file: ReviewedFile,
  index: number,
  lineCount: number,
  base: readonly string[],
): readonly vscode.CodeLens[] {
  const { hunks, path } = file;
  const hunk = hunks[index];
  if (!hunk) return [];
  const line = hunkLine(hunk, lineCount);
  const target: HunkTarget = { path, hunkId: hunk.id };
  const position = t('{0} of {1}', index + 1, hunks.length);
  // Several lines stand beside those that replaced them.
  const isBeside = hunk.before.lines > 1 && hunk.after.lines > 0;
  const removed = hunk.before.lines > 0 && !isBeside && removedTitle(hunk, base);
  return [
    ...(hunks.length > 1 ? [createLens(line, position, 'parley.nextChange', t('Go to the next change'), target)] : []),
    ...(removed
      ? [createLens(line, removed, 'parley.openChange', t('Show the changes in a diff editor'), { path })]
      : []),
  ];
}

function removedTitle(hunk: Hunk, base: readonly string[]): string {
  const more = hunk.before.lines - 1;
  const text = `− ${removedPreview(hunk, base)}`;
  return more === 0 ? text : `${text} ${moreLines(more)}`;
}

/** The title and the buttons. Omitted for a single hunk, whose own buttons do the same. */
function fileLenses(file: ReviewedFile): vscode.CodeLens[] {
  const [first, second] = file.hunks;
  if (first && !second && (first.conflict || !file.conflict)) return [];
  const target = { path: file.path };
  // No hunks: the file is too large to be compared.
  const count = file.hunks.length;
  return [
    createLens(0, titleOf(count), 'parley.openChange', t('Show the changes in a diff editor'), target),
    createLens(0, t('Keep File'), 'parley.keepFile', t('Accept all changes in this file'), target),
    createLens(0, t('Undo File'), 'parley.undoFile', t('Undo all agent changes in this file'), target),
  ];
}

function titleOf(count: number): string {
  if (count === 0) return t('Changed by the agent');
  return count === 1 ? t('1 change by the agent') : t('{0} changes by the agent', count);
}

function createLens(line: number, title: string, command: string, tooltip: string, target: object): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title, command, tooltip, arguments: [target] });
}

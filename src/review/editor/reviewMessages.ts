import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { Notice } from '../../workbench/notice';
import type { ReviewProblem, ReviewResult } from '../tracking/modifiedFiles';

const MAX_SHOWN = 3;

/** The problems of a result; undefined when there are none. */
export function problemNotice(result: Pick<ReviewResult, 'problems'>): Notice | undefined {
  const [text, ...details] = problemTexts(result);
  return text === undefined ? undefined : { text, details, isWarning: true };
}

/** One line for each of the first problems, and one for the rest. */
export function problemTexts({ problems }: Pick<ReviewResult, 'problems'>): readonly string[] {
  const shown = problems.slice(0, MAX_SHOWN).map(problemText);
  const more = problems.length - shown.length;
  return more > 0 ? [...shown, t('{0} more files could not be changed.', more)] : shown;
}

export function problemText({ path, message }: ReviewProblem): string {
  return path === '' ? message : `${relativeName(path)}: ${message}`;
}

export function relativeName(path: string): string {
  return escapeInvisibleInline(vscode.workspace.asRelativePath(path));
}

export function warning(text: string): Notice {
  return { text, isWarning: true };
}

/** `1 file`, `3 files`. */
export function files(count: number): string {
  return count === 1 ? t('1 file') : t('{0} files', count);
}

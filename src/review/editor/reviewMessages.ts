import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import { escapeInvisibleInline, escapeMarkdownLinks } from '../../base/untrustedText';
import type { ReviewProblem, ReviewResult } from '../tracking/modifiedFiles';

const MOST_SHOWN = 3;

export function showProblems({ problems }: ReviewResult): void {
  if (problems.length === 0) return;
  const shown = problems.slice(0, MOST_SHOWN).map(problemText);
  const more = problems.length - shown.length;
  showMessage([...shown, ...(more > 0 ? [t('{0} more could not be changed.', more)] : [])].join(' '));
}

export function problemText({ path, message }: ReviewProblem): string {
  return path === '' ? message : `${escapeInvisibleInline(vscode.workspace.asRelativePath(path))}: ${message}`;
}

export function showMessage(sentence: string): void {
  void vscode.window.showWarningMessage(escapeMarkdownLinks(sentence));
}

/** `1 file`, `3 files`. */
export function files(count: number): string {
  return count === 1 ? t('1 file') : t('{0} files', count);
}

/** Shows a notification with an undo button. */
export async function offerUndo(sentence: string, button: string, back: () => Promise<void>): Promise<void> {
  const answer = await vscode.window.showInformationMessage(escapeMarkdownLinks(sentence), button);
  if (answer === button) await back();
}

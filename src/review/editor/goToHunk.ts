import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { ChangeReview } from '../changeReview';
import { reviewedPath } from './baselineFiles';
import { openChange } from './openReviewDiff';
import type { Direction } from './hunkNavigation';
import { hunkLine, nextReviewStop } from './hunkNavigation';
import { showMessage } from './reviewMessages';

/** Brings the cursor to the next or previous change of the agent, also in another file; round from the last to the first. */
export async function goToChange(review: ChangeReview, direction: Direction): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const path = editor && reviewedPath(editor.document.uri);
  const cursor = path === undefined ? undefined : { path, line: editor?.selection.active.line ?? 0 };
  const stop = nextReviewStop(review.files(), cursor, direction);
  if (!stop) return showMessage(t('There are no changes to review.'));
  const { file, hunk } = stop;
  // What has no lines to go to, a deleted file or a picture, is shown beside what it was.
  if (!hunk) return openChange(review, file.path);
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file.path));
  const at = new vscode.Position(hunkLine(hunk, document.lineCount), 0);
  const shown = await vscode.window.showTextDocument(document, { preview: true, selection: new vscode.Range(at, at) });
  shown.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

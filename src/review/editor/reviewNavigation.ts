import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { Sessions } from '../../session/sessions';
import type { ChangeReview } from '../changeReview';
import type { ReviewedFile } from '../tracking/modifiedFiles';
import type { ReviewScopes } from '../tracking/reviewScope';
import { reviewedPath } from './baselineFiles';
import type { ReviewCursor, ReviewDirection, ReviewStop } from './hunkNavigation';
import { hunkLine, nextReviewStop } from './hunkNavigation';
import { openChange, showsAllChanges } from './openReviewDiff';

const REVIEWED_MS = 5000;

/**
 * Moves the cursor from change to change through the files of the workspace, or of the git worktree that the cursor is in: first those of
 * the session in use. After the last change it continues with the first.
 */
export class ReviewNavigation {
  constructor(
    private readonly review: ChangeReview,
    private readonly scopes: ReviewScopes,
    private readonly sessions: Sessions,
  ) {}

  /**
   * @param from if omitted, the cursor
   * @returns false where there is nothing to review
   */
  async go(direction: ReviewDirection, from: ReviewCursor | undefined = findCursor()): Promise<boolean> {
    const lists = [this.#filesBeside(from), this.#filesBeside(), this.review.files()];
    const stop = nextReviewStop(this.#ownFirst(lists.find(({ length }) => length > 0) ?? [], from), from, direction);
    if (stop) await this.#show(stop);
    return stop !== undefined;
  }

  /**
   * After a Keep or Undo, moves to the next change, or reports that it was the last one.
   * @param from position of the change
   */
  async goOn(from: ReviewCursor): Promise<void> {
    if (this.reportDone(from)) return;
    // A multi-file diff editor already shows all files.
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    if (activeTab && showsAllChanges(activeTab)) return;
    const stop = nextReviewStop(this.#ownFirst(this.#filesBeside(from), from), from, 'next');
    if (!stop) return;
    // After a diff editor, the next file opens in a diff editor, too.
    const inside = editorInDiff(stop.file.path);
    if (isDiffActive() && !inside) await openChange(this.review, stop.file.path);
    else await this.#show(stop, inside ?? shownEditor(stop.file.path));
  }

  /**
   * Shows "All changes reviewed" and returns true when no change is left.
   * @param at limits to the workspace, or to the git worktree that contains this position
   */
  reportDone(at?: ReviewCursor): boolean {
    if ((at ? this.#filesBeside(at) : this.review.files()).length > 0) return false;
    vscode.window.setStatusBarMessage(`$(pass) ${t('All changes reviewed')}`, REVIEWED_MS);
    return true;
  }

  /** A worktree has its own copies of the files that are taken from it, under the same names. */
  #filesBeside(at?: ReviewCursor): readonly ReviewedFile[] {
    const scope = this.scopes.ofWorktree(at && this.scopes.worktreeAround(at.path));
    return this.review.files().filter(({ path }) => scope.has(path));
  }

  /** @returns only the files of the session in use while it has some and the cursor is in no file with changes */
  #ownFirst(files: readonly ReviewedFile[], from: ReviewCursor | undefined): readonly ReviewedFile[] {
    const { id } = this.sessions.active;
    const own = files.filter(({ sessions }) => sessions.includes(id));
    const isInside = files.some(({ path }) => path === from?.path);
    return own.length > 0 && !isInside ? own : [...own, ...files.filter((file) => !own.includes(file))];
  }

  /** @param shown an editor that shows the file; its cursor moves without the focus, which may be elsewhere meanwhile */
  async #show({ file, hunk }: ReviewStop, shown?: vscode.TextEditor): Promise<void> {
    // A file without text lines, such as a deleted file or an image, is shown in a diff editor.
    if (!hunk) {
      await openChange(this.review, file.path);
      return;
    }
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file.path));
    const at = new vscode.Position(hunkLine(hunk, document.lineCount), 0);
    const selection = new vscode.Range(at, at);
    const editor = shown ?? (await vscode.window.showTextDocument(document, { preview: true, selection }));
    editor.selection = new vscode.Selection(at, at);
    editor.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

function findCursor(): ReviewCursor | undefined {
  const editor = vscode.window.activeTextEditor;
  const path = editor && reviewedPath(editor.document.uri);
  return path === undefined ? undefined : { path, line: editor?.selection.active.line ?? 0 };
}

function shownEditor(path: string): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  const isShown =
    editor?.viewColumn !== undefined && editor.document.uri.toString() === vscode.Uri.file(path).toString();
  return isShown ? editor : undefined;
}

function isDiffActive(): boolean {
  return vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff;
}

/** The side of the active diff editor that shows a file. */
function editorInDiff(path: string): vscode.TextEditor | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (!(input instanceof vscode.TabInputTextDiff) || input.modified.scheme !== 'file') return undefined;
  if (input.modified.fsPath !== path) return undefined;
  return vscode.window.visibleTextEditors.find(
    ({ document: { uri }, viewColumn }) => viewColumn === undefined && uri.toString() === input.modified.toString(),
  );
}

import { relative, sep, join } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import { escapeIconSyntax, escapeInvisibleInline } from '../../base/untrustedText';
import { isInside } from '../../node/fs/realPaths';
import { showInformationMessage } from '../../workbench/windowMessages';
import { MAX_UNTRACKED } from '../../worktrees/largeFiles';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { Worktrees } from '../../worktrees/worktrees';
import { withErrorMessage } from '../reportErrors';
import type { DiscardWorktree } from './discardWorktree';
import type { AttemptActions } from './raceBoard';
import type { TakeChanges } from './takeChanges';
import { comparedWorktree } from './worktreeContextKey';
import type { WorktreePicker } from './worktreePicker';

/** Files that a message names. */
const MAX_NAMED = 3;

interface CompareRow extends vscode.QuickPickItem {
  readonly other: WorktreeRecord | undefined;
}

/** Comparing and discarding worktrees, and taking their changes: from the board, the command palette and editors. The commands never reject. */
export class WorktreeActions {
  constructor(
    private readonly worktrees: Worktrees,
    private readonly picker: WorktreePicker,
    private readonly discarding: DiscardWorktree,
    private readonly take: TakeChanges,
  ) {}

  /** What the board does with an attempt. */
  readonly onAttempt: AttemptActions = {
    // Answers only what the chat or its list shows whole.
    allow: async ({ session }) => vscode.commands.executeCommand('parley.approve', session),
    open: async ({ session }) => vscode.commands.executeCommand('parley.openSession', session),
    compare: (record) => this.#compare(record),
    takeAll: (record) => this.take.takeAll(record),
    reviewTaken: (record) => this.take.reviewTaken(record),
    openInNewWindow: (record) => this.#openInNewWindow(record),
    discard: (record) => this.discarding.discard(record),
  };

  /** @param target a session of a list; without it the user selects a worktree */
  discard(target?: unknown): Promise<void> {
    return withErrorMessage(async () => {
      const record = await this.picker.choose(target, t('Discard Worktree'));
      if (record) await this.discarding.discard(record);
    });
  }

  /** @param target a session of a list; without it the session used last, or the user selects a worktree */
  openInNewWindow(target?: unknown): Promise<void> {
    return this.#onRecord(target, t('Open Worktree in New Window'), (record) => this.#openInNewWindow(record));
  }

  compare(target?: unknown): Promise<void> {
    return this.#onRecord(target, t('Compare Worktree'), (record) => this.#compare(record));
  }

  takeAll(target?: unknown): Promise<void> {
    return this.#onRecord(target, t('Take All'), (record) => this.take.takeAll(record));
  }

  /** @param target a file of a worktree; without it that of the active editor */
  takeFile(target?: unknown): Promise<void> {
    return this.#onFile(target, (record, name) => this.take.file(record, name));
  }

  /**
   * Takes the change at the cursor.
   * @param target a file of a worktree; without it that of the active editor
   */
  takeHunk(target?: unknown): Promise<void> {
    const editor = editorOf(target);
    return this.#onFile(target, async (record, name) => {
      // The cursor's line counts only in the worktree's own file.
      if (editor && this.worktrees.around(editor.document.uri.fsPath) === record)
        await this.take.hunk(record, name, editor.selection.active.line);
      else void showInformationMessage(t('Put the cursor on a change in the file of the worktree.'));
    });
  }

  #onRecord(target: unknown, title: string, run: (record: WorktreeRecord) => Promise<void>): Promise<void> {
    return withErrorMessage(async () => {
      const record = await this.picker.chooseOrActive(target, title);
      if (record) await run(record);
    });
  }

  #onFile(target: unknown, run: (record: WorktreeRecord, name: string) => Promise<void>): Promise<void> {
    return withErrorMessage(async () => {
      const uri = target instanceof vscode.Uri ? target : vscode.window.activeTextEditor?.document.uri;
      const found = uri?.scheme === 'file' ? this.#fileAt(uri.fsPath) : undefined;
      if (found) await run(...found);
      else void showInformationMessage(t('Open a file in a worktree first.'));
    });
  }

  /** A file of a worktree, or one of the workspace that the active tab compares: such as one that the worktree has deleted. */
  #fileAt(path: string): [record: WorktreeRecord, name: string] | undefined {
    const nameIn = (folder: string): string => relative(folder, path).split(sep).join('/');
    const record = this.worktrees.around(path);
    if (record) return [record, nameIn(record.path)];
    const compared = comparedWorktree(this.worktrees);
    return compared && isInside(compared.repository, path) ? [compared, nameIn(compared.repository)] : undefined;
  }

  async #openInNewWindow(record: WorktreeRecord): Promise<void> {
    const folder = vscode.Uri.file(this.worktrees.workingFolder(record));
    await vscode.commands.executeCommand('vscode.openFolder', folder, { forceNewWindow: true });
  }

  async #compare(record: WorktreeRecord): Promise<void> {
    const attempts = this.worktrees
      .usable()
      .filter(({ id, race }) => race !== undefined && race.id === record.race?.id && id !== record.id);
    const row = await this.#pickOther(record, attempts);
    if (!row || (await compareWorktrees(this.worktrees, record, row.other))) return;
    void showInformationMessage(t('There are no changes to compare.'));
  }

  async #pickOther(record: WorktreeRecord, attempts: readonly WorktreeRecord[]): Promise<CompareRow | undefined> {
    const workspace: CompareRow = { label: `$(folder) ${t('Workspace')}`, other: undefined };
    if (attempts.length === 0) return workspace;
    const others = attempts.map((other): CompareRow => ({
      label: `$(git-branch) ${escapeIconSyntax(other.branch)}`,
      other,
    }));
    return vscode.window.showQuickPick([workspace, ...others], {
      title: t('Compare “{0}” with', escapeIconSyntax(record.branch)),
    });
  }
}

/** While the context menu of the left side of a diff is open, the right side is the active editor. */
function editorOf(target: unknown): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  const key = target instanceof vscode.Uri ? target.toString() : undefined;
  if (key === undefined || activeTextEditor?.document.uri.toString() === key) return activeTextEditor;
  return visibleTextEditors.find(({ document }) => document.uri.toString() === key);
}

/**
 * Opens the files that differ in VS Code's multi-file diff editor, and names those that are too large.
 * @param other another worktree of the repository; undefined: the workspace
 * @returns false where nothing differs
 */
async function compareWorktrees(
  worktrees: Worktrees,
  record: WorktreeRecord,
  other: WorktreeRecord | undefined,
): Promise<boolean> {
  const lists = await Promise.all([record, ...(other ? [other] : [])].map((each) => worktrees.changes(each)));
  const changes = lists.flat();
  const large = [...new Set(changes.flatMap(({ name, isLarge }) => (isLarge ? name : [])))];
  if (large.length > 0) void showInformationMessage(leftOutText(large));
  const shown = changes.filter(({ isSpecial, isLarge }) => !isSpecial && !isLarge);
  const names = [...new Set(shown.map(({ name }) => name))].toSorted();
  if (names.length === 0) return large.length > 0;
  const left = other?.path ?? record.repository;
  const rows = await Promise.all(
    names.map(async (name) => {
      const label = vscode.Uri.file(join(record.path, name));
      return [label, await findExisting(join(left, name)), await findExisting(join(record.path, name))] as const;
    }),
  );
  const title = t('{0} ↔ {1}', other?.branch ?? t('Workspace'), record.branch);
  await vscode.commands.executeCommand('vscode.changes', title, rows);
  return true;
}

/** Names some of the files that cannot be compared. */
function leftOutText(names: readonly string[]): string {
  const limit = MAX_UNTRACKED / 1024 / 1024;
  const list = names.slice(0, MAX_NAMED).map(escapeInvisibleInline).join(', ');
  const more = names.length - MAX_NAMED;
  return t(
    'Not compared, because they are larger than {0} MB: {1}',
    limit,
    more > 0 ? t('{0} and {1} more', list, more) : list,
  );
}

async function findExisting(path: string): Promise<vscode.Uri | undefined> {
  const uri = vscode.Uri.file(path);
  return vscode.workspace.fs.stat(uri).then(
    ({ type }) => ((type & vscode.FileType.Directory) === 0 ? uri : undefined),
    () => undefined,
  );
}

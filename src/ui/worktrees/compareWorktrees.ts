import { join } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../base/l10n';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { Worktrees } from '../../worktrees/worktrees';

/**
 * Opens the files that differ in VS Code's multi-file diff editor.
 * @param other another worktree of the repository; undefined: the workspace
 * @returns false where nothing differs
 */
export async function compareWorktrees(
  worktrees: Worktrees,
  record: WorktreeRecord,
  other: WorktreeRecord | undefined,
): Promise<boolean> {
  const lists = await Promise.all([record, ...(other ? [other] : [])].map((each) => worktrees.changes(each)));
  const names = [...new Set(lists.flat().flatMap(({ name, isSpecial }) => (isSpecial ? [] : name)))].toSorted();
  if (names.length === 0) return false;
  const left = other?.path ?? record.repository;
  const rows = await Promise.all(
    names.map(async (name) => {
      const label = vscode.Uri.file(join(record.path, name));
      return [label, await existing(join(left, name)), await existing(join(record.path, name))] as const;
    }),
  );
  const title = t('{0} ↔ {1}', other?.branch ?? t('Workspace'), record.branch);
  await vscode.commands.executeCommand('vscode.changes', title, rows);
  return true;
}

async function existing(path: string): Promise<vscode.Uri | undefined> {
  const uri = vscode.Uri.file(path);
  return vscode.workspace.fs.stat(uri).then(
    ({ type }) => ((type & vscode.FileType.Directory) === 0 ? uri : undefined),
    () => undefined,
  );
}

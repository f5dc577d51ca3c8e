import * as vscode from 'vscode';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import type { WorktreeRecord } from '../../worktrees/worktreeRecord';
import type { Worktrees } from '../../worktrees/worktrees';

/**
 * Sets `parley.inWorktree` while the active editor has a file of a worktree, or the active tab compares one. VS Code's own keys do not say so:
 * a file in a multi-file diff editor has no `resourcePath`, and one of a remote window another `resourceScheme`.
 */
export function registerWorktreeContextKey(worktrees: Worktrees): Disposable {
  const { window } = vscode;
  const store = new DisposableStore();
  let isInWorktree = false;
  const update = (): void => {
    const uri = window.activeTextEditor?.document.uri;
    const isInside = uri?.scheme === 'file' && worktrees.around(uri.fsPath) !== undefined;
    const value = isInside || comparedWorktree(worktrees) !== undefined;
    if (value === isInWorktree) return;
    isInWorktree = value;
    void vscode.commands.executeCommand('setContext', 'parley.inWorktree', value);
  };
  store.add(window.onDidChangeActiveTextEditor(update));
  store.add(window.tabGroups.onDidChangeTabs(update));
  store.add(window.tabGroups.onDidChangeTabGroups(update));
  store.add(worktrees.onDidChange(update));
  update();
  return store;
}

/** The worktree that the active tab compares, on its right side. The stable API has no type for the input of a multi-file diff. */
export function comparedWorktree(worktrees: Worktrees): WorktreeRecord | undefined {
  const { label = '', input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
  if (input instanceof vscode.TabInputText) return undefined;
  // VS Code adds the number of files.
  const [, right = ''] = label.split(' ↔ ');
  return worktrees.usable().find(({ branch }) => right === branch || right.startsWith(`${branch} `));
}

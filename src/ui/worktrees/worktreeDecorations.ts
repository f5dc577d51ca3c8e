import * as vscode from 'vscode';
import { Emitter } from '../../base/event';
import { t } from '../../base/l10n';
import type { Disposable } from '../../base/lifecycle';
import { DisposableStore } from '../../base/lifecycle';
import { escapeInvisibleInline } from '../../base/untrustedText';
import type { Worktrees } from '../../worktrees/worktrees';

/** Marks tabs of files in a worktree, which have the same names as those of the workspace. */
export function registerWorktreeDecorations(worktrees: Worktrees): Disposable {
  const store = new DisposableStore();
  const changed = store.add(new Emitter<undefined>());
  store.add(worktrees.onDidChange(() => changed.fire(undefined)));
  store.add(
    vscode.window.registerFileDecorationProvider({
      onDidChangeFileDecorations: changed.event,
      provideFileDecoration({ scheme, fsPath }) {
        const worktree = scheme === 'file' ? worktrees.around(fsPath) : undefined;
        return worktree && { badge: 'WT', tooltip: t('Worktree {0}', escapeInvisibleInline(worktree.branch)) };
      },
    }),
  );
  return store;
}

// Imported first: later imports get this stub of `vscode`.
import { resetStub, stub } from '../vscodeStub';
import assert from 'node:assert/strict';
import type { CancellationToken, FileDecorationProvider, Uri } from 'vscode';
import { Emitter } from '../../../../src/base/event';
import { registerWorktreeDecorations } from '../../../../src/ui/worktrees/worktreeDecorations';
import type { WorktreeRecord } from '../../../../src/worktrees/worktreeRecord';
import type { Worktrees } from '../../../../src/worktrees/worktrees';
import { stubOf } from '../../../kit/stubOf';

describe('files of a worktree', () => {
  it('are marked with its branch, wherever VS Code shows them', () => {
    resetStub();
    let provider: FileDecorationProvider | undefined;
    const registerFileDecorationProvider = (given: FileDecorationProvider): object => {
      provider = given;
      return { dispose: () => undefined };
    };
    Object.assign(stub.window, { registerFileDecorationProvider });
    const record = stubOf<WorktreeRecord>({ branch: 'parley/fix-cart' });
    const worktrees = stubOf<Worktrees>({
      onDidChange: new Emitter<void>().event,
      around: (path) => (path.startsWith('/trees/one/') ? record : undefined),
    });
    const store = registerWorktreeDecorations(worktrees);
    const of = (uri: Partial<Uri>): unknown =>
      provider?.provideFileDecoration(stubOf<Uri>(uri), stubOf<CancellationToken>({}));
    assert.deepEqual(of({ scheme: 'file', fsPath: '/trees/one/a.ts' }), {
      badge: 'WT',
      tooltip: 'Worktree parley/fix-cart',
    });
    assert.equal(of({ scheme: 'file', fsPath: '/work/a.ts' }), undefined);
    assert.equal(of({ scheme: 'git', fsPath: '/trees/one/a.ts' }), undefined);
    store.dispose();
  });
});

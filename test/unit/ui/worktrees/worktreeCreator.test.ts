import { resetStub, stub } from '../vscodeStub';
import assert from 'node:assert/strict';
import type { WorkspaceFolder } from 'vscode';
import { isCancellation } from '../../../../src/base/errors';
import type { WorktreeSettings } from '../../../../src/ui/window';
import { WorktreeCreator } from '../../../../src/ui/worktrees/worktreeCreator';
import type { WorktreeSetup } from '../../../../src/ui/worktrees/worktreeSetup';
import type { NewWorktree } from '../../../../src/worktrees/createWorktree';
import type { BaseBranch } from '../../../../src/worktrees/gitRepository';
import type { WorktreeRecord } from '../../../../src/worktrees/worktreeRecord';
import type { Worktrees } from '../../../../src/worktrees/worktrees';
import { stubOf } from '../../../kit/stubOf';

describe('creating a worktree', () => {
  const folder = { name: 'app', uri: { fsPath: '/work/app' } } as WorkspaceFolder;
  let bases: readonly BaseBranch[];
  let requests: NewWorktree[];
  let creator: WorktreeCreator;

  beforeEach(() => {
    resetStub();
    [bases, requests] = [[{ ref: 'refs/heads/release', name: 'release', subject: 'a $(icon)' }], []];
    const worktrees = stubOf<Worktrees>({
      bases: async () => bases,
      workingFolder: () => '/store/w/app',
      create: async (request) => {
        requests.push(request);
        return { worktree: { id: 'w' } as WorktreeRecord, skipped: [] };
      },
    });
    const values: Record<string, readonly string[]> = { 'worktrees.include': ['.env*'], 'worktrees.link': ['vendor'] };
    const scoped = (key: string): unknown => ({ user: values[key], workspace: undefined, folders: [] });
    const settings = stubOf<WorktreeSettings>({ scoped } as object);
    creator = new WorktreeCreator(worktrees, settings, stubOf<WorktreeSetup>({ start: () => undefined }));
    const inspect = (): unknown => ({ globalValue: ['node_modules', 7], workspaceValue: 'vendor' });
    const token = { onCancellationRequested: () => ({ dispose: () => undefined }) };
    Object.assign(stub.window, {
      withProgress: (_options: unknown, job: (progress: unknown, token: unknown) => unknown) => job({}, token),
    });
    Object.assign(stub.workspace, { getConfiguration: () => ({ inspect }) });
  });

  /** Selects the row at an index, and returns the labels of all rows. */
  function answer(index: number): string[] {
    const labels: string[] = [];
    Object.assign(stub.window, {
      showQuickPick: async (rows: readonly { readonly label: string; readonly description: string }[]) => {
        labels.push(...rows.map(({ label, description }) => `${label} ${description}`));
        return rows[index];
      },
    });
    return labels;
  }

  it('offers the workspace as it is and the other branches; nothing is asked without those', async () => {
    const labels = answer(1);
    assert.equal(await creator.selectBase(folder), 'refs/heads/release');
    assert.deepEqual(labels, ['$(folder) Workspace with uncommitted changes', '$(git-branch) release a $\u2060(icon)']);
    answer(0);
    assert.equal(await creator.selectBase(folder), undefined);
    answer(-1);
    await assert.rejects(creator.selectBase(folder), isCancellation);
    bases = [];
    assert.equal(await creator.selectBase(folder), undefined);
  });

  it('links the folders of both settings', async () => {
    await creator.create(folder, 'fix', 'refs/heads/release');
    await creator.create(folder, 'fix');
    const request = { folder: '/work/app', text: 'fix', include: ['.env*'], link: ['vendor', 'node_modules'] };
    assert.deepEqual(requests, [{ ...request, from: 'refs/heads/release' }, request]);
  });
});

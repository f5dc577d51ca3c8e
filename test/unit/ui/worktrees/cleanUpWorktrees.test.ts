import { resetStub, stub } from '../vscodeStub';
import assert from 'node:assert/strict';
import { ParleyError } from '../../../../src/base/errors';
import type { Session } from '../../../../src/session/session';
import type { Sessions } from '../../../../src/session/sessions';
import { CleanUpWorktrees } from '../../../../src/ui/worktrees/cleanUpWorktrees';
import type { DiscardWorktree } from '../../../../src/ui/worktrees/discardWorktree';
import type { WorktreeWork } from '../../../../src/worktrees/worktreeChanges';
import type { WorktreeRecord } from '../../../../src/worktrees/worktreeRecord';
import type { Worktrees } from '../../../../src/worktrees/worktrees';
import { stubOf } from '../../../kit/stubOf';

interface Row {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly picked?: boolean;
}

describe('cleaning up worktrees', () => {
  const setup = [{ name: 'node_modules/', files: 9, bytes: 90, changedAt: 1, isPartial: false }];
  const works: Record<string, WorktreeWork | Error> = {
    empty: { uncommitted: [], commits: [], begun: [], ignored: setup },
    full: { uncommitted: ['a', 'b'], commits: ['one'], begun: ['locked'], ignored: [{ ...setup[0]!, files: 3 }] },
    open: { uncommitted: [], commits: [], begun: [], ignored: [] },
    broken: new Error('no folder'),
  };
  const twoDays = Date.now() - 49 * 3_600_000;
  const stored = { isReady: true, isDiscarded: false, repository: 'app', prefix: '', head: 'h', setup };
  const records: readonly WorktreeRecord[] = Object.keys(works).map((id) => ({
    ...stored,
    id,
    path: id,
    branch: `parley/${id}`,
    createdAt: twoDays,
  }));

  it('list size, age and what would be lost, and ask only for worktrees with work', async () => {
    resetStub();
    const worktrees = stubOf<Worktrees>({
      refresh: async () => undefined,
      usable: () => records,
      around: (folder) => records.find(({ path }) => path === folder),
      size: async ({ id }) => ({ bytes: 1_500, isPartial: id === 'full' }),
      work: async ({ id }) => {
        const work = works[id] ?? assert.fail();
        if (work instanceof Error) throw work;
        return work;
      },
    });
    const sessions = stubOf<Sessions>({ allOpen: () => [stubOf<Session>({ cwd: 'open' })] });
    const discarded: unknown[] = [];
    const discarding = stubOf<DiscardWorktree>({
      discard: async ({ id }, agreed) => {
        discarded.push([id, agreed]);
        if (id === 'empty') throw new ParleyError('conflict', 'Another window is using this worktree');
      },
    });
    let rows: readonly Row[] = [];
    Object.assign(stub.window, { showQuickPick: async (all: readonly Row[]) => (rows = all) });
    await new CleanUpWorktrees(worktrees, sessions, discarding).run();
    assert.deepEqual(
      rows.map(({ label, description, detail, picked }) => [label, description, detail, picked]),
      [
        ['$(git-branch) parley/empty', '1.5 kB · 2 days ago', 'Nothing would be lost', true],
        [
          '$(git-branch) parley/full',
          'at least 1.5 kB · 2 days ago',
          'Would be lost: 2 uncommitted files, 1 commit, 3 ignored files, a lock or a Git command in progress',
          false,
        ],
        ['$(git-branch) parley/open', '1.5 kB · 2 days ago · open', 'Nothing would be lost', false],
        ['$(git-branch) parley/broken', '1.5 kB · 2 days ago', 'The worktree cannot be read: no folder', undefined],
      ],
    );
    assert.deepEqual(
      discarded,
      [
        ['empty', works['empty']],
        ['full', undefined],
        ['open', works['open']],
        ['broken', undefined],
      ],
      'a worktree in use does not keep the others',
    );
  });
});

import { picks, resetStub } from '../vscodeStub';
import assert from 'node:assert/strict';
import type { Session } from '../../../../src/session/session';
import type { Sessions } from '../../../../src/session/sessions';
import { WorktreePicker } from '../../../../src/ui/worktrees/worktreePicker';
import type { WorktreeRecord } from '../../../../src/worktrees/worktreeRecord';
import type { Worktrees } from '../../../../src/worktrees/worktrees';
import { stubOf } from '../../../kit/stubOf';
import { settled } from '../../../kit/waiting';

describe('ui/worktrees/worktreePicker', () => {
  beforeEach(resetStub);

  it('finds the worktree of a session in every menu: by its row, its page or its id', async () => {
    const record = (session: string): WorktreeRecord =>
      stubOf<WorktreeRecord>({ id: `of-${session}`, session, path: `/storage/${session}` });
    const [open, closed] = [record('open'), record('closed')];
    const worktrees = stubOf<Worktrees>({
      usable: () => [open, closed],
      around: (path) => (path === '/storage/open/src' ? open : undefined),
    });
    const session = stubOf<Session>({ id: 'open', cwd: '/storage/open/src' });
    const sessions = stubOf<Sessions>({
      active: stubOf<Session>({ id: 'main', cwd: '/ws' }),
      allOpen: () => [session],
    });
    const picker = new WorktreePicker(worktrees, sessions);
    const rows = [{ type: 'session', item: { id: 'closed' } }, 'closed', { session: 'open' }, { id: 'open' }];
    const found = await Promise.all(rows.map((row) => picker.choose(row, 'Take All')));
    assert.deepEqual(found, [closed, closed, open, open]);
    assert.equal(picks.length, 0);
  });

  it('lists the worktree of the chat in use first, so that Enter means it', async () => {
    const all = ['a', 'b', 'c'].map((branch) => stubOf<WorktreeRecord>({ branch, path: `/storage/${branch}` }));
    const worktrees = stubOf<Worktrees>({ usable: () => all, around: () => all[1], refresh: async () => undefined });
    const sessions = stubOf<Sessions>({ active: stubOf<Session>({ id: 's', cwd: '/storage/b' }) });
    const chosen = new WorktreePicker(worktrees, sessions).choose(undefined, 'Discard Worktree');
    await settled();
    assert.deepEqual(picks[0]?.labels, ['$(git-branch) b', '$(git-branch) a', '$(git-branch) c']);
    picks[0].accept('$(git-branch) b');
    assert.equal(await chosen, all[1]);
  });
});

import { picks, resetStub } from '../vscodeStub';
import assert from 'node:assert/strict';
import type { Session } from '../../../../src/session/session';
import type { Sessions } from '../../../../src/session/sessions';
import { WorktreePicker } from '../../../../src/ui/worktrees/worktreePicker';
import type { WorktreeRecord } from '../../../../src/worktrees/worktreeRecord';
import type { Worktrees } from '../../../../src/worktrees/worktrees';
import { stubOf } from '../../../kit/stubOf';

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
});

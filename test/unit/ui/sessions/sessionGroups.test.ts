import assert from 'node:assert/strict';
import { setTranslations } from '../../../../src/base/l10n';
import type { SessionListItem } from '../../../../src/history/sessionSummary';
import {
  groupSessions,
  sessionContext,
  sessionDescription,
  sessionIcon,
  sessionLabel,
} from '../../../../src/ui/sessions/sessionGroups';

const NOON = new Date(2026, 5, 15, 12).getTime();
const HOUR = 3_600_000;

function session(id: string, fields: Partial<SessionListItem> = {}): SessionListItem {
  return {
    id,
    title: id,
    renamed: false,
    agent: { name: 'fake', title: 'Fake' },
    updatedAt: NOON,
    archived: false,
    status: 'idle',
    isActive: false,
    isOurs: true,
    can: { rename: true, archive: true, delete: true, fork: false },
    ...fields,
  };
}

describe('ui/sessions/sessionGroups', () => {
  it('groups by calendar days of the user, with archived ones last', () => {
    const items = [
      session('this morning', { updatedAt: NOON - 11 * HOUR }),
      session('last night', { updatedAt: NOON - 13 * HOUR }),
      session('last week', { updatedAt: NOON - 5 * 24 * HOUR }),
      session('three weeks ago', { updatedAt: NOON - 21 * 24 * HOUR }),
      session('long ago', { updatedAt: new Date(2025, 2, 5).getTime() }),
      session('put aside', { archived: true }),
    ];
    const groups = groupSessions(items, NOON).map(({ label, items: [first] }) => `${label}: ${first?.title}`);
    assert.deepEqual(groups, [
      'Today: this morning',
      'Yesterday: last night',
      'Last 7 days: last week',
      'Last 30 days: three weeks ago',
      'March 2025: long ago',
      'Archived: put aside',
    ]);
  });

  it('handles a day of 25 hours when the clock is set back', () => {
    const { TZ } = process.env;
    process.env['TZ'] = 'Europe/Berlin';
    try {
      const monday = new Date(2026, 9, 26, 12).getTime();
      const items = [session('just after midnight', { updatedAt: new Date(2026, 9, 25, 0, 30).getTime() })];
      assert.deepEqual(
        groupSessions(items, monday).map(({ id }) => id),
        ['yesterday'],
      );
    } finally {
      if (TZ === undefined) delete process.env['TZ'];
      else process.env['TZ'] = TZ;
    }
  });

  it('shows recent times in the display language', () => {
    setTranslations({ now: 'jetzt' });
    try {
      assert.equal(sessionDescription(session('one'), NOON + 1), 'Fake · jetzt');
    } finally {
      setTranslations(undefined);
    }
  });

  it('omits empty groups, and treats a session without a time as old unless it is new in this window', () => {
    const items = [session('begun', { updatedAt: 0 }), session('of the agent', { updatedAt: 0, isOurs: false })];
    assert.deepEqual(
      groupSessions(items, NOON).map(({ id }) => id),
      ['today', 'older'],
    );
    assert.deepEqual(groupSessions([], NOON), []);
  });

  it('shows the status of a session as icon and text', () => {
    const icons = (['waiting', 'running', 'unread', 'idle'] as const).map((status) =>
      sessionIcon(session('x', { status })),
    );
    assert.equal(new Set(icons).size, 4);
    assert.equal(sessionDescription(session('x', { updatedAt: NOON - 2 * HOUR }), NOON), 'Fake · 2 h');
    assert.equal(sessionDescription(session('x', { status: 'running' }), NOON), 'Fake · running');
    const imported = session('x', { imported: true, updatedAt: NOON - 2 * HOUR });
    assert.deepEqual([sessionDescription(imported, NOON), sessionIcon(imported)], ['Fake · imported · 2 h', 'lock']);
    assert.equal(
      sessionLabel(session('Fix it', { status: 'waiting', isActive: true }), NOON),
      'Fix it, Fake, waiting for you, shown in the chat',
    );
  });

  it('shows the changed lines, and the last prompt if it is not the title', () => {
    const item = session('Fix it', { added: 12, removed: 3, lastPrompt: 'And the tests' });
    assert.equal(sessionDescription(item, NOON), 'Fake · now · +12 −3 · And the tests');
    assert.equal(sessionDescription(session('Fix it', { lastPrompt: 'Fix it' }), NOON), 'Fake · now');
  });

  it('offers answers while a request waits, and Stop while a turn runs', () => {
    assert.match(sessionContext(session('x', { status: 'waiting' })), / waiting$/);
    assert.match(sessionContext(session('x', { status: 'running' })), / running$/);
  });

  it('offers only available actions in menus', () => {
    const can = { rename: false, archive: true, delete: false, fork: true };
    assert.equal(sessionContext(session('x', { can })), 'session archive fork export');
    assert.equal(sessionContext(session('x', { can, archived: true })), 'session unarchive fork export');
    const agentSession = { id: 'one', cwd: '/work', program: 'OpenCode' };
    assert.equal(sessionContext(session('x', { can, agentSession })), 'session archive fork resume export');
    assert.match(sessionContext(session('x', { branch: 'parley/x' })), / worktree$/);
  });
});

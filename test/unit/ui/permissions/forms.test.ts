import { picks, resetStub, toasts } from '../vscodeStub';
import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/base/event';
import type { Session } from '../../../../src/session/session';
import { pendingForms, pendingRequests } from '../../../../src/ui/pendingRequests';
import { PendingRequestPicker } from '../../../../src/ui/permissions/pendingRequestPicker';
import { PermissionNotifications } from '../../../../src/ui/permissions/permissionNotifications';
import type { Chat } from '../../../../src/ui/window';
import { settingsOf } from '../../../kit/settingsOf';
import { stubOf } from '../../../kit/stubOf';
import { FakeSession, FakeSessions } from '../fakes';

describe('ui: pending forms', () => {
  let session: FakeSession;
  let sessions: FakeSessions;
  const revealed: number[] = [];
  const reveal = async ({ entry }: { entry: number }) => void revealed.push(entry);

  beforeEach(() => {
    resetStub();
    revealed.length = 0;
    session = new FakeSession('s');
    sessions = new FakeSessions([new FakeSession('shown'), session]);
    session.dispatch({
      type: 'elicitationAsked',
      elicitationId: 'e',
      agent: 'Claude',
      message: 'Who are\nyou?',
      question: { mode: 'form', fields: [] },
      at: 1,
    });
  });

  it('are counted until they are answered', () => {
    assert.deepEqual([pendingForms(sessions).length, pendingRequests(sessions).length], [1, 0]);
    session.dispatch({ type: 'elicitationAnswered', entry: 0, outcome: { type: 'declined' } });
    assert.equal(pendingForms(sessions).length, 0);
  });

  it('are listed in the inbox, which opens them', async () => {
    sessions.active.dispatch({ type: 'promptSent', text: 'go', blocks: [], at: 1 });
    sessions.active.ask([], { title: 'Run' });
    const done = new PendingRequestPicker(sessions, stubOf<Chat>({ reveal, isShown: () => true })).show();
    assert.deepEqual(picks[0]?.labels, ['Run', 'Claude asks: Who are ⏎ you?']);
    await new Promise((guard) => setTimeout(guard, 510));
    picks[0]?.accept('Claude asks: Who are ⏎ you?');
    await done;
    assert.deepEqual(revealed, [0]);
  });

  it('are shown immediately if nothing else is pending', async () => {
    await new PendingRequestPicker(sessions, stubOf<Chat>({ reveal, isShown: () => true })).show();
    assert.deepEqual([picks.length, revealed], [0, [0]]);
  });

  it('have a notification that only opens them', async () => {
    const asked = new Emitter<{ session: Session; entry: number }>();
    Object.assign(sessions, { onDidAsk: asked.event });
    const settings = settingsOf({ 'permissions.notify': 'whenHidden', 'notifications.system': 'never' });
    const chat = stubOf<Chat>({ isShown: () => false, reveal });
    const notifications = new PermissionNotifications(sessions, chat, settings, {
      shows: () => false,
      onDidChange: () => ({ dispose() {} }),
    });
    asked.fire({ session, entry: 0 });
    assert.deepEqual(
      toasts[0]?.buttons.map(({ title }) => title),
      ['Show'],
    );
    await toasts[0]?.choose('Show');
    assert.deepEqual(revealed, [0]);
    notifications.dispose();
  });
});

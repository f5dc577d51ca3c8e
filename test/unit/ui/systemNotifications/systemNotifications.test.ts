import assert from 'node:assert/strict';
import type { Clock } from '../../../../src/base/clock';
import { Emitter } from '../../../../src/base/event';
import type { Session } from '../../../../src/session/session';
import type { Action } from '../../../../src/shared/state/sessionActions';
import { AttentionEvents } from '../../../../src/ui/systemNotifications/attention';
import type { NotificationFallbacks } from '../../../../src/ui/systemNotifications/systemNotifications';
import { SystemNotifications } from '../../../../src/ui/systemNotifications/systemNotifications';
import type { Chat, SystemNotificationText, PageNotification } from '../../../../src/ui/window';
import { collectGarbage } from '../../../kit/collectGarbage';
import { stubOf } from '../../../kit/stubOf';
import { settled } from '../../../kit/waiting';
import { FakeSession, FakeSessions, allowOnce } from '../fakes';

interface Ways {
  readonly page?: boolean;
  readonly platform?: 'works' | 'fails' | 'none';
}

function setUp({ page = true, platform = 'works' }: Ways = {}) {
  const session = new FakeSession('one');
  const asked = new Emitter<{ session: Session; entry: number }>();
  const sessions = Object.assign(new FakeSessions([session]), { onDidAsk: asked.event });
  const inPage: PageNotification[] = [];
  const byPlatform: SystemNotificationText[] = [];
  const inWindow: SystemNotificationText[] = [];
  const revealed: string[] = [];
  const clock = { now: 0 };
  const notifications = new SystemNotifications(
    stubOf<Chat>({ showNotification: async (one) => page && inPage.push(one) > 0 }),
    stubOf<NotificationFallbacks>({
      showByPlatform: async (one) => platform === 'works' && byPlatform.push(one) > 0,
      showInWindow: async (one) => inWindow.push(one) > 0,
      reveal: async ({ type }) => void revealed.push(type),
    }),
    stubOf<Clock>({ elapsed: () => clock.now }),
  );
  const attention = new AttentionEvents(sessions, () => false);
  attention.onDidNeedAttention((event) => void notifications.show(event));
  const dispatch = (action: Action): void => {
    session.dispatch(action);
    sessions.fireChange(session);
  };
  const ask = (tool: { title?: string; rawInput?: unknown } = {}): void => {
    const entry = session.ask([allowOnce], tool);
    sessions.fireChange(session);
    asked.fire({ session, entry });
  };
  const turn = (ms: number, stopReason: string): void => {
    dispatch({ type: 'promptSent', text: 'go', blocks: [], at: 1 });
    dispatch({ type: 'turnEnded', stopReason, at: 1 + ms });
  };
  const counts = (): number[] => [inPage.length, byPlatform.length, inWindow.length];
  return { session, notifications, inPage, byPlatform, inWindow, revealed, clock, dispatch, ask, turn, counts };
}

describe('ui/systemNotifications', () => {
  it('does not keep a session in memory while a notification is open', async () => {
    const shown: string[] = [];
    const notifications = new SystemNotifications(
      stubOf<Chat>({ showNotification: async () => false }),
      stubOf<NotificationFallbacks>({
        showByPlatform: async () => false,
        showInWindow: (_text, { sessionId }) => {
          shown.push(sessionId);
          return new Promise(() => undefined);
        },
      }),
      stubOf<Clock>({ elapsed: () => 0 }),
    );
    const show = (): WeakRef<FakeSession> => {
      const session = new FakeSession('closed');
      void notifications.show({ type: 'waiting', session, entry: session.ask([allowOnce]) });
      return new WeakRef(session);
    };
    const ref = show();
    await settled();
    assert.deepEqual(shown, ['closed']);
    await collectGarbage();
    assert.equal(ref.deref(), undefined);
  });

  it('shows each event once: in a page, else by the platform, else in the window', async () => {
    for (const [parts, expected] of [
      [setUp(), [1, 0, 0]],
      [setUp({ page: false }), [0, 1, 0]],
      [setUp({ page: false, platform: 'fails' }), [0, 0, 1]],
      [setUp({ page: false, platform: 'none' }), [0, 0, 1]],
    ] as const) {
      parts.ask();
      await settled();
      assert.deepEqual(parts.counts(), expected);
    }
  });

  it('contains the title of the session and of the request, but no content of tools', async () => {
    const { session, ask, inPage } = setUp();
    session.dispatch({ type: 'titleChanged', title: 'Fix the login\nnow' });
    ask({ title: 'Write\u202e .env\nagain', rawInput: { content: 'TOP SECRET' } });
    await settled();
    const { id: _id, ...text } = inPage[0]!;
    assert.deepEqual(text, { title: 'Fix the login', body: 'Fake asks: Write\\u{202e} .env ⏎ again' });
  });

  it('limits the length of title and body', async () => {
    const { session, ask, inPage } = setUp();
    session.dispatch({ type: 'titleChanged', title: 'x'.repeat(5000) });
    ask({ title: 'y'.repeat(100_000) });
    await settled();
    assert.ok(inPage[0]!.title.length <= 80 && inPage[0]!.body.length <= 200);
  });

  it('reports a turn over 10 s and a failed one, but no short or canceled one', async () => {
    const { turn, inPage } = setUp();
    turn(10_000, 'end_turn');
    turn(60_000, 'cancelled');
    turn(60_000, 'interrupted');
    await settled();
    assert.deepEqual(inPage, []);
    turn(10_001, 'end_turn');
    turn(3, 'error');
    turn(20_000, 'max_tokens');
    await settled();
    assert.deepEqual(
      inPage.map(({ body }) => body),
      ['Fake has finished.', 'Fake failed.', 'Fake: Token limit reached'],
    );
  });

  it('reveals the session of a click once, and ignores unknown ids', async () => {
    const { ask, notifications, inPage, revealed } = setUp();
    ask();
    await settled();
    await notifications.open('guessed');
    await notifications.open(inPage[0]!.id);
    await notifications.open(inPage[0]!.id);
    assert.deepEqual(revealed, ['waiting']);
  });

  it('uses the next way if a page reports that it showed nothing, once', async () => {
    const { ask, notifications, inPage, counts } = setUp();
    ask();
    await settled();
    await notifications.showOutside(inPage[0]!.id);
    await notifications.showOutside(inPage[0]!.id);
    assert.deepEqual(counts(), [1, 1, 0]);
  });

  it('reveals the session from the notification in the window', async () => {
    const { turn, revealed } = setUp({ page: false, platform: 'fails' });
    turn(1, 'error');
    await settled();
    assert.deepEqual(revealed, ['turnEnded']);
  });

  it('shows at most ten a minute', async () => {
    const { ask, clock, counts } = setUp({ page: false });
    for (let time = 0; time < 50; time++) ask();
    await settled();
    assert.deepEqual(counts(), [0, 10, 0]);
    clock.now = 60_000;
    ask();
    await settled();
    assert.deepEqual(counts(), [0, 11, 0]);
  });
});

import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/base/event';
import type { Session } from '../../../../src/session/session';
import { AttentionEvents } from '../../../../src/ui/systemNotifications/attention';
import { FakeSession, FakeSessions, allowOnce } from '../fakes';

describe('ui/systemNotifications/attention', () => {
  function setUp(focused = false) {
    const session = new FakeSession('one');
    const asked = new Emitter<{ session: Session; entry: number }>();
    const sessions = Object.assign(new FakeSessions([session]), { onDidAsk: asked.event });
    const events: string[] = [];
    const attention = new AttentionEvents(sessions, () => focused);
    attention.onDidNeedAttention(({ type }) => events.push(type));
    const ask = (): void => {
      const entry = session.ask([allowOnce]);
      sessions.fireChange(session);
      asked.fire({ session, entry });
    };
    const end = (): void => {
      session.dispatch({ type: 'turnEnded', stopReason: 'end_turn', at: 5 });
      sessions.fireChange(session);
      session.dispatch({ type: 'titleChanged', title: 'After the turn' });
      sessions.fireChange(session);
    };
    return { events, ask, end, attention, session };
  }

  it('reports pending requests, and the end of a turn once', () => {
    const { events, ask, end } = setUp();
    ask();
    end();
    assert.deepEqual(events, ['waiting', 'turnEnded']);
  });

  it('does not report the end of a turn before a queued message is sent', () => {
    const { events, ask, end, session } = setUp();
    ask();
    session.dispatch({ type: 'messageQueued', message: { id: 'q', text: 'next', attachments: [], at: 1 } });
    end();
    assert.deepEqual(events, ['waiting']);
    const paused = setUp();
    paused.ask();
    paused.session.dispatch({ type: 'messageQueued', message: { id: 'q', text: 'next', attachments: [], at: 1 } });
    paused.session.dispatch({ type: 'queuePaused', pause: { why: 'reloaded' } });
    paused.end();
    assert.deepEqual(paused.events, ['waiting', 'turnEnded']);
  });

  it('reports nothing while the window has the focus, or after disposal', () => {
    for (const { events, ask, end } of [setUp(true)]) {
      ask();
      end();
      assert.deepEqual(events, []);
    }
    const { events, ask, end, attention } = setUp();
    attention.dispose();
    ask();
    end();
    assert.deepEqual(events, []);
  });
});

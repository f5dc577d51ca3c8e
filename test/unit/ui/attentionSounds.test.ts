import assert from 'node:assert/strict';
import { Emitter } from '../../../src/base/event';
import type { UiSession } from '../../../src/ui/uiTypes';
import { AttentionSounds } from '../../../src/ui/attentionSounds';
import { FakeSession, FakeSessions, allowOnce } from './fakes';

describe('ui/attentionSounds', () => {
  function setUp({ enabled = true, focused = false } = {}) {
    const session = new FakeSession('one');
    const asked = new Emitter<{ session: UiSession; entry: number }>();
    const sessions = Object.assign(new FakeSessions([session]), { onDidAsk: asked.event });
    const played: string[] = [];
    const sounds = new AttentionSounds({
      sessions,
      enabled: () => enabled,
      focused: () => focused,
      play: (sound) => played.push(sound),
    });
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
    return { played, ask, end, sounds, session };
  }

  it('calls when something waits, and once when a turn has ended', () => {
    const { played, ask, end } = setUp();
    ask();
    end();
    assert.deepEqual(played, ['waiting', 'finished']);
  });

  it('says nothing of the end of a turn after which a message that waited goes out', () => {
    const { played, ask, end, session } = setUp();
    ask();
    session.dispatch({ type: 'messageQueued', message: { id: 'q', text: 'next', attachments: [], at: 1 } });
    end();
    assert.deepEqual(played, ['waiting']);
    const paused = setUp();
    paused.ask();
    paused.session.dispatch({ type: 'messageQueued', message: { id: 'q', text: 'next', attachments: [], at: 1 } });
    paused.session.dispatch({ type: 'queuePaused', pause: { why: 'reloaded' } });
    paused.end();
    assert.deepEqual(paused.played, ['waiting', 'finished']);
  });

  it('is silent where it is switched off, the window is in front, or it is disposed', () => {
    for (const { played, ask, end } of [setUp({ enabled: false }), setUp({ focused: true })]) {
      ask();
      end();
      assert.deepEqual(played, []);
    }
    const { played, ask, end, sounds } = setUp();
    sounds.dispose();
    ask();
    end();
    assert.deepEqual(played, []);
  });
});

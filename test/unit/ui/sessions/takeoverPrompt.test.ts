import { commands, resetStub, toasts } from '../vscodeStub';
import assert from 'node:assert/strict';
import { toDisposable } from '../../../../src/base/lifecycle';
import { SessionLockedError } from '../../../../src/history/sessionLocks';
import type { SessionCatalog } from '../../../../src/session/sessionCatalog';
import type { Sessions } from '../../../../src/session/sessions';
import type { SessionState } from '../../../../src/shared/state/sessionState';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { withErrorMessage } from '../../../../src/ui/reportErrors';
import { takeOverSession, showTakenOver } from '../../../../src/ui/sessions/takeoverPrompt';
import { stubOf } from '../../../kit/stubOf';
import { until } from '../../../kit/waiting';
import { FakeSession, FakeSessions } from '../fakes';

const RUNNING: SessionState['turn'] = { status: 'running', startedAt: 0, firstEntry: 0 };

function setUp(turn?: SessionState['turn'], fails = false) {
  resetStub();
  const calls: string[] = [];
  const state = emptySession('one');
  const catalog = stubOf<SessionCatalog>({ transcript: async () => (turn ? { ...state, turn } : state) });
  const { open, elsewhere } = new FakeSessions([new FakeSession('one')]);
  elsewhere.add('one');
  const sessions = stubOf<Sessions>({
    open,
    takeOver: async (id: string) => {
      calls.push(`take ${id}`);
      return toDisposable(() => void calls.push('let go'));
    },
  });
  const taking = takeOverSession('one', sessions, catalog, async (opened) => {
    if (fails) throw new Error('gone');
    calls.push('open');
    opened();
    calls.push('agent');
  });
  return { calls, taking };
}

/** Settles when a notification of this number is shown. */
async function shown(count: number): Promise<void> {
  await until(() => toasts.length >= count);
}

describe('ui/sessions/takeoverPrompt', () => {
  it('locks the session until it is open, without waiting for its agent', async () => {
    const { calls, taking } = setUp();
    await taking;
    assert.deepEqual([calls, toasts], [['take one', 'open', 'let go', 'agent'], []]);
  });

  it('releases a session that cannot be opened', async () => {
    const { calls, taking } = setUp(undefined, true);
    await assert.rejects(taking, /gone/);
    assert.deepEqual(calls, ['take one', 'let go']);
  });

  it('asks before it stops an agent of the other window', async () => {
    for (const answer of ['Stop and Take Over', undefined]) {
      const { calls, taking } = setUp(RUNNING);
      await shown(1);
      assert.equal(toasts[0]?.message, 'Stop the agent in the other window and take over the session?');
      await toasts[0].choose(answer ?? 'Cancel');
      await taking;
      assert.deepEqual(calls, answer === undefined ? [] : ['take one', 'open', 'let go', 'agent']);
    }
  });

  it('is offered for a session of another window, beside opening it read-only', async () => {
    for (const [button, command] of [
      ['Take Over', 'parley.takeOverSession'],
      ['Open Read-Only', 'parley.openSessionAsDocument'],
    ] as const) {
      resetStub();
      await withErrorMessage(() => Promise.reject(new SessionLockedError('one')));
      assert.equal(
        toasts[0]?.message,
        'This session is open in another window. Continue in the other window, or take over the session.',
      );
      await toasts[0].choose(button);
      assert.deepEqual(commands, [command]);
    }
  });

  it('shows the other window where the session is open now, and what was copied', async () => {
    resetStub();
    void showTakenOver({ id: 'one', title: 'One' });
    void showTakenOver({ id: 'one', title: 'One', copy: 'One (copy)' });
    void showTakenOver({ id: 'one', title: 'One', failure: 'no space left' });
    await shown(3);
    assert.equal(toasts[0]?.message, '“One” is now open in another window.');
    assert.match(toasts[1]?.message ?? '', /^“One” was taken over.* were saved in the session “One \(copy\)”\.$/);
    assert.match(toasts[2]?.message ?? '', /^“One” was taken over.* could not be saved: no space left$/);
    await toasts[0].choose('Take Over');
    assert.deepEqual(commands, ['parley.takeOverSession']);
  });
});

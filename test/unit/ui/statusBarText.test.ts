import assert from 'node:assert/strict';
import { setTranslations } from '../../../src/base/l10n';
import { badgeFor, statusText } from '../../../src/ui/statusBarText';
import { FakeSession, allowOnce } from './fakes';

describe('ui/statusBar: status bar text', () => {
  it('names the agent and its status', () => {
    const session = new FakeSession('one');
    assert.match(statusText(session.state, 0).text, /Fake: not started$/);
    session.dispatch({ type: 'connectionChanged', connection: { status: 'ready' } });
    assert.match(statusText(session.state, 0).text, /Fake: ready$/);
    session.ask([allowOnce]);
    assert.equal(statusText(session.state, 0).label, 'Parley: Fake: working');
    session.dispatch({ type: 'connectionChanged', connection: { status: 'exited', code: 1 } });
    assert.match(statusText(session.state, 0).text, /^\$\(error\) Fake: exited \(code 1\)$/);
  });

  it('shows in the display language that the agent works', () => {
    setTranslations({ '{0}: ready': '{0}: bereit', '{0}: working': '{0}: arbeitet' });
    try {
      const session = new FakeSession('one');
      session.dispatch({ type: 'connectionChanged', connection: { status: 'ready' } });
      session.ask([allowOnce]);
      assert.match(statusText(session.state, 0).text, /Fake: arbeitet$/);
    } finally {
      setTranslations(undefined);
    }
  });

  it('counts pending requests', () => {
    const session = new FakeSession('one');
    const { text, tooltip } = statusText(session.state, 2);
    assert.match(text, /^\$\(bell-dot\) .*, 2 waiting$/);
    assert.match(tooltip, /answer/);
  });

  it('shows what runs in other sessions, and names them', () => {
    const session = new FakeSession('one');
    const agent = { name: 'fake', title: 'Fake' };
    const all = [
      { title: 'Unseen', agent, status: 'unread', isActive: false },
      { title: 'Here', agent, status: 'running', isActive: true },
      { title: 'There', agent, status: 'running', isActive: false },
      { title: 'Asks', status: 'waiting', isActive: false },
      { title: 'Rests', agent, status: 'idle', isActive: false },
    ] as const;
    const { text, tooltip } = statusText(session.state, 1, all);
    assert.match(text, /, 1 waiting, 1 running, 1 unread$/);
    assert.deepEqual(tooltip.split('\n').slice(1), [
      'Waiting for you: Asks',
      'Running: Here (Fake)',
      'Running: There (Fake)',
      'Unread: Unseen (Fake)',
      'Click to answer waiting requests.',
    ]);
    const many = Array.from({ length: 12 }, (_, n) => ({ ...all[0], title: `${n}` }));
    assert.equal(statusText(session.state, 0, many).tooltip.split('\n').at(-2), 'And 4 more');
  });

  it('counts pending requests and unread sessions in the badge', () => {
    const one = { title: 'x', status: 'unread', isActive: false } as const;
    assert.equal(badgeFor(0, [{ ...one, status: 'running' }]), undefined);
    assert.deepEqual(badgeFor(2, [one, { ...one, status: 'running' }]), {
      value: 3,
      tooltip: '2 waiting, 1 running, 1 unread',
    });
  });

  it('escapes icons in the name of an agent', () => {
    const session = new FakeSession('one');
    session.dispatch({ type: 'agentNamed', agent: { name: 'x', title: '$(check) safe' } });
    assert.doesNotMatch(statusText(session.state, 0).text.slice(3), /\$\(check\)/);
  });
});

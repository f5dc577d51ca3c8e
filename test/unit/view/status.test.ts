import assert from 'node:assert/strict';
import { statusText } from '../../../src/view/status';
import { FakeSession, allowOnce } from './fakes';

describe('view/status', () => {
  it('names agent and state', () => {
    const session = new FakeSession('one');
    assert.match(statusText(session.state, 0).text, /Fake: not started$/);
    session.dispatch({ type: 'connectionChanged', connection: { status: 'ready' } });
    assert.match(statusText(session.state, 0).text, /Fake: ready$/);
    session.ask([allowOnce]);
    assert.equal(statusText(session.state, 0).label, 'Parley: Fake: working');
    session.dispatch({ type: 'connectionChanged', connection: { status: 'exited', code: 1 } });
    assert.match(statusText(session.state, 0).text, /^\$\(error\) Fake: exited \(code 1\)$/);
  });

  it('counts what waits', () => {
    const session = new FakeSession('one');
    const { text, tooltip } = statusText(session.state, 2);
    assert.match(text, /^\$\(bell-dot\) .*, 2 waiting$/);
    assert.match(tooltip, /answer/);
  });

  it('lets the name of an agent draw no icons', () => {
    const session = new FakeSession('one');
    session.dispatch({ type: 'agentNamed', agent: { name: 'x', title: '$(check) safe' } });
    assert.doesNotMatch(statusText(session.state, 0).text.slice(3), /\$\(check\)/);
  });
});

import assert from 'node:assert/strict';
import { completedSteps } from '../../../../src/ui/editorActions/walkthroughSteps';
import { FakeSession } from '../fakes';

const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
] as const;

describe('the first steps', () => {
  it('are selecting an agent, sending a message, answering a request, and a review', () => {
    const session = new FakeSession('s');
    assert.deepEqual(completedSteps(undefined, session.state), ['agent']);
    const entry = session.ask(options);
    const asked = session.state;
    assert.deepEqual(completedSteps(undefined, asked), ['agent', 'ask']);
    session.dispatch({ type: 'permissionAnswered', entry, outcome: { type: 'selected', optionId: 'yes' }, at: 4 });
    assert.deepEqual(completedSteps(asked, session.state), ['agent', 'ask', 'approve']);
    assert.deepEqual(completedSteps(session.state, session.state), ['agent', 'ask']);
  });

  it('do not include requests without an answer of the user', () => {
    for (const outcome of [
      { type: 'canceled', reason: 'stopped' },
      { type: 'selected', optionId: 'yes', by: 'rule' },
    ] as const) {
      const session = new FakeSession('s');
      const entry = session.ask(options);
      const asked = session.state;
      session.dispatch({ type: 'permissionAnswered', entry, outcome, at: 4 });
      assert.deepEqual(completedSteps(asked, session.state), ['agent', 'ask']);
    }
  });

  it('include a file that leaves the review', () => {
    const session = new FakeSession('s');
    const file = { path: '/w/a', label: 'a', status: 'changed', added: 1, removed: 0, binary: false } as const;
    session.dispatch({ type: 'changesChanged', changed: [file], removed: [] });
    const before = session.state;
    session.dispatch({ type: 'changesChanged', changed: [], removed: ['/w/a'] });
    assert.deepEqual(completedSteps(before, session.state), ['agent', 'review']);
  });
});

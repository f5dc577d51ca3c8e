import assert from 'node:assert/strict';
import { picks, resetStub, toasts } from '../vscodeStub';
import { FakeSession } from '../fakes';
import { signIn, signOut } from '../../../../src/ui/agents/signInCommands';

describe('ui/agents/signInCommands', () => {
  let session: FakeSession;

  beforeEach(() => {
    resetStub();
    session = new FakeSession('s');
    session.methods = [
      { id: 'browser', name: 'Browser', type: 'agent' },
      { id: 'key', name: 'API key', type: 'unsupported', unsupportedType: 'env_var' },
    ];
  });

  /** Lets the steps before the next question run. */
  const settle = () => new Promise((done) => setImmediate(done));

  it('chooses one of the agent’s ways, and says who is signed in', async () => {
    const done = signIn(session);
    await settle();
    assert.deepEqual(picks[0]?.labels, ['Browser', 'API key']);
    assert.match(picks[0]?.placeholder ?? '', /Signed in as me/);
    picks[0]?.accept('Browser');
    await done;
    assert.deepEqual(session.calls, [['signIn', 'browser']]);
  });

  it('tries nothing that it does not know, and nothing when the list is closed', async () => {
    const unknown = signIn(session);
    await settle();
    picks[0]?.accept('API key');
    await unknown;
    assert.match(toasts[0]?.message ?? '', /does not support the sign-in method “API key”/);
    const closed = signIn(session);
    await settle();
    picks[1]?.hide();
    await closed;
    assert.deepEqual(session.calls, []);
  });

  it('says so when there is no way', async () => {
    session.methods = [];
    await signIn(session);
    assert.match(toasts[0]?.message ?? '', /does not offer sign-in here/);
  });

  it('signs out only after a question', async () => {
    const kept = signOut(session);
    await settle();
    await toasts[0]?.choose();
    await kept;
    assert.deepEqual(session.calls, []);
    const left = signOut(session);
    await settle();
    await toasts[1]?.choose('Sign Out');
    await left;
    assert.deepEqual(session.calls, [['signOut']]);
  });
});

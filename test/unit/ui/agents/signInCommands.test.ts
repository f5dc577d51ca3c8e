import { picks, resetStub, toasts } from '../vscodeStub';
import assert from 'node:assert/strict';
import { signIn, signOut } from '../../../../src/ui/agents/signInCommands';
import type { ShowNotice } from '../../../../src/workbench/notice';
import { settled } from '../../../kit/waiting';
import { FakeSession } from '../fakes';

describe('ui/agents/signInCommands', () => {
  let session: FakeSession;
  const notices: string[] = [];
  const show: ShowNotice = (notice, id) => void notices.push(`${id}: ${notice?.text}`);

  beforeEach(() => {
    resetStub();
    notices.length = 0;
    session = new FakeSession('s');
    session.methods = [
      { id: 'browser', name: 'Browser', type: 'agent' },
      { id: 'key', name: 'API key', type: 'unsupported', unsupportedType: 'env_var' },
    ];
  });

  /** Runs the steps before the next dialog. */

  it('signs in with the selected method, and shows the account', async () => {
    const done = signIn(session, show);
    await settled();
    assert.deepEqual(picks[0]?.labels, ['Browser', 'API key']);
    assert.match(picks[0]?.placeholder ?? '', /Signed in as me/);
    picks[0]?.accept('Browser');
    await done;
    assert.deepEqual(session.calls, [['signIn', 'browser']]);
  });

  it('does nothing for an unsupported method, or when the list is closed', async () => {
    const unknown = signIn(session, show);
    await settled();
    picks[0]?.accept('API key');
    await unknown;
    assert.match(notices[0] ?? '', /^s: Parley does not support the sign-in method “API key”/);
    const closed = signIn(session, show);
    await settled();
    picks[1]?.hide();
    await closed;
    assert.deepEqual(session.calls, []);
  });

  it('escapes icons in the name of a method', async () => {
    session.methods = [{ id: 'b', name: '$(check) Fine', description: '$(check) Fine', type: 'agent' }];
    const done = signIn(session, show);
    await settled();
    assert.deepEqual(picks[0]?.labels, ['$\u2060(check) Fine']);
    picks[0]?.hide();
    await done;
  });

  it('reports that there is no method', async () => {
    session.methods = [];
    await signIn(session, show);
    assert.match(notices[0] ?? '', /^s: .* does not offer sign-in here/);
    assert.deepEqual(toasts, []);
  });

  it('signs out only after confirmation', async () => {
    const kept = signOut(session, show);
    await settled();
    await toasts[0]?.choose();
    await kept;
    assert.deepEqual(session.calls, []);
    const left = signOut(session, show);
    await settled();
    await toasts[1]?.choose('Sign Out');
    await left;
    assert.deepEqual(session.calls, [['signOut']]);
  });
});

import assert from 'node:assert/strict';
import type { Action } from '../../src/shared/state/sessionActions';
import type { Connection, SignInMethod } from '../../src/shared/state/sessionState';
import { ChatPage } from './harness';
import { NOON } from './sample';

const methods: readonly SignInMethod[] = [
  { id: 'browser', name: 'Browser', description: 'Opens the browser', type: 'agent' },
  { id: 'tui', name: 'Terminal', type: 'terminal', command: 'agent --login' },
  { id: 'key', name: 'API key', type: 'unsupported', unsupportedType: 'env_var' },
];
const signIn = (more: Partial<Extract<Connection, { status: 'signIn' }>> = {}): Action => ({
  type: 'connectionChanged',
  connection: { status: 'signIn', message: 'Claude requires sign-in.', methods, ...more },
});

describe('sign-in', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());
  const card = () => chat.page.getByRole('alert').filter({ hasText: 'requires sign-in' });

  it('offers a button for each method of the agent, and names unsupported ones', async () => {
    chat = await ChatPage.with([signIn({ detail: 'Authentication required' })]);
    assert.equal(
      await card().ariaSnapshot(),
      [
        '- alert:',
        '  - paragraph: Claude requires sign-in.',
        '  - paragraph: Authentication required',
        '  - list "Sign-in methods":',
        '    - listitem:',
        '      - button "Browser"',
        '      - text: Opens the browser',
        '    - listitem:',
        '      - button "Terminal"',
        '      - text: "Runs in a terminal:"',
        '      - code: agent --login',
        '    - listitem: API key Not supported by Parley (type “env_var”).',
        '  - button "Restart Agent"',
      ].join('\n'),
    );
    assert.equal(await chat.page.getByRole('status', { name: 'Agent' }).innerText(), 'Demo agent: needs sign-in');
    await chat.button('Browser').click();
    assert.deepEqual(await chat.intents(), [{ type: 'signIn', methodId: 'browser' }]);
  });

  it('shows a running attempt with Cancel, and why it failed', async () => {
    chat = await ChatPage.with([signIn({ signingIn: 'Browser' })]);
    assert.equal(await chat.page.getByRole('status', { name: 'Sign-in' }).innerText(), 'Signing in: Browser…');
    assert.equal(await card().getByRole('list').count(), 0);
    await chat.button('Cancel').click();
    assert.deepEqual(await chat.intents(), [{ type: 'cancelSignIn' }]);
    await chat.act(signIn({ error: 'Browser failed: it was closed.' }));
    assert.match(await card().innerText(), /Browser failed: it was closed\./);
    await chat.act({ type: 'connectionChanged', connection: { status: 'ready' } });
    assert.equal(await card().count(), 0);
  });

  it('explains what to do if the agent offers no method', async () => {
    chat = await ChatPage.with([signIn({ methods: [] })]);
    assert.match(await card().innerText(), /Sign in with the agent’s own command in a terminal/);
    await chat.button('Restart Agent').click();
    assert.deepEqual(await chat.intents(), [{ type: 'restartAgent' }]);
  });

  it('shows that the connection is being restored', async () => {
    chat = await ChatPage.with([{ type: 'connectionChanged', connection: { status: 'reconnecting', attempt: 2 } }]);
    const status = chat.page.getByRole('status', { name: 'Agent' });
    assert.equal(await status.innerText(), 'Demo agent: reconnecting (attempt 2)…');
    assert.equal(await chat.page.getByRole('alert').count(), 0);
  });

  it('can be started from an error that requires it', async () => {
    const message = 'Claude requires sign-in. Sign in, then retry.';
    chat = await ChatPage.with([{ type: 'errorShown', message, remedies: ['signIn', 'retry'], at: NOON }]);
    await chat.button('Sign In').click();
    assert.deepEqual(await chat.intents(), [{ type: 'signIn' }]);
  });
});

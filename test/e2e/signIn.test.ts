import { join } from 'node:path';
import { fakeAgent } from '../fakeAgent/definition';
import { makeTemporaryFolder, removeFolder } from '../host/workspace.mjs';
import { shareAmongSuites } from './sharedWorkbench';
import type { Workbench } from './workbench';

/** An agent that requires authentication: the first prompt fails, the user signs in, and the prompt is answered. */
describe('signing in', () => {
  let workbench: Workbench;
  let folder: string;

  before(async () => {
    folder = await makeTemporaryFolder('sign-in');
  });

  const settings = (): Record<string, unknown> => {
    const { command, args, env } = fakeAgent({
      FAKE_AUTH_REQUIRED: 'session/new session/prompt',
      FAKE_AUTH_FAILURES: '1',
      FAKE_AUTH_FILE: join(folder, 'token'),
      FAKE_AUTH_ASK: '1',
      FAKE_AUTH_METHODS: JSON.stringify([
        { id: 'browser', name: 'Browser', description: 'Opens the browser' },
        { id: 'tui', name: 'Terminal', type: 'terminal', args: ['--login'] },
      ]),
      FAKE_CAPABILITIES: JSON.stringify({ auth: { logout: {}, status: {} } }),
    });
    return { 'parley.agents': { Fake: { command, args, env } }, 'parley.defaultAgent': 'Fake' };
  };
  shareAmongSuites(
    (opened) => (workbench = opened),
    () => ({ settings: settings() }),
  );

  after(async () => {
    if (folder) await removeFolder(folder);
  });

  it('signs in after the first prompt failed and sends it again; after Sign Out it signs in through a terminal', async () => {
    const chat = workbench.chat();
    const message = chat.getByRole('textbox', { name: 'Message' });
    const card = chat.getByRole('alert').filter({ has: chat.getByRole('list', { name: 'Sign-in methods' }) });
    await message.fill('text Hello from the agent');
    await message.press('Enter');
    await card.getByRole('button', { name: 'Browser' }).click();
    await card.getByText('The browser was closed during browser').waitFor();
    await workbench.screenshot('e2e-sign-in');
    await card.getByRole('button', { name: 'Browser' }).click();
    const answer = chat.getByRole('article', { name: 'Agent' });
    await answer.getByText('Hello from the agent').waitFor();
    await chat.getByRole('status', { name: 'Agent' }).getByText('Fake: ready').waitFor({ state: 'attached' });
    await card.waitFor({ state: 'detached' });

    await workbench.runCommand('Parley: Sign Out');
    await workbench.page.getByRole('button', { name: 'Sign Out' }).click();
    await chat.getByText('You are signed out of Fake.').waitFor();
    await card.getByRole('button', { name: 'Terminal' }).click();
    const terminal = workbench.page.locator('.terminal-wrapper.active');
    await terminal.locator('.xterm').click();
    await terminal.locator('.xterm.focus').waitFor();
    await workbench.page.keyboard.type('the code\n');
    await chat.getByRole('status', { name: 'Agent' }).getByText('Fake: ready').waitFor({ state: 'attached' });
    await message.fill('text Here again');
    await message.press('Enter');
    await answer.getByText('Here again').waitFor();
    await workbench.screenshot('e2e-signed-in');
  });
});

import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { ModelServer } from '../agents/modelServer';
import { startModelServer } from '../agents/modelServer';
import { opencodeAgent } from '../agents/opencode';
import { makeTemporaryFolder, removeFolder } from '../host/workspace.mjs';
import { shareWorkbench } from './sharedWorkbench';
import type { Workbench } from './workbench';

/** The life of sessions with a real agent: what it still knows after the window is gone, and the list beside the chat. */
describe('sessions in the real workbench', function () {
  this.timeout(240_000);
  let model: ModelServer;
  let home: string;
  let agent: object;
  let workbench: Workbench;

  before(async () => {
    model = await startModelServer();
    home = await makeTemporaryFolder('agent-home');
    agent = await opencodeAgent(model.url, home);
  });

  shareWorkbench(
    (opened) => (workbench = opened),
    () => ({ settings: { 'parley.agents': { OpenCode: agent }, 'parley.defaultAgent': 'OpenCode' } }),
  );

  after(async () => {
    await model?.close();
    if (home) await removeFolder(home);
  });

  const message = (): Locator => workbench.chat().getByRole('textbox', { name: 'Message' });
  const conversation = (): Locator => workbench.chat().getByRole('log', { name: 'Conversation' });
  const answer = (text: string): Locator =>
    conversation().getByRole('article', { name: 'Agent' }).getByText(text, { exact: true });

  async function ask(text: string, answered: string): Promise<void> {
    await message().click();
    await message().fill(text);
    await message().press('Enter');
    // It takes its time to start, and the first word of the model another.
    await workbench
      .chat()
      .getByRole('status', { name: 'Agent' })
      .getByText('OpenCode: ready')
      .waitFor({ state: 'attached' });
    await answer(answered).waitFor();
    await workbench.chat().getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
  }

  const input = (): Locator => workbench.page.locator('.quick-input-widget input.input');
  const pick = (text: string): Locator =>
    workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();

  /** Rows that are selected: in the list of sessions, the one that the chat shows. */
  const selected = (): Locator => workbench.page.locator('[aria-selected="true"]');

  /** The request in which the model was sent this prompt for the first time. */
  function requestWith(text: string): Promise<string> {
    return model
      .waitForRequest(({ body }) => JSON.stringify(body).includes(text))
      .then(({ body }) => JSON.stringify(body));
  }

  it('the agent remembers the conversation after the window was reloaded', async () => {
    await ask('say Remember the word aubergine.', 'Remember the word aubergine.');
    await workbench.reload();
    await workbench.focusChat();
    await answer('Remember the word aubergine.').waitFor();
    await ask('say Second answer.', 'Second answer.');
    const request = await requestWith('say Second answer.');
    assert.ok(request.includes('say Remember the word aubergine.'), 'the model sees the earlier prompt');
    assert.equal(await conversation().getByRole('article', { name: 'You' }).count(), 2, 'nothing is doubled');
    assert.equal(await conversation().getByText('Agent restarted').count(), 0);
  });

  it('is found again by its title, renamed and deleted', async () => {
    await ask('say About apples.', 'About apples.');
    await workbench.runCommand('Parley: New Chat');
    await answer('About apples.').waitFor({ state: 'detached' });
    await ask('say About pears.', 'About pears.');
    await workbench.runCommand('Parley: Open Session');
    await pick('Load sessions of Demo agent…').click();
    // The agent runs now, and the pick is still open.
    await pick('sessions of Demo agent').waitFor({ state: 'detached' });
    await pick('About pears').waitFor();
    await input().fill('apples');
    await pick('About pears').waitFor({ state: 'detached' });
    await pick('About apples').click();
    await answer('About apples.').waitFor();

    await workbench.runCommand('Parley: Rename Session');
    await workbench.page.locator('.quick-input-widget').getByText('Enter a new session title').waitFor();
    await input().fill('Fruit of the autumn');
    await input().press('Enter');
    await input().waitFor({ state: 'hidden' });
    const header = workbench.page.getByRole('button', { name: 'Sessions Section' });
    await header.click();
    const row = workbench.page.getByRole('treeitem', { name: /Fruit of the autumn/ });
    await row.and(selected()).waitFor();
    await workbench.screenshot('e2e-sessions');

    await ask('say Still about apples.', 'Still about apples.');
    assert.ok((await requestWith('say Still about apples.')).includes('say About apples.'));

    await workbench.runCommand('Parley: Delete Session');
    await workbench.toast('“Fruit of the autumn” was deleted.').waitFor();
    await row.waitFor({ state: 'detached' });
    await answer('About pears.').waitFor();
    await workbench.page
      .getByRole('treeitem', { name: /About pears/ })
      .and(selected())
      .waitFor();
  });
});

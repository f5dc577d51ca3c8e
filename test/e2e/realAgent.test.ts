import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import type { ModelServer } from '../agents/modelServer';
import { startModelServer } from '../agents/modelServer';
import { opencodeAgent } from '../agents/opencode';
import { makeTemporaryFolder, removeFolder } from '../host/workspace.mjs';
import { shareAmongSuites } from './sharedWorkbench';
import type { Workbench } from './workbench';

/**
 * The real workbench with the packed extension, a real agent from npm, and a scripted model on 127.0.0.1: a turn, and the
 * restored session after a reload. Both in one window, because the agent takes five seconds to start.
 */
describe('a real agent in the real workbench', () => {
  let model: ModelServer;
  let home: string;
  let agent: object;
  let workbench: Workbench;

  before(async () => {
    model = await startModelServer();
    home = await makeTemporaryFolder('agent-home');
    agent = await opencodeAgent(model.url, home);
  });

  shareAmongSuites(
    (opened) => (workbench = opened),
    () => ({ settings: { 'parley.agents': { OpenCode: agent }, 'parley.defaultAgent': 'OpenCode' } }),
  );

  after(async () => {
    await model?.close();
    if (home) await removeFolder(home);
  });

  const message = (): Locator => workbench.chat().getByRole('textbox', { name: 'Message' });
  const conversation = (): Locator => workbench.chat().getByRole('log', { name: 'Conversation' });
  const answer = (): Locator => conversation().getByRole('article', { name: 'Agent' });
  const said = (text: string): Locator => answer().getByText(text, { exact: true });
  const permission = (): Locator => workbench.chat().getByRole('group', { name: /^Permission: / });

  async function send(text: string): Promise<void> {
    await message().click();
    await message().fill(text);
    await message().press('Enter');
    // The agent takes time to start, and the model's first word takes time as well.
    await workbench
      .chat()
      .getByRole('status', { name: 'Agent' })
      .getByText('OpenCode: ready')
      .waitFor({ state: 'attached' });
  }

  async function contentOf(path: string): Promise<string | undefined> {
    return readFile(join(workbench.folder, path), 'utf8').catch(() => undefined);
  }

  it('edits a file after approval in the page, and streams its answer', async () => {
    await send(`say I will write the file.\nwrite ${join(workbench.folder, 'notes.txt')} hello from the agent\\n`);
    await permission().getByRole('button', { name: 'Allow once', exact: true }).waitFor();
    assert.equal(await contentOf('notes.txt'), undefined, 'nothing is written before the answer');
    await answer().getByText('I will write the file.').waitFor();
    await workbench.screenshot('e2e-permission');
    await permission().getByRole('button', { name: 'Allow once', exact: true, disabled: false }).click();
    await answer().getByText('FINAL ok: Wrote file successfully.').waitFor();
    assert.equal(await contentOf('notes.txt'), 'hello from the agent\n');
    await conversation()
      .getByRole('group', { name: /^Tool: .*notes\.txt/ })
      .getByRole('status')
      .getByText('Done')
      .waitFor({ state: 'attached' });
    await workbench.screenshot('e2e-done');
  });

  async function ask(text: string, answered: string): Promise<void> {
    await send(text);
    await said(answered).waitFor();
    await workbench.chat().getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
  }

  /** The first model request with this prompt. */
  function requestWith(text: string): Promise<string> {
    return model
      .waitForRequest(({ body }) => JSON.stringify(body).includes(text))
      .then(({ body }) => JSON.stringify(body));
  }

  it('survives a reload of the window during a turn, and remembers the conversation', async () => {
    await send('say Remember the word aubergine.\nread README.md\npause reload\nsay never said');
    await said('Remember the word aubergine.').waitFor();
    await model.reached('reload');
    await workbench.reload();
    await workbench.focusChat();
    await said('Remember the word aubergine.').waitFor();
    await conversation().getByRole('article', { name: 'Notice' }).getByText('Interrupted').waitFor();
    await ask('say Second answer.', 'Second answer.');
    const request = await requestWith('say Second answer.');
    assert.ok(request.includes('say Remember the word aubergine.'), 'the model sees the earlier prompt');
    assert.equal(await conversation().getByRole('article', { name: 'You' }).count(), 2, 'nothing is doubled');
    assert.equal(await conversation().getByText('Agent restarted').count(), 0);
    await workbench.screenshot('e2e-reloaded');
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeAgent } from '../fakeAgent/definition';
import { makeTemporaryFolder, removeFolder } from '../host/workspace.mjs';
import type { Workbench } from './workbench';
import { closeAfter, openWorkbench } from './workbench';

/** What goes with a message, from the editor to the agent. */
describe('mentions in the workbench', function () {
  this.timeout(240_000);
  let workbench: Workbench;
  let logs: string;

  beforeEach(async () => {
    logs = await makeTemporaryFolder('agent-logs');
    const { command, args, env } = fakeAgent({ FAKE_LOG: join(logs, 'log.jsonl') });
    workbench = await openWorkbench({
      settings: { 'parley.agents': { One: { command, args, env } }, 'parley.defaultAgent': 'One' },
      workspaceFiles: {
        'lib/needle in hay.txt': 'one\ntwo\nthree\n',
        'hidden/needle.txt': 'ignored',
        '.gitignore': 'node_modules\n',
        '.vscode/settings.json': '{ "files.exclude": { "hidden": true } }',
      },
    });
    await workbench.focusChat();
  });

  afterEach(async function () {
    await closeAfter(this.currentTest, workbench);
    if (logs) await removeFolder(logs);
  });

  /** The content blocks of each prompt that the agent got. */
  const prompts = (): { type: string }[][] =>
    readFileSync(join(logs, 'log.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { method?: string; params?: { prompt: { type: string }[] } })
      .flatMap(({ method, params }) => (method === 'session/prompt' && params ? [params.prompt] : []));

  it('completes a file, shows what goes with the message, and sends its text and the selection to the agent', async () => {
    const chat = workbench.chat();
    const message = chat.getByRole('textbox', { name: 'Message' });
    const conversation = chat.getByRole('log', { name: 'Conversation' });
    await message.pressSequentially('say @needle');
    const option = chat.getByRole('listbox', { name: 'Mentions' }).getByRole('option', { name: /^needle/ });
    await option.first().waitFor();
    assert.deepEqual(await option.allInnerTexts(), ['needle in hay.txt\nlib']);
    await message.press('Enter');
    await chat.getByRole('list', { name: 'Attached' }).getByText('needle in hay.txt').waitFor();
    await message.pressSequentially('say done');
    await message.press('Enter');
    await conversation.getByRole('article', { name: 'Agent' }).waitFor();
    await conversation.getByRole('article', { name: 'You' }).getByText('needle in hay.txt').waitFor();

    await workbench.page.keyboard.press('Control+P');
    await workbench.page.locator('.quick-input-widget input.input').fill('needle in hay');
    await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'needle in hay.txt' }).click();
    await workbench.page.locator('.editor-instance .view-line', { hasText: 'three' }).click();
    await workbench.page.keyboard.press('Control+Home');
    await workbench.page.keyboard.press('ArrowDown');
    await workbench.page.keyboard.press('Shift+End');
    await workbench.runCommand('Parley: Add Selection to Chat');
    await chat.getByRole('button', { name: 'Remove lib/needle in hay.txt:2', exact: true }).waitFor();
    await message.fill('say again');
    await message.press('Enter');
    await conversation.getByRole('article', { name: 'Agent' }).nth(1).waitFor();
    const [first, second] = prompts();
    const uri = `file://${workbench.folder}/lib/needle%20in%20hay.txt`;
    assert.deepEqual(first, [
      { type: 'text', text: 'say say done' },
      { type: 'resource', resource: { uri, text: 'one\ntwo\nthree\n' } },
    ]);
    assert.deepEqual(second, [
      { type: 'text', text: 'say again' },
      { type: 'resource', resource: { uri: `${uri}#L2-L2`, text: 'two\n' } },
    ]);
  });
});

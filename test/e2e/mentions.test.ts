import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeAgent } from '../fakeAgent/definition';
import { makeTemporaryFolder, removeFolder } from '../host/workspace.mjs';
import { becomes } from '../kit/waiting';
import { shareAmongSuites } from './sharedWorkbench';
import type { Workbench } from './workbench';

/** Attachments and mentions, from the editor to the agent. */
describe('mentions in the workbench', () => {
  let workbench: Workbench;
  let logs: string;

  before(async () => {
    logs = await makeTemporaryFolder('agent-logs');
  });

  shareAmongSuites(
    (opened) => (workbench = opened),
    () => {
      const promptCapabilities = { image: true, embeddedContext: true };
      const FAKE_CAPABILITIES = JSON.stringify({ promptCapabilities });
      const { command, args, env } = fakeAgent({ FAKE_LOG: join(logs, 'log.jsonl'), FAKE_CAPABILITIES });
      return {
        settings: {
          'parley.agents': { Reader: { command, args, env } },
          'parley.defaultAgent': 'Reader',
          // Rendered as text, so that a test can wait for terminal output.
          'terminal.integrated.gpuAcceleration': 'off',
          'files.exclude': { hidden: true },
        },
        workspaceFiles: {
          'lib/needle in hay.txt': 'one\ntwo\nthree\n',
          'hidden/needle.txt': 'ignored',
          '.gitignore': 'node_modules\n',
        },
      };
    },
  );

  after(async () => {
    if (logs) await removeFolder(logs);
  });

  /** The content blocks of each prompt that the agent received. */
  const prompts = (): { type: string }[][] =>
    readFileSync(join(logs, 'log.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { method?: string; params?: { prompt: { type: string }[] } })
      .flatMap(({ method, params }) => (method === 'session/prompt' && params ? [params.prompt] : []));

  it('complete a file, show its attachments, and send its text and the selection to the agent', async () => {
    const chat = workbench.chat();
    const message = chat.getByRole('textbox', { name: 'Message' });
    const conversation = chat.getByRole('log', { name: 'Conversation' });
    await message.pressSequentially('say @needle');
    const option = chat.getByRole('listbox', { name: 'Mentions' }).getByRole('option', { name: /^needle/ });
    await becomes(() => option.allInnerTexts(), ['needle in hay.txt\nlib']);
    await chat.locator('[role=option][aria-selected=true]', { hasText: 'needle in hay.txt' }).waitFor();
    await message.press('Enter');
    await chat.getByRole('list', { name: 'Attached' }).getByText('needle in hay.txt').waitFor();
    await message.pressSequentially('say done');
    await message.press('Enter');
    await conversation.getByRole('article', { name: 'Agent' }).waitFor();
    await conversation.getByRole('article', { name: 'You' }).getByText('needle in hay.txt', { exact: true }).waitFor();

    await workbench.openFile('needle in hay.txt');
    await workbench.page.keyboard.press('ArrowDown');
    await workbench.page.keyboard.press('Shift+End');
    await workbench.page.locator('.statusbar-item', { hasText: 'Ln 2, Col 4 (3 selected)' }).waitFor();
    await workbench.runCommand('Parley: Add Selection to Chat');
    await chat.getByRole('button', { name: 'Remove lib/needle in hay.txt:2', exact: true }).waitFor();
    await message.fill('say again');
    await message.press('Enter');
    await conversation.getByRole('article', { name: 'Agent' }).nth(1).waitFor();
    const [first, second] = prompts();
    const uri = `file://${workbench.folder}/lib/needle%20in%20hay.txt`;
    assert.deepEqual(first, [
      { type: 'text', text: 'say @"needle in hay.txt" say done' },
      { type: 'resource', resource: { uri, text: 'one\ntwo\nthree\n', mimeType: 'text/plain' } },
    ]);
    assert.deepEqual(second, [
      { type: 'text', text: 'say again' },
      { type: 'resource', resource: { uri: `${uri}#L2-L2`, text: 'two\n', mimeType: 'text/plain' } },
    ]);
  });

  /** Completes a mention after `@` in the message box with keys only. */
  async function mention(query: string, name: RegExp): Promise<void> {
    const chat = workbench.chat();
    const { keyboard } = workbench.page;
    await keyboard.type(`@${query}`);
    // Results for a shorter prefix are shown until those of the whole word arrive.
    const list = chat.locator('[role=listbox][aria-label=Mentions]:not([aria-busy=true])');
    const options = list.getByRole('option');
    await options.filter({ hasText: name }).first().waitFor();
    const names = await options.allInnerTexts();
    const place = names.findIndex((text) => name.test(text));
    for (const _ of names.slice(0, place)) await keyboard.press('ArrowDown');
    await options.and(chat.locator('[aria-selected=true]')).filter({ hasText: name }).waitFor();
    const attached = chat.getByRole('list', { name: 'Attached' }).getByRole('listitem');
    const before = await attached.count();
    await keyboard.press('Enter');
    await attached.nth(before).waitFor();
  }

  it('add the terminal and a pasted image to one message by keyboard', async () => {
    const chat = workbench.chat();
    const { page } = workbench;
    const { keyboard } = page;
    const conversation = chat.getByRole('log', { name: 'Conversation' });
    const focused = chat.locator('.message-box:focus');
    await workbench.runCommand('Parley: Focus Chat');
    await focused.waitFor();
    await workbench.runCommand('Terminal: Create New Terminal');
    await page.locator('.terminal-wrapper.active .xterm.focus').waitFor();
    await keyboard.type('echo from-the-$((40 + 2))');
    await keyboard.press('Enter');
    await page.locator('.terminal-wrapper.active .xterm-rows', { hasText: 'from-the-42' }).waitFor();
    await workbench.runCommand('Terminal: Select All');
    await page.locator('.terminal-wrapper.active .xterm-selection div').first().waitFor();

    await workbench.runCommand('Parley: Focus Chat');
    await focused.waitFor();
    await mention('terminal', /^Terminal selection/);
    await page.evaluate(copyPicture, PIXEL);
    await keyboard.press('Control+V');
    await chat.getByRole('list', { name: 'Attached' }).getByText('image.png').waitFor();
    await workbench.screenshot('e2e-mentions');
    await keyboard.press('Enter');
    await conversation.getByRole('article', { name: 'Agent' }).waitFor();
    const blocks = (prompts().at(-1) ?? []) as readonly SentBlock[];
    const sent = blocks.map(({ type, resource, mimeType }) => ({ type, mimeType, ...resource }));
    assert.ok(
      sent.some(({ text = '' }) => text.includes('from-the-42')),
      JSON.stringify(sent),
    );
    assert.deepEqual(
      sent.filter(({ type }) => type === 'image').map(({ mimeType }) => mimeType),
      ['image/png'],
    );
  });

  it('add a command of a terminal with its output, but none of the agent’s', async () => {
    const chat = workbench.chat();
    const { page } = workbench;
    const { keyboard } = page;
    const message = chat.getByRole('textbox', { name: 'Message' });
    await workbench.runCommand('Terminal: Create New Terminal');
    await page.locator('.terminal-wrapper.active .xterm.focus').waitFor();
    // What is typed before the shell shows its prompt is no command for VS Code.
    await page.locator('.terminal-wrapper.active .xterm-rows', { hasText: /[$#]/ }).waitFor();
    await keyboard.insertText('echo part-$((1 + 1)); false');
    await keyboard.press('Enter');
    await page.locator('.terminal-wrapper.active .xterm-rows', { hasText: 'part-2' }).waitFor();
    await message.click();
    await message.fill('tool t execute Count\nshow-terminal t pwd\nupdate t completed');
    await keyboard.press('Enter');
    await chat.getByRole('button', { name: 'Show in Terminal' }).first().click();
    await message.click();
    const command = /^echo part-.*Exit code 1/s;
    await mention('terminal', command);
    await keyboard.type('say seen');
    await keyboard.press('Enter');
    await becomes(async () => JSON.stringify(prompts().at(-1)).includes('seen'), true);
    const [, block] = (prompts().at(-1) ?? []) as readonly SentBlock[];
    const text = `$ echo part-$((1 + 1)); false\npart-2\n[exit code 1, in ${workbench.folder}]`;
    assert.equal(block?.resource?.text, text);
    await keyboard.type('@terminal');
    const list = chat.locator('[role=listbox][aria-label=Mentions]:not([aria-busy=true])');
    await list.getByRole('option').filter({ hasText: command }).waitFor();
    assert.equal(await list.getByRole('option').filter({ hasText: /^pwd/ }).count(), 0);
    await workbench.screenshot('e2e-mentions-commands');
    await keyboard.press('Escape');
    await message.fill('');
  });
});

/** A content block of a prompt (ACP, "Content"). */
interface SentBlock {
  readonly type: string;
  readonly mimeType?: string;
  readonly resource?: { readonly uri?: string; readonly text?: string };
}

/** A picture of one pixel. */
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Runs in the window: puts a picture on the clipboard, as other programs do. */
async function copyPicture(address: string): Promise<void> {
  const bytes = Uint8Array.from(atob(address.slice(address.indexOf(',') + 1)), (letter) => letter.charCodeAt(0));
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': new Blob([bytes], { type: 'image/png' }) })]);
}

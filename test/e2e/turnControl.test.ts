import assert from 'node:assert/strict';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { fakeAgent } from '../fakeAgent/definition';
import { becomes, until } from '../kit/waiting';
import { shareAmongSuites } from './sharedWorkbench';
import type { Workbench } from './workbench';

const MODE = {
  id: 'mode',
  name: 'Mode',
  category: 'mode',
  type: 'select',
  currentValue: 'ask',
  options: [
    { value: 'ask', name: 'Ask' },
    { value: 'code', name: 'Code' },
  ],
};

/** Edited earlier messages, with an agent that writes files directly. */
describe('turn control in the real workbench', () => {
  let workbench: Workbench;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-turns-'));
  });

  shareAmongSuites(
    (opened) => (workbench = opened),
    () => {
      const { command, args, env } = fakeAgent({
        FAKE_LOG: join(folder, 'received.jsonl'),
        FAKE_NEW_RESULT: JSON.stringify({ configOptions: [MODE] }),
      });
      return {
        settings: { 'parley.agents': { Turner: { command, args, env } }, 'parley.defaultAgent': 'Turner' },
        workspaceFiles: { 'poem.txt': 'as it was\n' },
      };
    },
  );

  after(() => rm(folder, { recursive: true, force: true }));

  const chat = (): ReturnType<Workbench['chat']> => workbench.chat();
  const box = (): Locator => chat().getByRole('textbox', { name: 'Message' });
  const said = (text: string): Locator =>
    chat().getByRole('article', { name: 'Agent' }).getByText(text, { exact: true });
  const dialog = (): Locator => workbench.page.locator('.monaco-dialog-box');

  async function ask(script: string): Promise<void> {
    await box().click();
    await box().fill(script);
    await box().press('Enter');
  }

  /** Waits until the file has the expected content. */
  const holds = (wanted: string): Promise<void> =>
    becomes(() => readFile(join(workbench.folder, 'poem.txt'), 'utf8'), wanted);

  /** Whether the file for the next window says that the chat view shows a chat without messages. */
  async function isBlankStored(): Promise<boolean> {
    const names = (await readdir(workbench.data, { recursive: true })).filter((name) => name.endsWith('state.json'));
    const texts = await Promise.all(names.map((name) => readFile(join(workbench.data, name), 'utf8').catch(() => '')));
    return texts.some((stored) => /"inView":\s*\{[^}]*"blank":\s*true/.test(stored));
  }

  /** Opens the message for editing in place. */
  async function edit(): Promise<Locator> {
    await chat().getByRole('button', { name: 'Actions for your message' }).press('F2');
    const editor = chat().getByRole('textbox', { name: 'Edit message' });
    await editor.waitFor();
    return editor;
  }

  it('continues from an earlier message with restored files, and asks before it overwrites user changes', async () => {
    await ask('disk poem.txt by the agent\\n');
    await holds('by the agent\n');
    await chat()
      .getByRole('button', { name: /1 file/ })
      .first()
      .waitFor();
    let editor = await edit();
    await editor.fill('text instead\ndisk poem.txt better\\n');
    await editor.press('Enter');
    await said('instead').waitFor();
    await holds('better\n');
    assert.equal(await dialog().count(), 0);
    // Only the new message: the other conversation is a separate session.
    assert.equal(await chat().getByRole('article', { name: 'You' }).count(), 1);
    await chat().getByRole('note', { name: 'Turn summary' }).getByRole('button').waitFor();

    await writeFile(join(workbench.folder, 'poem.txt'), 'mine\n');
    editor = await edit();
    await editor.fill('text once more');
    await editor.press('Enter');
    await dialog().getByText('poem.txt will be changed').waitFor();
    await workbench.screenshot('e2e-resend');
    await dialog().getByRole('button', { name: 'Cancel', exact: true }).click();
    await holds('mine\n');
    assert.equal(await editor.inputValue(), 'text once more');
    // Shows "Sending…" until the host reports that nothing was sent: Enter would send it twice.
    await editor.and(chat().locator(':not([readonly])')).waitFor();
    await editor.press('Enter');
    await dialog().getByRole('button', { name: 'Restore and Send', exact: true }).click();
    await said('once more').waitFor();
    await holds('as it was\n');
  });

  it('restores the files before a message from the menu of its mark', async () => {
    const { page } = workbench;
    await ask('text first');
    await said('first').waitFor();
    await ask('disk poem.txt by the agent\\n');
    await chat().getByRole('note', { name: 'Turn summary' }).getByRole('button').waitFor();
    await ask('text third');
    await said('third').waitFor();
    await workbench.runCommand('View: Maximize Secondary Side Bar');
    const mark = chat()
      .getByRole('toolbar', { name: 'Turn timeline' })
      .getByRole('button', { name: 'Turn 2', exact: true });
    await mark.click({ button: 'right' });
    const restore = page.locator('.context-view .action-item', { hasText: 'Restore Checkpoint' });
    await restore.hover();
    await restore.and(page.locator('.focused')).waitFor();
    await workbench.screenshot('e2e-rail');
    await page.keyboard.press('Enter');
    await dialog().getByText('poem.txt will be changed').waitFor();
    await dialog().getByRole('button', { name: 'Restore File', exact: true }).click();
    await holds('as it was\n');
    await workbench.runCommand('View: Restore Secondary Side Bar');
  });

  it('opens the agent session when the user starts typing, with its modes, and not when the window opens', async () => {
    const opened = async (): Promise<number> => {
      const lines = (await readFile(join(folder, 'received.jsonl'), 'utf8')).split('\n');
      return lines.filter((line) => line.includes('"session/new"')).length;
    };
    await ask('text before');
    await said('before').waitFor();
    await workbench.runCommand('Parley: New Chat');
    await said('before').waitFor({ state: 'detached' });
    const mode = chat().getByRole('combobox', { name: 'Mode' });
    await mode.waitFor();
    // A window that ends earlier shows the chat before.
    await until(isBlankStored, 'the new chat is stored as the shown one');
    await workbench.reload();
    await workbench.focusChat();
    const before = await opened();
    await mode.waitFor({ state: 'detached' });
    await box().press('h');
    await mode.waitFor();
    assert.equal(await opened(), before + 1);
    await ask('text hello');
    await said('hello').waitFor();
    assert.equal(await opened(), before + 1);
  });

  it('marks calls that ran without a request: in the turn, the call, Select Agent and the audit log', async () => {
    await ask('disk poem.txt changed\\n\ndiff poem.txt | as it was => changed\ntext done');
    await said('done').waitFor();
    await chat().getByText('1 ran without asking').waitFor();
    await workbench.runCommand('Parley: Select Agent');
    const rows = workbench.page.locator('.quick-input-list .monaco-list-row');
    await rows.filter({ hasText: 'Turner' }).getByText('asks before edits: no').waitFor();
    await workbench.screenshot('e2e-without-asking');
    await workbench.page.keyboard.press('Escape');
    await workbench.runCommand('Parley: Show Audit Log');
    const decisions = workbench.tab().getByRole('grid', { name: 'Decisions' });
    await decisions.getByRole('row', { name: /ran without asking/i }).waitFor();
  });
});

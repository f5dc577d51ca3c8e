import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { fakeAgent } from '../fakeAgent/definition';
import { makeTemporaryFolder, removeFolder } from '../host/workspace.mjs';
import { becomes, eventually } from '../kit/waiting';
import type { PageWindow } from '../page/pageWindow';
import { shareAmongSuites } from './sharedWorkbench';
import { chooseRow, quickInput, quickRow } from './steps';
import type { Workbench } from './workbench';

/** Prompts, each with the agent's script. */
const scripts = (go: string): Record<string, string> => ({
  'Correct @poem.txt please':
    'tool look search Search for errors\nupdate look completed poem.txt:1: as it was\n' +
    'permission fix allow_once:Allow reject_once:Reject\nwrite poem.txt by the agent\\n\ntext It is corrected.',
  'Go on': `text I am at it.\nuntil-file ${go}`,
  'and then this': 'text That too.',
});

/** A complete session without a mouse: no test here clicks (docs/keyboard.md). */
describe('a session by keyboard alone', () => {
  let workbench: Workbench;
  let folder: string;

  before(async () => {
    folder = await makeTemporaryFolder('keys');
    await writeFile(join(folder, 'scripts.json'), JSON.stringify(scripts(join(folder, 'go'))));
  });

  shareAmongSuites(
    (opened) => (workbench = opened),
    () => {
      const { command, args, env } = fakeAgent({ FAKE_SCRIPTS: join(folder, 'scripts.json') });
      return {
        settings: { 'parley.agents': { Typist: { command, args, env } }, 'parley.defaultAgent': 'Typist' },
        workspaceFiles: { 'poem.txt': 'as it was\n' },
      };
    },
  );

  after(() => removeFolder(folder));

  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await workbench.page.keyboard.press(key);
  };
  const type = (text: string): Promise<void> => workbench.page.keyboard.type(text);
  const body = (): Locator => workbench.chat().locator('body');
  const conversation = (): Locator => workbench.chat().getByRole('log', { name: 'Conversation' });
  /** Waits for an announcement. The next announcement replaces it immediately, so all are recorded. */
  const spoken = (text: string): Promise<void> => becomes(() => body().evaluate(heard, text), text);

  /**
   * Runs a command by its title in the palette, which lists only commands that existed when it was opened. The title arrives at once, as
   * from an input method: the palette draws all its rows for each letter, a tenth of a second of a core.
   */
  async function command(title: string): Promise<void> {
    const { page } = workbench;
    const row = page.locator('.quick-input-list .monaco-list-row.focused', { hasText: title });
    await eventually(async () => {
      await press('F1');
      try {
        await quickInput(page).waitFor({ timeout: 5000 });
        await page.keyboard.insertText(title);
        await row.waitFor({ timeout: 3000 });
      } catch (error) {
        await press('Escape');
        await quickInput(page).waitFor({ state: 'hidden' });
        throw error;
      }
    });
    await press('Enter');
  }

  /** Accessible name of the focused element in the chat; empty while the focus is outside. */
  const focused = (): Promise<string> =>
    body().evaluate(() => {
      const on = document.activeElement;
      if (!document.hasFocus() || !on || on === document.body) return '';
      return (on.getAttribute('aria-label') ?? on.textContent ?? '').replaceAll(/\s+/g, ' ').trim();
    });

  /** Waits until that element has the focus. */
  const at = (name: string): Promise<void> => becomes(focused, name);

  /** Presses a key until that element has the focus. */
  async function reach(name: string, key: string): Promise<void> {
    const passed: string[] = [];
    while (passed.length < 40) {
      const found = await focused();
      if (found === name) return;
      passed.push(found);
      await press(key);
    }
    assert.fail(`${key} does not lead to "${name}", but to ${passed.join(', ')}`);
  }

  /** Writes a message with a mention, allows the agent's requests, and returns to the message box. */
  async function askAndAllow(): Promise<void> {
    await type('Correct @poe');
    await workbench.chat().getByRole('option', { name: 'poem.txt', selected: true }).waitFor();
    await press('Enter');
    await type('please');
    await press('Enter');
    await spoken('Waiting for you: Run fix');
    await at('Message');
    await press('Alt+ArrowUp');
    await at('Permission: Run fix');
    await workbench.chat().locator('.question .button:not([aria-disabled="true"])').first().waitFor();
    await press('1');
    await spoken('It is corrected.');
    await spoken('Turn finished');
    await at('Message');
  }

  it('supports writing, mentions, answers, reading, review, the queue, Stop and switching, with announcements', async () => {
    await command('Parley: Focus Chat');
    await at('Message');
    await body().evaluate(listen);
    await askAndAllow();

    await press('Alt+ArrowUp');
    await at('Agent');
    await reach('Tool: Search for errors', 'Alt+ArrowUp');
    await press('ArrowRight');
    await workbench.chat().getByRole('button', { name: '1 as it was' }).waitFor();
    await reach('You', 'Alt+ArrowUp');
    await press('Escape');
    await at('Message');

    await workbench.chat().getByRole('region', { name: 'Changes' }).waitFor();
    await reach('Review', 'Shift+Tab');
    await press('Enter');
    const { page } = workbench;
    await page.locator('.tab.active', { hasText: 'poem.txt (agent changes)' }).waitFor();
    // VS Code receives keys of a webview later than those of an editor: a chord split between the two is not recognized.
    await page.locator('.monaco-diff-editor .monaco-editor.focused', { hasText: 'by the agent' }).waitFor();
    await press('Control+K', 'Alt+ArrowDown');
    await page.locator('.tab.active', { hasText: /^poem\.txt$/ }).waitFor();
    // In the file, where its change can be kept.
    const editor = page.locator('.editor-instance > .monaco-editor.focused', { hasText: 'by the agent' });
    await editor.locator('.codelens-decoration', { hasText: 'Keep' }).waitFor();
    await press('Control+K', 'Alt+K');
    await workbench.chat().getByRole('region', { name: 'Changes' }).waitFor({ state: 'detached' });

    await command('Parley: Focus Chat');
    await at('Message');
    await waitInTheQueue();
    await leaveAndComeBack();
    await renameAndDelete();
  });

  /** A second message is queued, edited, and sent after the turn was stopped. */
  async function waitInTheQueue(): Promise<void> {
    await type('Go on');
    await press('Enter');
    await workbench.chat().getByText('I am at it.').waitFor();
    await type('and then that');
    await press('Enter');
    await spoken('The message is queued until the turn ends');
    await reach('Edit', 'Shift+Tab');
    await press('Enter');
    await at('Edit queued message');
    // Not Control+A: VS Code handles that key outside the page, after the next letter.
    await press('End', 'Shift+Home');
    await type('and then this');
    await press('Enter');
    await at('Message');
    await press('Control+Escape');
    await spoken('Paused: you stopped the turn');
    await reach('Resume', 'Shift+Tab');
    await press('Enter');
    await spoken('That too.');
    await reach('Message', 'Tab');
  }

  /** Opens another chat and returns through the session list. */
  async function leaveAndComeBack(): Promise<void> {
    await press('Control+K', 'Alt+N');
    await conversation().getByText('That too.').waitFor({ state: 'detached' });
    await at('Message');
    await press('Control+K', 'Alt+O');
    await quickRow(workbench.page, 'Correct').waitFor();
    await chooseRow(workbench.page, 'Correct');
    await conversation().getByText('That too.').waitFor();
    await at('Message');
  }

  /** Renames and deletes a second session in the list while the first stays visible. */
  async function renameAndDelete(): Promise<void> {
    const { page } = workbench;
    await press('Control+K', 'Alt+N');
    await conversation().getByText('That too.').waitFor({ state: 'detached' });
    await at('Message');
    await type('text Of no use');
    await press('Enter');
    await spoken('Of no use');
    await press('Control+K', 'Alt+O');
    await quickRow(page, 'Correct').waitFor();
    await chooseRow(page, 'Correct');
    await conversation().getByText('That too.').waitFor();
    await command('Parley: Focus on Sessions View');
    const row = (text: string): Locator =>
      page.locator('.monaco-list:focus .monaco-list-row.focused', { hasText: text });
    await page.locator('.monaco-list:focus .monaco-list-row', { hasText: 'Of no use' }).waitFor();
    await press('Home');
    for (let steps = 0; steps < 5 && !(await row('Of no use').isVisible()); steps++) await press('ArrowDown');
    await row('Of no use').waitFor();
    await press('F2');
    await quickInput(page).waitFor();
    await press('End', 'Shift+Home');
    await type('Scratch');
    await press('Enter');
    await row('Scratch').waitFor();
    await press('Delete');
    await page.locator('.monaco-dialog-box', { hasText: 'Delete the session “Scratch”?' }).waitFor();
    await press('Enter');
    await page.getByRole('treeitem', { name: 'Scratch' }).waitFor({ state: 'detached' });
    await conversation().getByText('That too.').waitFor();
  }
});

/** Run in the chat's page. The first records announcements from then on. */
function listen(): void {
  const said: string[] = [];
  Object.assign(window, { said });
  const voice = document.querySelector('[data-part="announcer"]');
  if (!voice) throw new Error('The page has no voice');
  const changes = { childList: true, characterData: true, subtree: true };
  new MutationObserver(() => said.push(...(voice.textContent ?? '').split('\n'))).observe(voice, changes);
}

/** Returns the text if it was announced since the last expected text, else all announcements since then. */
function heard(_: unknown, text: string): string {
  const { said } = window as PageWindow<{ said: string[] }>;
  const at = said.findIndex((one) => one.includes(text));
  if (at < 0) return said.join('\n');
  said.splice(0, at + 1);
  return text;
}

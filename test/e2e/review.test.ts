import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { fakeAgent } from '../fakeAgent/definition';
import { becomes } from '../kit/waiting';
import { shareAmongSuites } from './sharedWorkbench';
import type { Workbench } from './workbench';

const BEFORE = Array.from({ length: 24 }, (_, line) => `line ${line + 1}`);
const AFTER = BEFORE.with(2, 'changed by the agent').toSpliced(9, 1).toSpliced(18, 0, 'added by the agent', 'and this');

/** Hunk review and checkpoints through the UI, with an agent that writes files directly. */
describe('review in the real workbench', () => {
  let workbench: Workbench;

  shareAmongSuites(
    (opened) => (workbench = opened),
    () => {
      const { command, args, env } = fakeAgent();
      return {
        settings: { 'parley.agents': { Writer: { command, args, env } }, 'parley.defaultAgent': 'Writer' },
        workspaceFiles: { 'poem.txt': text(BEFORE), 'other.txt': 'as it was\n' },
      };
    },
  );

  const file = (name: string): Promise<string> => readFile(join(workbench.folder, name), 'utf8');
  const chat = (name: string): Locator => workbench.chat().getByRole('button', { name, exact: true });
  const changes = (): Locator => workbench.chat().getByRole('region', { name: 'Changes' });
  const lens = (title: string): Locator =>
    workbench.page.locator('.monaco-editor .codelens-decoration a').getByText(title, { exact: true });
  /** @param position "1 of 3": order and place say nothing, VS Code renders lenses in any order and places them later */
  const lensOf = (position: string, title: string): Locator =>
    workbench.page
      .locator('.monaco-editor .codelens-decoration')
      .filter({ has: workbench.page.getByText(position, { exact: true }) })
      .getByText(title, { exact: true });
  const button = (holder: string, name: string): Locator =>
    workbench.page.locator(holder).getByRole('button', { name, exact: true });

  const holds = (name: string, wanted: string): Promise<void> => becomes(() => file(name), wanted);

  async function ask(script: string): Promise<void> {
    const box = workbench.chat().getByRole('textbox', { name: 'Message' });
    await box.click();
    await box.fill(script);
    await box.press('Enter');
  }

  /** By keyboard, as soon as the box is visible: no letter goes into the file. */
  async function comment(line: number, words: string): Promise<void> {
    const { page } = workbench;
    await page.locator('.monaco-editor .view-line', { hasText: new RegExp(`^line.${line}$`) }).click();
    await page.locator('.statusbar-item', { hasText: `Ln ${line},` }).waitFor();
    await page.keyboard.press('Control+K');
    await page.keyboard.press('Alt+C');
    await page.locator('.quick-input-widget').getByText(`poem.txt:${line} `).waitFor();
    await page.keyboard.type(words);
    await page.keyboard.press('Enter');
    await page.locator('.review-comment', { hasText: words }).waitFor();
    await page.locator('.editor-container .monaco-editor.focused').first().waitFor();
  }

  /** The focus is in the editor again. */
  async function reply(words: string): Promise<void> {
    const { page } = workbench;
    await page.locator('.review-thread-reply-button').first().click();
    await page.locator('.comment-form .monaco-editor.focused').waitFor();
    await page.keyboard.type(words);
    await page.keyboard.press('Control+Enter');
    await page.locator('.review-comment', { hasText: words }).waitFor();
    await page.locator('.editor-container .monaco-editor.focused').first().waitFor();
  }

  /** Presses Ctrl+K and Alt with the key, and types, without waiting for an answer to any of it. */
  async function chordAndType(key: string, text: string): Promise<void> {
    const { page } = workbench;
    await page.locator('.monaco-editor .view-line', { hasText: /^line.7$/ }).click();
    await page.locator('.statusbar-item', { hasText: 'Ln 7,' }).waitFor();
    await page.keyboard.press('Control+K');
    const cdp = await page.context().newCDPSession(page);
    const pressed = { key, code: `Key${key}`, windowsVirtualKeyCode: key.charCodeAt(0), modifiers: 1 };
    await Promise.all([
      cdp.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...pressed }),
      ...Array.from(text, (letter) => cdp.send('Input.dispatchKeyEvent', { type: 'char', text: letter })),
      cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', ...pressed }),
    ]);
    await cdp.detach();
  }

  it('keeps letters typed at once after the keys of a comment or of the chat out of the file', async () => {
    const { page } = workbench;
    await workbench.openFile('poem.txt');
    await chordAndType('C', 'early');
    await page.locator('.quick-input-widget').getByText('poem.txt:7 ').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.editor-container .monaco-editor.focused').first().waitFor();
    await chordAndType('I', 'early');
    await workbench.chat().locator('textarea:focus').waitFor();
    await page.locator('.monaco-editor .view-line', { hasText: /^line.7$/ }).waitFor();
    await workbench.chat().getByRole('textbox', { name: 'Message' }).fill('');
  });

  it('shows removed lines, and has Keep All and Undo All in the diff of all files', async () => {
    const two = BEFORE.with(4, 'new 5').with(5, 'new 6');
    await ask(`disk poem.txt ${text(two).replaceAll('\n', '\\n')}\ndisk other.txt changed\\n`);
    await changes().getByText('2 files changed').waitFor();
    await workbench.openFile('poem.txt');
    const removed = (): Promise<string[]> =>
      workbench.page.locator('.monaco-editor .view-line span').evaluateAll(contentsAfter);
    await becomes(removed, ['"− line 5"', '"− line 6"']);
    await workbench.runCommand('Parley: Review Changes');
    await button('.editor-actions', 'Keep All Changes').waitFor();
    await button('.editor-actions', 'Undo All Changes').click();
    await holds('other.txt', 'as it was\n');
    await workbench.page.locator('.tab', { hasText: 'Agent Changes' }).waitFor({ state: 'detached' });
    await workbench.page.locator('.editor-container .monaco-editor.focused').first().waitFor();
  });

  it('undoes one change, keeps another, and restores the files before the message', async () => {
    await ask(`disk poem.txt ${text(AFTER).replaceAll('\n', '\\n')}\ndisk other.txt changed\\n`);
    await changes().getByRole('button', { name: 'poem.txt', exact: true }).waitFor();
    await changes().getByText('2 files changed').waitFor();
    await workbench.openFile('poem.txt');
    await lensOf('3 of 3', 'Undo').waitFor();
    await workbench.screenshot('e2e-review-editor');

    await lensOf('1 of 3', 'Undo').click();
    await holds('poem.txt', text(AFTER.with(2, 'line 3')));
    // Two of the three changes remain.
    await lens('2 changes by the agent').waitFor();
    await lensOf('1 of 2', 'Keep').click();
    await lens('2 changes by the agent').waitFor({ state: 'detached' });
    await chat('Keep poem.txt').click();
    await changes().getByText('1 file changed').waitFor();
    await chat('Undo All').click();
    await changes().waitFor({ state: 'detached' });
    await holds('other.txt', 'as it was\n');
    const notice = workbench.chat().getByRole('status', { name: 'Notice', exact: true });
    await notice.getByText('Undid changes in').waitFor();
    assert.equal(await workbench.toast('Undid').count(), 0);
    await chat('Redo').click();
    await notice.waitFor({ state: 'detached' });
    await changes().waitFor();
    await holds('other.txt', 'changed\n');

    await workbench.chat().getByRole('article', { name: 'You' }).hover();
    await chat('Restore Checkpoint').click();
    const question = workbench.page.locator('.monaco-dialog-box');
    await question.getByText('poem.txt will be changed').waitFor();
    await workbench.screenshot('e2e-restore-checkpoint');
    await button('.monaco-dialog-box', 'Restore Files').click();
    await holds('poem.txt', text(BEFORE));
    await holds('other.txt', 'as it was\n');
    // No change of the agent is left to review.
    await changes().waitFor({ state: 'detached' });
    await workbench.screenshot('e2e-checkpoint-restored');
    await chat('Undo Restore').click();
    await holds('other.txt', 'changed\n');
    await chat('Undo Restore').waitFor({ state: 'detached' });
  });

  it('sends comments on lines in one message', async () => {
    await workbench.openFile('poem.txt');
    await comment(4, 'why?');
    await comment(9, 'and this?');
    await reply('tell me');
    await workbench.screenshot('e2e-comments');
    await lens('Send 3 comments').last().click();
    const message = workbench.chat().getByRole('article', { name: 'You' });
    await message.getByText('poem.txt:4\n> line 4\nwhy?\ntell me\n\npoem.txt:9\n> line 9\nand this?').waitFor();
    await workbench.page.locator('.review-widget').waitFor({ state: 'detached' });
    await workbench.page.locator('.tab.dirty').waitFor({ state: 'detached' });
  });
});

/** Runs in the page. */
function contentsAfter(spans: readonly Element[]): string[] {
  const contents = spans.map((span) => getComputedStyle(span, '::after').content.replaceAll('\u00a0', ' '));
  return contents.filter((content) => content.startsWith('"'));
}

function text(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

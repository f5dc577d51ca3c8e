import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import { fakeAgent } from '../fakeAgent/definition';
import type { Workbench } from './workbench';
import { closeAfter, openWorkbench } from './workbench';

/** The agent at hand in the Explorer, at problems and in the terminal. */
describe('surfaces in the workbench', function () {
  this.timeout(240_000);
  let workbench: Workbench;

  before(async () => {
    const { command, args, env } = fakeAgent();
    workbench = await openWorkbench({
      settings: { 'parley.agents': { One: { command, args, env } }, 'parley.defaultAgent': 'One' },
      workspaceFiles: { 'broken.json': '{\n  "a": ,\n  "b": 1\n}\n' },
    });
    await workbench.focusChat();
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await closeAfter(this.currentTest, workbench);
  });

  after(() => workbench.close());

  const chat = (): FrameLocator => workbench.chat();
  const attached = (): Locator => chat().getByRole('list', { name: 'Attached' });
  const message = (): Locator => chat().getByRole('textbox', { name: 'Message' });

  async function explorerRow(name: string): Promise<Locator> {
    await workbench.runCommand('View: Show Explorer');
    const row = workbench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: name }).first();
    await row.waitFor();
    return row;
  }

  it('adds what is chosen in the Explorer, and asks about a problem below it', async () => {
    const { page } = workbench;
    await (await explorerRow('README.md')).click({ button: 'right' });
    await page.locator('.context-view .action-item', { hasText: 'Add to Chat' }).first().click();
    await attached().getByText('README.md').waitFor();

    await (await explorerRow('broken.json')).dblclick();
    await page.locator('.monaco-editor .squiggly-error').first().waitFor();
    await workbench.runCommand('Go to Next Problem in Files (Error, Warning, Info)');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+.');
    const actions = page.locator('.action-widget');
    await actions.getByText('Explain', { exact: true }).waitFor();
    await workbench.screenshot('e2e-quick-fix');
    await actions.getByText('Fix with Agent', { exact: true }).click();

    await attached().getByText('broken.json').waitFor();
    await attached().getByText('README.md').waitFor();
    await workbench.screenshot('e2e-begun-message');
    await message().press('Enter');
    const you = chat().getByRole('article', { name: 'You' });
    await you.getByText('Fix this problem in broken.json').waitFor();
    await chat().getByRole('article', { name: 'Agent' }).waitFor();
  });

  it('adds what is selected in the terminal', async () => {
    const { page } = workbench;
    await workbench.runCommand('Terminal: Create New Terminal');
    await page.locator('.terminal-wrapper.active .xterm-screen').waitFor();
    await page.keyboard.type('echo heard-here | tee heard.txt\n');
    // The terminal is drawn on a canvas: what the command does can be seen on disk.
    const written = (): Promise<string> => readFile(join(workbench.folder, 'heard.txt'), 'utf8').catch(() => '');
    while (!(await written()).includes('heard-here')) await page.waitForTimeout(50);
    await workbench.runCommand('Terminal: Select All');
    await workbench.runCommand('Parley: Add Terminal Selection to Chat');
    await attached().getByText('Terminal selection').waitFor();
    await message().fill('What is that?');
    await message().press('Enter');
    const sent = chat().getByRole('article', { name: 'You' }).filter({ hasText: 'What is that?' });
    await sent.getByText(/Terminal.selection/).waitFor();
  });
});

import assert from 'node:assert/strict';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import { fakeAgent } from '../fakeAgent/definition';
import { makeTemporaryFolder, removeFolder } from '../host/workspace.mjs';
import { runGit } from '../kit/runGit';
import { becomes, eventually } from '../kit/waiting';
import type { Workbench } from './workbench';
import { closeAfter, openWorkbench } from './workbench';

/** An extension with one failing test. */
const TESTING = `const vscode = require('vscode');
exports.activate = ({ subscriptions }) => {
  const controller = vscode.tests.createTestController('adding', 'Adding');
  const [folder] = vscode.workspace.workspaceFolders;
  const test = controller.createTestItem('one', 'adds one', vscode.Uri.joinPath(folder.uri, 'broken.json'));
  controller.items.add(test);
  controller.createRunProfile('Run', vscode.TestRunProfileKind.Run, (request) => {
    const run = controller.createTestRun(request);
    run.failed(test, vscode.TestMessage.diff('2 is not 3', '3', '2'));
    run.end();
  }, true);
  subscriptions.push(controller);
};
`;

/** Copies the installed extensions into a folder and adds the one above. */
async function addTester(folder: string): Promise<void> {
  const installed = process.env['E2E_EXTENSIONS'];
  assert.ok(installed);
  await cp(installed, folder, { recursive: true });
  const relativeLocation = 'parley-test.tester-1.0.0';
  const place = join(folder, relativeLocation);
  await mkdir(place);
  const manifest = { name: 'tester', publisher: 'parley-test', version: '1.0.0', engines: { vscode: '^1.106.0' } };
  const parts = { main: './extension.js', activationEvents: ['onStartupFinished'] };
  await writeFile(join(place, 'package.json'), JSON.stringify({ ...manifest, ...parts }));
  await writeFile(join(place, 'extension.js'), TESTING);
  // VS Code loads only extensions in this list.
  const list = join(folder, 'extensions.json');
  const location = { $mid: 1, path: place, scheme: 'file' };
  const entry = { identifier: { id: 'parley-test.tester' }, version: '1.0.0', location, relativeLocation };
  const entries: unknown[] = JSON.parse(await readFile(list, 'utf8'));
  await writeFile(list, JSON.stringify([...entries, entry]));
}

/** Editor actions of the agent while no chat is visible. */
describe('surfaces in the workbench', () => {
  let workbench: Workbench;
  let extensions: string;
  /** Messages that the agent received, one JSON line each. */
  let received: string;

  before(async () => {
    extensions = await makeTemporaryFolder('extensions');
    received = join(extensions, 'received.jsonl');
    const { command, args, env } = fakeAgent({ FAKE_LOG: received });
    await addTester(extensions);
    workbench = await openWorkbench({
      settings: {
        'parley.agents': { One: { command, args, env } },
        'parley.defaultAgent': 'One',
        // Rendered as text, so that a test can wait for terminal output.
        'terminal.integrated.gpuAcceleration': 'off',
        // The test results view would open over the menu.
        'testing.automaticallyOpenTestResults': 'neverOpen',
      },
      workspaceFiles: { 'broken.json': '{\n  "a": ,\n  "b": 1\n}\n' },
      extensions,
    });
    // The first start shows the chat.
    await message().waitFor();
    await hideChat();
  });

  async function hideChat(): Promise<void> {
    const bar = workbench.page.locator('.part.auxiliarybar');
    await bar.getByRole('button', { name: /^Hide Secondary Side Bar/ }).click();
    await bar.waitFor({ state: 'hidden' });
  }

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await closeAfter(this.currentTest, workbench);
  });

  after(async () => {
    await workbench.close();
    await removeFolder(extensions);
  });

  const chat = (): FrameLocator => workbench.chat();
  const attached = (): Locator => chat().getByRole('list', { name: 'Attached' });
  const message = (): Locator => chat().getByRole('textbox', { name: 'Message' });
  const you = (text: string): Locator => chat().getByRole('article', { name: 'You' }).filter({ hasText: text });

  /** Selects from a just opened menu by keyboard: VS Code ignores clicks at first. */
  async function choose(name: string): Promise<void> {
    const item = workbench.page.locator('.context-view .action-item', { hasText: name }).first();
    await item.hover();
    await item.and(workbench.page.locator('.focused')).waitFor();
    await workbench.page.keyboard.press('Enter');
    await item.waitFor({ state: 'detached' });
  }

  async function explorerRow(name: string): Promise<Locator> {
    await workbench.runCommand('View: Show Explorer');
    const row = workbench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: name }).first();
    await row.waitFor();
    return row;
  }

  it('asks about a problem from its quick fix', async () => {
    const { page } = workbench;
    await (await explorerRow('broken.json')).dblclick();
    await page.locator('.monaco-editor .squiggly-error').first().waitFor();
    await workbench.runCommand('Go to Next Problem in Files (Error, Warning, Info)');
    // The view takes the cursor and opens below it; Escape must close what is there.
    const problem = page.locator('.marker-widget');
    await problem.waitFor();
    await eventually(async () => {
      // The key gets lost when the palette has just given the focus back.
      await page.keyboard.press('Escape');
      await problem.waitFor({ state: 'detached', timeout: 5_000 });
    });
    await page.locator('.editor-instance .monaco-editor.focused').waitFor();
    const actions = page.locator('.action-widget');
    await eventually(async () => {
      // The key gets lost when the problem's own view has just been closed.
      await page.keyboard.press('Control+.');
      await actions.getByText('Explain with Agent', { exact: true }).waitFor({ timeout: 5_000 });
    });
    await workbench.screenshot('e2e-quick-fix');
    await actions.getByText('Fix with Agent', { exact: true }).click();
    await you('Fix this problem in broken.json').waitFor();
    await chat().getByRole('article', { name: 'Agent' }).getByText('You said: Fix this problem').waitFor();
  });

  it('adds files selected in the Explorer and text selected in an editor to the draft', async () => {
    const { page } = workbench;
    await hideChat();
    await (await explorerRow('README.md')).click({ button: 'right' });
    await choose('Add to Chat');
    await attached().getByText('README.md').waitFor();
    const line = page.locator('.editor-instance .view-line', { hasText: '"a"' });
    await line.click();
    await page.keyboard.press('Control+A');
    await page.locator('.statusbar-item', { hasText: 'selected)' }).waitFor();
    await line.click({ button: 'right' });
    await choose('Add Selection to Chat');
    await attached().getByText('broken.json:1-4').waitFor();
    await workbench.screenshot('e2e-attached');
    await message().fill('Look at these');
    await message().press('Enter');
    await you('Look at these').getByText('README.md').waitFor();
  });

  it('starts a chat in a folder of the Explorer, where the agent works', async () => {
    const { page } = workbench;
    await (await explorerRow('src')).click({ button: 'right' });
    await choose('New Chat Here');
    await you('Look at these').waitFor({ state: 'detached' });
    await message().fill('terminal sh -c pwd');
    await message().press('Enter');
    await you('terminal sh -c pwd').waitFor();
    const opened = async (): Promise<unknown> => {
      const lines = (await readFile(received, 'utf8')).trim().split('\n');
      const messages = lines.map((line) => JSON.parse(line) as { method?: string; params?: { cwd?: string } });
      return messages.findLast(({ method }) => method === 'session/new')?.params?.cwd;
    };
    await becomes(opened, join(workbench.folder, 'src'));
    await workbench.screenshot('e2e-folder');
    await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  });

  it('adds the terminal selection', async () => {
    const { page } = workbench;
    await workbench.runCommand('Terminal: Create New Terminal');
    const terminal = page.locator('.terminal-wrapper.active');
    await terminal.locator('.xterm.focus').waitFor();
    await page.keyboard.type('echo heard-$((40 + 2))\n');
    await terminal.locator('.xterm-rows', { hasText: 'heard-42' }).waitFor();
    await workbench.runCommand('Terminal: Select All');
    await terminal.locator('.xterm-selection div').first().waitFor();
    await workbench.runCommand('Parley: Add Terminal Selection to Chat');
    await attached().getByText('Terminal selection').waitFor();
    await message().fill('What is that?');
    await message().press('Enter');
    await you('What is that?')
      .getByText(/Terminal.selection/)
      .waitFor();
  });

  it('writes a commit message into the input box of Source Control, and attaches a change from there', async () => {
    const { page, folder } = workbench;
    await writeFile(join(folder, 'README.md'), 'Other words\n');
    runGit(folder, 'add', 'README.md');
    await page.getByRole('tab', { name: /^Source Control/ }).click();
    const change = page.locator('.scm-view .monaco-list-row', { hasText: 'README.md' }).first();
    // Git may start watching only after the file was written.
    await workbench.runCommand('Git: Refresh');
    await change.waitFor();
    const box = page.locator('.scm-view .scm-editor .monaco-editor').first();
    await box.click();
    await box.and(page.locator('.focused')).waitFor();
    // The typed beginning is sent to the agent, which uses it as its script. Immediately, so that no suggestion interferes.
    await page.keyboard.insertText('# script\ntext docs: other words\n# end');
    const button = page
      .locator('.scm-view, .pane-header')
      .getByRole('button', { name: 'Write Commit Message' })
      .first();
    await button.click();
    await box.locator('.view-line', { hasText: /^docs:\sother\swords$/ }).waitFor();
    await workbench.screenshot('e2e-commit-message');
    await change.click({ button: 'right' });
    await choose('Add Changes to Chat');
    await attached().getByText('Changes: README.md').waitFor();
    await message().fill('Is that right?');
    await message().press('Enter');
    await you('Is that right?').waitFor();
  });

  it('fills the message box from a link, and sends nothing', async () => {
    const { page } = workbench;
    await hideChat();
    const input = page.locator('.quick-input-widget input.input');
    await workbench.runCommand('Developer: Open URL');
    await page.locator('.quick-input-widget').getByText('URL to open').waitFor();
    await input.fill('code-oss://parley.parley/new?prompt=From%20a%20link');
    await input.press('Enter');
    const dialog = page.locator('.monaco-dialog-box');
    await dialog.getByText("Allow 'Parley' extension").waitFor();
    await workbench.screenshot('e2e-link-asked');
    await dialog.getByRole('button', { name: 'Open', exact: true }).click();
    await becomes(() => message().inputValue(), 'From a link');
    assert.equal(await chat().getByRole('article', { name: 'You' }).count(), 0);
    await workbench.screenshot('e2e-link');
    await message().fill('');
  });

  it('asks about a failed test from its menu', async () => {
    const { page } = workbench;
    await workbench.runCommand('Test: Run All Tests');
    await page.getByRole('tab', { name: /^Testing/ }).click();
    const failed = page.locator('.test-explorer .monaco-list-row', { hasText: 'adds one' }).first();
    await failed.locator('[class*="testing-error"], [class*="testing-failed"]').first().waitFor();
    await failed.click({ button: 'right' });
    await choose('Fix with Agent');
    await you('Run the test “adds one”').waitFor();
    await workbench.screenshot('e2e-failed-test');
  });
});

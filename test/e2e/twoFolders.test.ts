import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import { fakeAgent } from '../fakeAgent/definition';
import { makeTemporaryFolder, removeFolder } from '../host/workspace.mjs';
import { becomes } from '../kit/waiting';
import { shareWorkbench } from './sharedWorkbench';
import type { Workbench } from './workbench';

interface Received {
  readonly method?: string;
  readonly params?: { readonly cwd?: string; readonly prompt?: readonly { readonly resource?: { uri: string } }[] };
}

/** The folder of a session in a workspace with two folders that both contain a file of the same name. */
describe('a workspace with two folders', () => {
  let workbench: Workbench;
  let logs: string;

  before(async () => {
    logs = await makeTemporaryFolder('agent-logs');
  });

  shareWorkbench(
    (opened) => (workbench = opened),
    () => {
      const FAKE_CAPABILITIES = JSON.stringify({ promptCapabilities: { embeddedContext: true } });
      const { command, args, env } = fakeAgent({ FAKE_LOG: join(logs, 'log.jsonl'), FAKE_CAPABILITIES });
      return {
        settings: { 'parley.agents': { One: { command, args, env } }, 'parley.defaultAgent': 'One' },
        workspaceFiles: { 'needle.txt': 'of the first\n' },
        otherFiles: {
          'needle.txt': 'of the second\n',
          'packages/needle.txt': 'of the package\n',
          'packages/more.txt': 'more\n',
        },
      };
    },
  );

  after(() => removeFolder(logs));

  const chat = (): FrameLocator => workbench.chat();
  const message = (): Locator => chat().getByRole('textbox', { name: 'Message' });
  const folderBox = (): Locator => chat().getByRole('combobox', { name: 'Folder' });
  const other = (...path: string[]): string => join(dirname(workbench.folder), 'other', ...path);
  const holds = (path: string, wanted: string): Promise<void> => becomes(() => readFile(path, 'utf8'), wanted);

  /** Params of the agent's last message with this method. */
  function last(method: string): Received['params'] {
    const lines = readFileSync(join(logs, 'log.jsonl'), 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line) as Received).findLast((one) => one.method === method)?.params;
  }

  /** Mentions the first listed file of that name, and makes the agent write it in its folder. */
  async function mentionAndWrite(): Promise<void> {
    await message().fill('disk needle.txt by the agent\\n\nterminal sh -c pwd\n# See');
    await message().press('Control+End');
    await message().pressSequentially(' @needle');
    const options = chat().locator('[role=listbox][aria-label=Mentions]:not([aria-busy=true])').getByRole('option');
    await options.filter({ hasText: 'needle.txt' }).nth(2).waitFor();
    await message().press('Enter');
    await chat().getByRole('list', { name: 'Attached' }).getByText('needle.txt').waitFor();
    await message().press('Enter');
  }

  const ranIn = (path: string): Promise<void> =>
    chat().getByRole('article', { name: 'Agent' }).getByText(path, { exact: true }).waitFor();

  async function isUnderReviewAndUndone(path: string, before: string): Promise<void> {
    const changes = chat().getByRole('region', { name: 'Changes' });
    await changes.getByText('1 file changed').waitFor();
    await holds(path, 'by the agent\n');
    await changes.getByRole('button', { name: 'Undo All', exact: true }).click();
    await changes.waitFor({ state: 'detached' });
    await holds(path, before);
    await holds(join(workbench.folder, 'needle.txt'), 'of the first\n');
  }

  it('has a folder selection that applies to agent, mentions and review', async () => {
    await becomes(() => folderBox().innerText(), 'sample');
    await folderBox().click();
    const options = chat().getByRole('listbox', { name: 'Folder' }).getByRole('option');
    await becomes(() => options.locator('.option-name').allInnerTexts(), ['sample', 'other', 'Other Folder…']);
    await options.filter({ hasText: 'other' }).first().click();
    await becomes(() => folderBox().innerText(), 'other');
    await mentionAndWrite();
    const chip = chat().getByRole('group', { name: 'Folder' });
    await becomes(() => chip.innerText(), 'other');
    await ranIn(other());
    assert.equal(last('session/new')?.cwd, other());
    assert.equal(last('session/prompt')?.prompt?.[1]?.resource?.uri, `file://${other('needle.txt')}`);
    await workbench.screenshot('e2e-two-folders');
    await isUnderReviewAndUndone(other('needle.txt'), 'of the second\n');
  });

  it('has New Chat Here for a folder of the second one, which applies to agent, mentions and review', async () => {
    const { page } = workbench;
    await workbench.runCommand('View: Show Explorer');
    const rows = page.locator('.explorer-folders-view .monaco-list-row');
    const root = rows.filter({ has: page.getByText('other', { exact: true }) });
    if ((await root.getAttribute('aria-expanded')) !== 'true') await root.click();
    await rows.filter({ has: page.getByText('packages', { exact: true }) }).click({ button: 'right' });
    const item = page.locator('.context-view .action-item', { hasText: 'New Chat Here' }).first();
    await item.hover();
    await item.and(page.locator('.focused')).waitFor();
    await page.keyboard.press('Enter');
    await becomes(() => folderBox().innerText(), 'other/packages');
    await mentionAndWrite();
    await ranIn(other('packages'));
    assert.equal(last('session/new')?.cwd, other('packages'));
    assert.equal(last('session/prompt')?.prompt?.[1]?.resource?.uri, `file://${other('packages', 'needle.txt')}`);
    await isUnderReviewAndUndone(other('packages', 'needle.txt'), 'of the package\n');
  });
});

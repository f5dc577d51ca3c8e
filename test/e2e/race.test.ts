import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import type { Workbench } from './workbench';
import { becomes, closeAfter, openWorkbench } from './workbench';

/** The demo agent races itself, as everyone can try it. */
describe('a race in the workbench', function () {
  this.timeout(240_000);
  let workbench: Workbench;

  afterEach(async function () {
    await closeAfter(this.currentTest, workbench);
  });

  const rows = (): Locator => workbench.page.locator('.quick-input-list .monaco-list-row');
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: workbench.folder, encoding: 'utf8' });
  const left = (): unknown => ({
    worktrees: git('worktree', 'list').trim().split('\n').length,
    branches: git('branch', '--list', 'parley/*'),
  });

  it('starts two attempts, asks for each, takes one, is there after a reload, and leaves nothing behind', async () => {
    workbench = await openWorkbench();
    const { page } = workbench;
    await workbench.focusChat();
    await workbench.runCommand('Parley: Race…');
    const input = page.locator('.quick-input-widget input[type=text]').first();
    await input.fill('edit');
    await input.press('Enter');
    const demo = rows().filter({ hasText: 'Demo agent' });
    for (const at of [0, 1]) await demo.nth(at).click();
    await workbench.screenshot('e2e-race-agents');
    await page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();

    const waiting = rows().filter({ hasText: 'waiting for you' });
    await waiting.nth(1).waitFor();
    await workbench.screenshot('e2e-race-board');
    const chat = workbench.chat();
    const allow = chat
      .getByRole('group', { name: /^Permission: / })
      .getByRole('button', { name: 'Allow', exact: true });
    await waiting.first().click();
    await allow.click();
    await chat.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
    await chat.getByRole('group', { name: 'Folder' }).getByText('parley/edit').waitFor();
    await workbench.runCommand('Parley: Show Races');
    await waiting.first().click();
    await allow.click();
    await chat.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });

    await workbench.runCommand('Parley: Take All');
    const taken = join(workbench.folder, 'parley-demo.md');
    await becomes(
      () =>
        readFile(taken, 'utf8').then(
          (text) => text.startsWith('# Written by the demo'),
          () => false,
        ),
      true,
    );
    await workbench.screenshot('e2e-race-taken');

    await workbench.reload();
    await workbench.focusChat();
    await workbench.runCommand('Parley: Show Races');
    await rows().filter({ hasText: 'done · 1 file' }).nth(1).waitFor();
    await workbench.screenshot('e2e-race-reloaded');
    for (const count of [1, 0]) {
      await rows().filter({ hasText: 'done' }).first().hover();
      await rows().filter({ hasText: 'done' }).first().getByRole('button', { name: 'Discard Worktree' }).click();
      const dialog = page.getByRole('dialog').filter({ hasText: 'parley-demo.md' });
      await dialog.getByRole('button', { name: 'Discard' }).click();
      await becomes(() => git('worktree', 'list').trim().split('\n').length, count + 1);
      if (count > 0) await workbench.runCommand('Parley: Show Races');
    }
    await becomes(left, { worktrees: 1, branches: '' });
    assert.match(await readFile(taken, 'utf8'), /^# Written by the demo/, 'what was taken stays');
  });
});

import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { fakeAgent } from '../fakeAgent/definition';
import { makeTemporaryFolder, removeFolder } from '../host/workspace.mjs';
import { shareWorkbench } from './sharedWorkbench';
import type { Workbench } from './workbench';
import { VIEW_FRAME } from './workbench';

describe('a message that waits to be sent, in the real workbench', () => {
  let workbench: Workbench;
  let outside: string;

  before(async () => {
    outside = await makeTemporaryFolder('outside');
    await writeFile(join(outside, 'secret.txt'), 'private');
  });
  after(() => removeFolder(outside));

  shareWorkbench(
    (opened) => (workbench = opened),
    () => {
      const { command, args, env } = fakeAgent();
      return { settings: { 'parley.agents': { Talker: { command, args, env } }, 'parley.defaultAgent': 'Talker' } };
    },
  );
  const view = (): FrameLocator => workbench.page.frameLocator(VIEW_FRAME).frameLocator('iframe#active-frame');

  // VS Code cancels the question when the window ends.
  it('is in the box again after a reload while Parley asks about an attached link', async () => {
    await symlink(join(outside, 'secret.txt'), join(workbench.folder, 'linked-notes.txt'));
    const box = view().getByRole('textbox', { name: 'Message' });
    await box.fill('A plan of many words ');
    await box.pressSequentially('@linked-n');
    await view()
      .getByRole('option', { name: /linked-notes/ })
      .first()
      .click();
    await view().getByRole('button', { name: 'Send', exact: true }).click();
    await workbench.page.getByRole('dialog').filter({ hasText: 'outside the workspace' }).waitFor();
    await workbench.reload();
    const toast = workbench.page.locator('.notification-toast');
    await toast.filter({ hasText: 'VS Code stopped before this message was sent' }).first().waitFor();
    await workbench.focusChat();
    await view().getByRole('list', { name: 'Attached' }).getByText('linked-notes.txt').waitFor();
    assert.match(await view().getByRole('textbox', { name: 'Message' }).inputValue(), /^A plan of many words @linked/);
  });
});

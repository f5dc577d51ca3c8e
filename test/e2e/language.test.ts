import assert from 'node:assert/strict';
import type { Workbench } from './workbench';
import { closeAfter, openWorkbench } from './workbench';

describe('the display language of VS Code', () => {
  let workbench: Workbench;

  beforeEach(async () => {
    workbench = await openWorkbench({ language: 'de' });
  });

  afterEach(async function () {
    await closeAfter(this.currentTest, workbench);
  });

  it('applies to commands, the chat, dialogs and notifications', async () => {
    const { page } = workbench;
    await workbench.runCommand('Parley: Chat fokussieren');
    const chat = workbench.chat();
    await chat
      .getByText('Arbeiten Sie in VS Code mit jedem Agent, der das Agent Client Protocol unterstützt.')
      .waitFor();
    assert.equal(await chat.locator('html').getAttribute('lang'), 'de');
    await chat.getByRole('textbox', { name: 'Nachricht' }).fill('ask');
    await chat.getByRole('button', { name: 'Senden' }).click();
    await chat.getByRole('group', { name: /^Berechtigung: / }).waitFor();
    await chat.getByText('Wartet auf Sie').first().waitFor();
    await page.locator('#parley\\.parley\\.parley\\.status').getByText('1 wartend').waitFor();
    await workbench.screenshot('e2e-german');
    await workbench.runCommand('Parley: Datenverkehr anzeigen');
    await workbench.tab().locator('option', { hasText: 'Demo agent: bereit' }).waitFor({ state: 'attached' });
  });
});

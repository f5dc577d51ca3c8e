import type { Workbench, WorkbenchOptions } from './workbench';
import { closeAfter, openWorkbench } from './workbench';

/**
 * Gives all tests of a suite one window; each test gets a new chat, no open editor and the original files. After a failed test
 * the next one gets a new window.
 *
 * @param onOpened Called before each test with its window.
 * @param options How the window is opened. Called after the suite's own earlier `before` hooks.
 */
export function shareWorkbench(onOpened: (workbench: Workbench) => void, options: () => WorkbenchOptions): void {
  let workbench: Workbench | undefined;

  beforeEach(async () => {
    if (workbench) await startOver(workbench);
    else {
      workbench = await openWorkbench(options());
      await workbench.focusChat();
    }
    onOpened(workbench);
  });

  afterEach(async function () {
    if (this.currentTest?.state !== 'failed') return;
    const failed = workbench;
    workbench = undefined;
    await closeAfter(this.currentTest, failed);
  });

  after(async () => {
    await workbench?.close();
  });
}

async function startOver(workbench: Workbench): Promise<void> {
  // A command of the palette takes half a second of a core.
  if ((await workbench.page.locator('.tabs-container .tab').count()) > 0)
    await workbench.runCommand('View: Close All Editors');
  await workbench.restoreFiles();
  await workbench.focusChat();
  await workbench.runCommand('Parley: New Chat');
  const chat = workbench.chat();
  await chat.getByRole('log', { name: 'Conversation' }).getByRole('article').first().waitFor({ state: 'detached' });
  await chat.getByRole('textbox', { name: 'Message' }).fill('');
  await workbench.runCommand('Notifications: Clear All Notifications');
}

import type { Workbench, WorkbenchOptions } from './workbench';
import { closeAfter, closeKept, kept, openWorkbench } from './workbench';

/**
 * Gives all tests of a suite one window; each test gets a new chat, no open editor and the original files. After a failed test
 * the next one gets a new window.
 *
 * @param onOpened Called before each test with its window.
 * @param options How the window is opened. Called after the suite's own earlier `before` hooks.
 */
export function shareWorkbench(onOpened: (workbench: Workbench) => void, options: () => WorkbenchOptions): void {
  shareBy(onOpened, options);
  after(closeKept);
}

/** Options that can change while a window is open. */
export type SuiteOptions = Pick<WorkbenchOptions, 'settings' | 'workspaceFiles'>;

/**
 * Like `shareWorkbench`, but the window is shared with other such suites. What their tests leave behind are sessions, processes of
 * agents, and what VS Code remembers, for example the folder of the last opened file.
 *
 * @param onOpened Called before each test with its window.
 * @param options Settings and added files of the suite. Settings of the scope application are ignored. The agent needs a name of its own:
 *   one that still runs for another suite may write to a folder that is removed.
 */
export function shareAmongSuites(onOpened: (workbench: Workbench) => void, options: () => SuiteOptions): void {
  const machine = (): WorkbenchOptions => {
    const { settings = {}, ...others } = options();
    return { ...others, machineSettings: settings };
  };
  shareBy(onOpened, machine, async (workbench) => {
    const { machineSettings = {}, workspaceFiles = {} } = machine();
    await workbench.endTurn();
    await workbench.replace(machineSettings, workspaceFiles);
    await startOver(workbench);
    const agent = String(machineSettings['parley.defaultAgent']);
    await workbench.chat().getByRole('status', { name: 'Agent' }).getByText(`${agent}:`).waitFor({ state: 'attached' });
  });
}

/** @param adopt Prepares the window of another suite. */
function shareBy(
  onOpened: (workbench: Workbench) => void,
  options: () => WorkbenchOptions,
  adopt?: (workbench: Workbench) => Promise<void>,
): void {
  let workbench: Workbench | undefined;

  beforeEach(async () => {
    try {
      if (workbench) await startOver(workbench);
      else if (adopt && kept.workbench) await adopt(kept.workbench);
      else {
        // Closes the window of another suite.
        const opened = await openWorkbench(options());
        kept.workbench = opened;
        await opened.focusChat();
      }
    } catch (error) {
      await closeKept();
      throw error;
    }
    workbench = kept.workbench;
    if (workbench) onOpened(workbench);
  });

  afterEach(async function () {
    if (this.currentTest?.state !== 'failed') return;
    const failed = workbench;
    workbench = undefined;
    kept.workbench = undefined;
    await closeAfter(this.currentTest, failed);
  });
}

async function startOver(workbench: Workbench): Promise<void> {
  await workbench.endTurn();
  await workbench.restoreFiles();
  await workbench.startOver();
  const chat = workbench.chat();
  await chat.getByRole('log', { name: 'Conversation' }).getByRole('article').first().waitFor({ state: 'detached' });
  await chat.getByRole('textbox', { name: 'Message' }).fill('');
  // A window that is reloaded earlier gets the closed tabs back.
  await workbench.tabsStored(0);
}

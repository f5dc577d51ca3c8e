import assert from 'node:assert/strict';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import { fakeAgent } from '../fakeAgent/definition';
import { becomes, eventually, until } from '../kit/waiting';
import { shareAmongSuites } from './sharedWorkbench';
import type { Workbench } from './workbench';
import { TAB_FRAMES, VIEW_FRAME } from './workbench';

/** Chats in editor tabs, beside the view and beside each other, also after a window reload. */
describe('chat tabs in the workbench', () => {
  let workbench: Workbench;

  shareAmongSuites(
    (opened) => (workbench = opened),
    () => {
      const { command, args, env } = fakeAgent();
      return {
        settings: { 'parley.agents': { Talker: { command, args, env } }, 'parley.defaultAgent': 'Talker' },
      };
    },
  );

  /** Pages in visible tabs, by column. */
  const frames = (): Locator => workbench.page.locator(TAB_FRAMES);
  /** The page in the chat view. */
  const view = (): FrameLocator => workbench.page.frameLocator(VIEW_FRAME).frameLocator('iframe#active-frame');
  /** The page whose conversation contains this text. */
  async function pageWith(text: string): Promise<FrameLocator> {
    return await eventually(async () => {
      // By name: indexes of frames change as soon as VS Code hides another frame.
      const names = await frames().evaluateAll((all) => all.map((frame) => frame.getAttribute('name')));
      for (const name of names) {
        const page = workbench.page.frameLocator(`iframe[name="${name}"]`).frameLocator('iframe#active-frame');
        const said = page.getByRole('log', { name: 'Conversation' }).getByText(text).first();
        if (await said.isVisible().catch(() => false)) return page;
      }
      throw new Error(`No page in a tab says “${text}”.`);
    });
  }

  const tab = (title: string): Locator => workbench.page.locator('.tabs-container .tab', { hasText: title });
  const box = (page: FrameLocator): Locator => page.getByRole('textbox', { name: 'Message' });
  const answer = (page: FrameLocator, text: string): Locator =>
    page.getByRole('log', { name: 'Conversation' }).getByRole('article', { name: 'Agent' }).getByText(text);

  async function ask(page: FrameLocator, prompt: string, answered: string): Promise<void> {
    await box(page).fill(prompt);
    await box(page).press('Enter');
    await answer(page, answered).waitFor();
  }

  /** Opens a new chat in a tab and returns its page. */
  async function newTab(): Promise<FrameLocator> {
    await workbench.runCommand('Parley: New Chat in Editor');
    // On the start page, with and without earlier sessions.
    return pageWith('Install Agent…');
  }

  /** Waits until the window has stored pending state. */
  async function kept(text: string): Promise<void> {
    await until(async () => {
      const files = (await readdir(workbench.data, { recursive: true })).filter((file) => file.endsWith('state.json'));
      const texts = await Promise.all(
        files.map((file) => readFile(join(workbench.data, file), 'utf8').catch(() => '')),
      );
      return texts.some((content) => content.includes(text));
    }, 'the state is stored');
  }

  it('show two sessions side by side and one in the view, each with its own messages, also after a reload', async () => {
    await ask(view(), 'text in the view', 'in the view');
    await ask(await newTab(), 'text on the left', 'on the left');
    await ask(await newTab(), 'text on the right', 'on the right');
    await tab('text on the right').waitFor();
    await workbench.runCommand('View: Move Editor into Right Group');
    const [left, right] = [await pageWith('on the left'), await pageWith('on the right')];
    await ask(left, 'text left again', 'left again');
    await ask(right, 'text right again', 'right again');
    assert.equal(await answer(left, 'right again').count(), 0);
    await box(right).pressSequentially('half a sentence');
    await workbench.screenshot('places-side-by-side');
    // Leaving the page stores its draft in the window.
    await box(view()).click();
    await kept('half a sentence');
    await workbench.tabsStored(2);

    await workbench.reload();
    await tab('text on the left').click();
    await ask(await pageWith('left again'), 'text after the reload', 'after the reload');
    await tab('text on the right').click();
    const message = box(await pageWith('right again'));
    // The page shows the draft that VS Code restored until the host sends the newer one.
    await becomes(() => message.inputValue(), 'half a sentence');
    await answer(view(), 'in the view').waitFor();
    await workbench.screenshot('places-after-reload');
  });

  it('can be moved to a window of their own', async () => {
    await ask(await newTab(), 'text in the tab', 'in the tab');
    const opened = workbench.page.context().waitForEvent('page');
    await workbench.runCommand('View: Move Editor into New Window');
    const other = await opened;
    const page = other.frameLocator(TAB_FRAMES).frameLocator('iframe#active-frame');
    await answer(page, 'in the tab').waitFor();
    await ask(page, 'text in its own window', 'in its own window');
    await other.screenshot({ path: join('out', 'pictures', 'places-own-window.png') });
    await ask(view(), 'text meanwhile in the view', 'meanwhile in the view');
    await box(page).fill('permission t1 allow_once:Yes reject_once:No\ntext done');
    await box(page).press('Enter');
    await page.getByRole('button', { name: 'Yes' }).click();
    await answer(page, 'done').waitFor();
  });

  it('show that their session is pending, and are revealed from the notification', async () => {
    const left = await newTab();
    await ask(left, 'text about pears', 'about pears');
    await box(left).fill('until-file go\npermission t1 allow_once:Yes reject_once:No\ntext done');
    await box(left).press('Enter');
    await left.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    await newTab();
    await workbench.page.locator('.tabs-container .tab.active', { hasText: 'New Chat' }).waitFor();
    await writeFile(join(workbench.folder, 'go'), '');
    await tab('text about pears (waiting for you)').waitFor();
    await workbench.page.locator('#parley\\.parley\\.parley\\.status', { hasText: '1 waiting' }).waitFor();
    await workbench.press('Talker', 'Show');
    const page = await pageWith('about pears');
    await page.getByRole('button', { name: 'Yes' }).click();
    await answer(page, 'done').waitFor();
    await tab('text about pears (waiting for you)').waitFor({ state: 'detached' });
  });
});

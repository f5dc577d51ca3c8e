import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { PageNotice } from '../../src/shared/protocol/chatPageProtocol';
import { eventually } from '../kit/waiting';
import { ChatPage } from './harness';
import { NOON, reviewed } from './sample';

describe('a notice above the message box', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  const undone: PageNotice = {
    id: 'n1',
    text: 'Undid changes in 3 files',
    details: ['src/upload.ts: You changed it too after the agent did.'],
    isWarning: false,
    button: 'Redo',
  };
  const row = (): Locator => chat.page.getByRole('status', { name: 'Notice', exact: true });
  const show = async (notice?: PageNotice): Promise<void> => {
    await chat.post({ type: 'notice', ...(notice && { notice }) });
    await chat.frame();
  };
  const spoken = (): Promise<string> =>
    chat.page.locator('[data-part=announcer]').evaluate(({ textContent }) => textContent);

  it('shows results and skipped files, and its button undoes the action', async () => {
    chat = await ChatPage.with(reviewed(NOON));
    await show(undone);
    assert.equal(await row().ariaSnapshot(), ROW);
    const [notice, box] = [await row().boundingBox(), await chat.box.boundingBox()];
    assert.ok(notice && box && notice.y + notice.height <= box.y, 'above the message box');
    await row().getByRole('button', { name: 'Redo' }).click();
    assert.deepEqual(await chat.intents(), [{ type: 'pressNotice', id: 'n1' }]);
    await chat.page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
    await show();
    assert.equal(await row().count(), 0);
  });

  it('is one row for a single message', async () => {
    chat = await ChatPage.with([], { width: 300 });
    await show({ ...undone, details: [] });
    assert.ok(((await row().boundingBox())?.height ?? 99) <= 30);
  });

  it('closes by its button, and by Escape with the focus anywhere', async () => {
    chat = await ChatPage.with([]);
    const isBox = () => chat.box.evaluate((box) => box === document.activeElement);
    await show(undone);
    await row().getByRole('button', { name: 'Dismiss' }).click();
    assert.equal(await row().count(), 0);
    assert.equal(await isBox(), true);
    await show({ ...undone, id: 'n2' });
    await chat.box.fill('a draft');
    await chat.box.press('Escape');
    assert.equal(await row().count(), 0);
    await show({ ...undone, id: 'n3' });
    await row().getByRole('button', { name: 'Redo' }).press('Escape');
    assert.equal(await row().count(), 0);
    assert.equal(await isBox(), true);
    assert.equal(await chat.box.inputValue(), 'a draft');
    assert.deepEqual(
      await chat.intents(),
      ['n1', 'n2', 'n3'].map((id) => ({ type: 'dismissNotice', id })),
    );
  });

  it('stays open when Escape closes the list above it', async () => {
    chat = await ChatPage.with([{ type: 'commandsChanged', commands: [{ name: 'plan', description: 'Plan' }] }]);
    await show(undone);
    await chat.box.fill('/');
    await chat.page.getByRole('listbox').waitFor();
    await chat.box.press('Escape');
    assert.equal(await row().count(), 1);
    await chat.box.press('Escape');
    assert.equal(await row().count(), 0);
  });

  it('is announced once, also after the page is restored, and again for the same text', async () => {
    chat = await ChatPage.with([]);
    await show(undone);
    const words = 'Undid changes in 3 files\nsrc/upload.ts: You changed it too after the agent did.';
    await eventually(async () => assert.equal((await spoken()).trim(), words));
    await show();
    await eventually(async () => assert.equal(await spoken(), ''));
    await show(undone);
    assert.equal(await spoken(), '');
    await show({ ...undone, id: 'n2' });
    await eventually(async () => assert.equal((await spoken()).trim(), words));
    assert.equal(await row().getAttribute('aria-live'), 'off');
  });

  it('shows names as plain text', async () => {
    chat = await ChatPage.with([]);
    await show({ ...undone, text: '<img src=x onerror=alert(1)>', details: ['<b>x</b>'] });
    assert.match(await row().innerText(), /<img src=x onerror=alert\(1\)>[^]*<b>x<\/b>/);
    assert.equal(await row().locator('img, b').count(), 0);
  });

  it('disappears with its session', async () => {
    chat = await ChatPage.with([]);
    await show(undone);
    chat.state = { ...chat.state, id: 'session-2' };
    await chat.snapshot();
    assert.equal(await row().count(), 0);
  });
});

const ROW = `- status "Notice":
  - text: Undid changes in 3 files
  - button "Redo"
  - paragraph: "src/upload.ts: You changed it too after the agent did."
  - button "Dismiss"`;

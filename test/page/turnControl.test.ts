import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { Action } from '../../src/shared/state/sessionActions';
import { emptySession } from '../../src/shared/state/sessionState';
import { ChatPage } from './harness';
import { NOON } from './sample';

const prompt = (text: string): Action => ({
  type: 'promptSent',
  text,
  blocks: [{ type: 'resource', uri: 'file:///w/src/app.ts', text: 'const a = 1;', isFile: true }],
  at: NOON,
});
const answer = (text: string): Action => ({ type: 'textAppended', role: 'agent', text, at: NOON + 1000 });
const end: Extract<Action, { type: 'turnEnded' }> = { type: 'turnEnded', stopReason: 'end_turn', at: NOON + 1500 };
const checkpoint: Action = {
  type: 'checkpointsChanged',
  checkpoints: [{ entry: 0, checkpointId: 'c', at: NOON, coverage: 'workspace', skipped: 0 }],
};
const TALK = [prompt('Write it'), answer('Done.'), end, prompt('And test it'), answer('Tested.'), end, checkpoint];

describe('sent messages', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  const you = (at = 0): Locator => chat.page.getByRole('article', { name: 'You' }).nth(at);
  const agent = (at = 0): Locator => chat.page.getByRole('article', { name: 'Agent' }).nth(at);
  const menuOf = (message: Locator): Locator => message.getByRole('button', { name: /^Actions for/ });
  const pick = (name: string): Promise<void> => chat.page.getByRole('menuitem', { name, exact: true }).click();
  const action = (message: Locator, name: string): Locator => message.getByRole('button', { name, exact: true });
  const editor = (): Locator => chat.page.getByRole('textbox', { name: 'Edit message' });

  it('have a menu each, by mouse and by keyboard', async () => {
    chat = await ChatPage.with(TALK);
    await menuOf(you()).click();
    assert.equal(
      await you().ariaSnapshot(),
      `- article "You":
  - group: app.ts
  - paragraph: Write it
  - button "Edit"
  - button "Restore Checkpoint"
  - button "Actions for your message" [expanded]
  - menu "Actions for your message":
    - menuitem "Fork from here"
    - menuitem "Copy"
  - time: 14:02`,
    );
    await chat.page.keyboard.press('Escape');
    await action(you(), 'Restore Checkpoint').click();
    await menuOf(you(1)).focus();
    await chat.page.keyboard.press('ArrowDown');
    await chat.page.keyboard.press('f');
    await chat.page.keyboard.press('Enter');
    await menuOf(you(1)).click();
    await pick('Copy');
    await menuOf(agent()).click();
    assert.deepEqual(await chat.page.getByRole('menuitem').allInnerTexts(), ['Fork from here', 'Copy']);
    await pick('Copy');
    await menuOf(agent(1)).click();
    await pick('Fork from here');
    assert.deepEqual(await chat.intents(), [
      { type: 'restoreCheckpoint', entry: 0 },
      { type: 'forkFrom', entry: 2 },
      { type: 'copy', text: 'And test it' },
      { type: 'copy', text: 'Done.' },
      { type: 'forkFrom', entry: 3 },
    ]);
  });

  it('show Edit and Restore Checkpoint on hover and focus, the latter only with a checkpoint', async () => {
    chat = await ChatPage.with(TALK);
    const isSeen = (message: Locator): Promise<boolean> =>
      message.locator('.message-actions').evaluate((actions) => getComputedStyle(actions).opacity === '1');
    assert.deepEqual([await isSeen(you()), await isSeen(you(1))], [false, false]);
    await you().hover();
    assert.deepEqual([await isSeen(you()), await isSeen(you(1))], [true, false]);
    await chat.box.focus();
    await chat.page.keyboard.press('Shift+Alt+ArrowUp');
    assert.equal(await isSeen(you(1)), true);
    // The first tab stop is the attachment.
    for (const key of ['Tab', 'Tab']) await chat.page.keyboard.press(key);
    assert.equal(await action(you(1), 'Edit').evaluate((button) => button === document.activeElement), true);
    assert.equal(await action(you(1), 'Restore Checkpoint').count(), 0);
  });

  it('are edited by F2 after moving to them by keys', async () => {
    chat = await ChatPage.with(TALK);
    await chat.box.focus();
    for (const key of ['Shift+Alt+ArrowUp', 'Shift+Alt+ArrowUp', 'F2']) await chat.page.keyboard.press(key);
    assert.equal(await editor().inputValue(), 'Write it');
    assert.equal(await editor().evaluate((box) => box === document.activeElement), true);
  });

  it('are edited by F2 after a click on them', async () => {
    chat = await ChatPage.with(TALK);
    await you(0).locator('.bubble').click();
    await chat.page.keyboard.press('F2');
    assert.equal(await editor().inputValue(), 'Write it');
  });

  it('close their menu by Escape, which returns the focus, and show it completely in a narrow page', async () => {
    chat = await ChatPage.with(TALK, { width: 300, height: 300 });
    await menuOf(you(1)).click();
    const menu = chat.page.getByRole('menu');
    const box = await menu.boundingBox();
    assert.ok(box && box.x >= 0 && box.y >= 0 && box.x + box.width <= 300 && box.y + box.height <= 300);
    await chat.page.keyboard.press('Escape');
    assert.equal(await menu.count(), 0);
    assert.equal(await menuOf(you(1)).evaluate((button) => button === document.activeElement), true);
  });

  it('are shown without a time if it is invalid', async () => {
    const at = Number.MAX_SAFE_INTEGER;
    chat = await ChatPage.with([{ type: 'promptSent', text: 'From far away', blocks: [], at }]);
    assert.equal(await you().getByText('From far away').count(), 1);
    assert.equal(await you().locator('time').count(), 0);
    assert.deepEqual(chat.pageErrors, []);
    assert.deepEqual(await chat.intents(), []);
  });

  it('are edited in place with their attachments, and sent; canceling changes nothing', async () => {
    chat = await ChatPage.with(TALK);
    await action(you(), 'Edit').click();
    assert.equal(await editor().inputValue(), 'Write it');
    await chat.page.getByText('Restores files and continues in a new session. The original is kept.').waitFor();
    await editor().fill('other');
    await chat.page.keyboard.press('Escape');
    assert.equal(await you().getByText('Write it').count(), 1);
    assert.deepEqual(await chat.intents(), []);
    await menuOf(you()).focus();
    await chat.page.keyboard.press('F2');
    assert.equal(await editor().inputValue(), 'Write it');
    await editor().fill('Write it well');
    await editor().press('Enter');
    assert.deepEqual(await chat.intents(), [
      {
        type: 'resend',
        entry: 0,
        text: 'Write it well',
        attachments: [{ kind: 'file', uri: 'file:///w/src/app.ts', label: 'app.ts' }],
      },
    ]);
    assert.equal(await editor().getAttribute('readonly'), '');
  });

  it('show why they were not sent, and can be sent again or canceled', async () => {
    chat = await ChatPage.with(TALK);
    await chat.box.press('F2');
    assert.equal(await editor().inputValue(), 'And test it');
    await editor().press('Enter');
    await chat.post({ type: 'resendEnded', session: 'session-1', entry: 2, problem: 'The agent is working.' });
    await chat.page.getByRole('alert').getByText('The agent is working.').waitFor();
    await editor().press('Enter');
    assert.equal((await chat.intents()).length, 2);
    await chat.post({ type: 'resendEnded', session: 'session-1', entry: 2 });
    await chat.button('Cancel').and(chat.page.locator('[aria-disabled=false]')).click();
    assert.equal(await editor().count(), 0);
  });

  it('stay in edit mode after a reload, unless another session continues with them', async () => {
    chat = await ChatPage.with(TALK);
    await chat.box.press('F2');
    await editor().fill('kept');
    await chat.page.reload();
    await chat.sentType('ready');
    await chat.snapshot();
    assert.equal(await editor().inputValue(), 'kept');
    await editor().press('Enter');
    await chat.sentType('resend');
    const { state } = chat;
    chat.state = emptySession('session-2');
    await chat.snapshot();
    await chat.post({ type: 'resendEnded', session: 'session-1', entry: 2, sent: true });
    chat.state = state;
    await chat.snapshot();
    assert.equal(await editor().count(), 0);
    assert.equal(await you(1).getByText('And test it').count(), 1);
  });

  it('keep their edit if sending failed while another session was shown', async () => {
    chat = await ChatPage.with(TALK);
    await chat.box.press('F2');
    await editor().fill('kept');
    await editor().press('Enter');
    await chat.sentType('resend');
    const { state } = chat;
    chat.state = emptySession('session-2');
    await chat.snapshot();
    await chat.post({ type: 'resendEnded', session: 'session-1', entry: 2, problem: 'The agent is working.' });
    chat.state = state;
    await chat.snapshot();
    assert.equal(await editor().inputValue(), 'kept');
    assert.equal(await editor().getAttribute('readonly'), null);
  });

  it('leave edit mode in a page that keeps showing the old session', async () => {
    chat = await ChatPage.with(TALK);
    await chat.box.press('F2');
    await editor().press('Enter');
    await chat.post({ type: 'resendEnded', session: 'session-1', entry: 2, sent: true });
    await editor().waitFor({ state: 'detached' });
  });
});

describe('the error of a turn', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  it('offers a retry at the reset of a limit, or to cancel it, while it belongs to the last message', async () => {
    const at = new Date();
    // The page is in UTC, wherever the test runs.
    at.setUTCHours(23, 59, 59, 999);
    const retryAt = at.getTime();
    const failed = (at: number): Action[] => [
      { type: 'promptSent', text: 'Go on', blocks: [], at: NOON },
      { type: 'turnEnded', stopReason: 'error', at: NOON },
      { type: 'errorShown', message: 'Limit', remedies: ['retry'], retryAt: at, at: NOON },
    ];
    chat = await ChatPage.with(failed(retryAt));
    await chat.button('Retry at 23:59').click();
    assert.deepEqual(await chat.intents(), [{ type: 'retryLater', entry: 1 }]);
    await chat.act({ type: 'retryScheduled', retryAt });
    await chat.page.getByRole('status').filter({ hasText: 'Retrying at 23:59' }).waitFor();
    await chat.button('Cancel').click();
    assert.deepEqual((await chat.intents()).at(-1), { type: 'cancelRetry' });
    await chat.act({ type: 'retryEnded' });
    await chat.button('Retry at 23:59').waitFor();
    await chat.act(...failed(NOON));
    assert.equal(
      await chat.page.getByRole('button', { name: /Retry at/ }).count(),
      0,
      'of the earlier message, nor of a reset that has passed',
    );
    assert.equal(await chat.page.getByRole('button', { name: 'Retry', exact: true }).count(), 1);
  });

  it('offers Retry while it belongs to the last message', async () => {
    const failed: Action = { type: 'errorShown', message: 'Overloaded.', remedies: ['retry', 'showLog'], at: NOON };
    chat = await ChatPage.with([prompt('go'), { ...end, stopReason: 'error' }, failed]);
    await chat.button('Retry').click();
    assert.deepEqual(await chat.intents(), [{ type: 'retry' }]);
    await chat.act(prompt('something else'));
    assert.equal(await chat.button('Retry').count(), 0);
    await chat.page.getByText('Overloaded.').click();
    await chat.button('Show Log').waitFor();
  });
});

describe('the summary of a turn', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  const note = (): Locator => chat.page.getByRole('note', { name: 'Turn summary' });
  const tool: Action = { type: 'toolStarted', toolCallId: 't', patch: { title: 'Look', status: 'done' }, at: NOON };
  const file = { path: '/w/a.ts', label: 'a.ts', status: 'changed', added: 10, removed: 2, mark: 'm' } as const;

  it('shows duration, calls and changed files, and opens their review', async () => {
    const long: Action = { type: 'turnEnded', stopReason: 'end_turn', at: NOON + 125_000 };
    chat = await ChatPage.with([prompt('go'), tool, answer('Done.'), long]);
    assert.equal(await note().innerText(), '2 min 5 s\n1 tool call');
    const more = { ...file, path: '/w/b.ts', label: 'b.ts', added: 1, removed: 0 };
    await chat.act({ type: 'turnFilesTold', entry: 0, files: [file, more] });
    assert.equal(
      await note().ariaSnapshot(),
      `- note "Turn summary":
  - text: 2 min 5 s 1 tool call
  - button "2 files 11 added 2 removed":
    - text: 2 files
    - img "11 added": "+11"
    - img "2 removed": −2`,
    );
    await note().getByRole('button').click();
    assert.deepEqual(await chat.intents(), [{ type: 'reviewTurn', entry: 0 }]);
  });

  it('is hidden for a short answer, and shown for each of several turns', async () => {
    chat = await ChatPage.with([prompt('hi'), answer('Hello.'), end]);
    assert.equal(await note().count(), 0);
    await chat.act(prompt('go'), tool, end, prompt('on'), tool, end);
    assert.equal(await note().count(), 2);
  });
});

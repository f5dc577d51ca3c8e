import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { Attachment } from '../../src/shared/state/attachments';
import type { QueueAction } from '../../src/shared/state/messageQueueState';
import { emptySession } from '../../src/shared/state/sessionState';
import { ChatPage } from './harness';
import { NOON } from './sample';

const prompt = { type: 'promptSent', text: 'go', blocks: [], at: NOON } as const;
const NOTE: Attachment = { kind: 'text', label: 'note.txt', text: 'x' };

function queued(id: string, text = `message ${id}`, attachments: readonly Attachment[] = []): QueueAction {
  return { type: 'messageQueued', message: { id, text, attachments, at: NOON } };
}

describe('queued messages', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  const list = (): Locator => chat.page.getByRole('list', { name: 'Queued messages' });
  const bar = (): Locator => chat.page.getByRole('region', { name: 'Queue' });
  const item = (at: number): Locator => list().locator(':scope > li').nth(at);
  const within = (at: number, name: string): Locator => item(at).getByRole('button', { name, exact: true });
  const focused = (): Promise<string> =>
    chat.page.evaluate(() => {
      const { activeElement: on } = document;
      return `${on?.closest('li')?.getAttribute('data-queued') ?? ''}: ${on?.getAttribute('aria-label') ?? ''}`;
    });

  it('are listed above the message box with their actions, or hidden if there are none', async () => {
    chat = await ChatPage.with([prompt]);
    assert.equal(await list().count(), 0);
    await chat.act(queued('a', 'Use tabs'), queued('b', 'Then the tests', [NOTE]));
    assert.equal(
      await chat.page.getByRole('region', { name: 'Queue' }).ariaSnapshot(),
      `- region "Queue":
  - text: 2 queued messages
  - list "Queued messages":
    - listitem:
      - text: Use tabs
      - group "Use tabs":
        - button "Move down": 
        - button "Edit": 
        - button "Remove": 
        - button "Send now": 
    - listitem:
      - text: Then the tests 1 attachment
      - group "Then the tests":
        - button "Move up": 
        - button "Edit": 
        - button "Remove": 
        - button "Send now": `
        .replaceAll(': \n', '\n')
        .replace(/: $/, ''),
    );
    await chat.act({ type: 'queuedTaken', id: 'a' }, { type: 'queuedTaken', id: 'b' });
    assert.equal(await list().count(), 0);
  });

  it('show why they are paused, and Resume sends them', async () => {
    chat = await ChatPage.with([prompt, queued('a')]);
    await chat.act({ type: 'queuePaused', pause: { why: 'turn', stopReason: 'cancelled' } });
    await bar().getByText('Paused: you stopped the turn').waitFor();
    await chat.button('Resume').click();
    await chat.act({ type: 'queueResumed' });
    assert.deepEqual(await chat.intents(), [{ type: 'resumeQueue' }]);
    assert.equal(await chat.box.evaluate((box) => box === document.activeElement), true);
    await chat.act({ type: 'queuePaused', pause: { why: 'notSent', message: 'Could not read note.txt: it is gone.' } });
    await bar().getByText('the first message was not sent. Could not read note.txt: it is gone.').waitFor();
    assert.equal(await chat.button('Resume').count(), 0);
    assert.match(await chat.page.locator('[data-part="announcer"]').innerText(), /Paused: the first message/);
  });

  it('wait for Continue or Stop when a budget is exceeded', async () => {
    const pause = { why: 'budget', scope: 'session', spent: 5.1, limit: 5, currency: 'USD' } as const;
    chat = await ChatPage.with([queued('a'), { type: 'queuePaused', pause }]);
    await bar().getByText('The session budget is used up: 5.10 USD of 5.00 USD').waitFor();
    assert.equal(await chat.button('Resume').count(), 0);
    await bar().getByRole('button', { name: 'Continue' }).click();
    await bar().getByRole('button', { name: 'Stop' }).click();
    assert.deepEqual(await chat.intents(), [
      { type: 'answerBudget', continues: true },
      { type: 'answerBudget', continues: false },
    ]);
    await chat.act({ type: 'queuePaused', pause: { ...pause, scope: 'day', stopped: true } });
    await bar().getByText('Today’s budget is used up').waitFor();
    assert.equal(await bar().getByRole('button', { name: 'Continue' }).count(), 0);
    await chat.button('Resume').click();
  });

  it('can be sent now, removed and moved by buttons and keys, which keep the focus', async () => {
    chat = await ChatPage.with([prompt, queued('a'), queued('b'), queued('c')]);
    await within(1, 'Send now').click();
    await within(2, 'Remove').click();
    await within(0, 'Move down').focus();
    await chat.page.keyboard.press('Alt+ArrowDown');
    await chat.act({ type: 'queuedMoved', id: 'a', to: 1 });
    assert.equal(await focused(), 'a: Move down');
    await chat.page.keyboard.press('Alt+ArrowUp');
    await chat.act({ type: 'queuedMoved', id: 'a', to: 0 });
    assert.equal(await focused(), 'a: Move down');
    // There is no further position.
    await chat.page.keyboard.press('Alt+ArrowUp');
    await within(2, 'Move up').click();
    assert.deepEqual(await chat.intents(), [
      { type: 'sendQueued', id: 'b' },
      { type: 'removeQueued', id: 'c' },
      { type: 'moveQueued', id: 'a', to: 1 },
      { type: 'moveQueued', id: 'a', to: 0 },
      { type: 'moveQueued', id: 'c', to: 1 },
    ]);
  });

  it('can be moved by dragging', async () => {
    chat = await ChatPage.with([prompt, queued('a'), queued('b'), queued('c')]);
    await item(0).dragTo(item(2));
    assert.deepEqual(await chat.intents(), [{ type: 'moveQueued', id: 'a', to: 2 }]);
  });

  it('are edited in place and held meanwhile, and the edit survives a reload', async () => {
    chat = await ChatPage.with([prompt, queued('a', 'wrong', [NOTE])]);
    await within(0, 'Edit').click();
    const box = chat.page.getByRole('textbox', { name: 'Edit queued message' });
    assert.equal(await box.inputValue(), 'wrong');
    assert.deepEqual(await chat.sentType('holdQueued'), { type: 'holdQueued', id: 'a' });
    await chat.act({ type: 'queuedHeld', id: 'a' });
    await box.fill('right');
    await chat.page.reload();
    await chat.sentType('ready');
    await chat.snapshot();
    assert.equal(await box.inputValue(), 'right');
    await chat.page.getByRole('button', { name: 'Remove note.txt' }).click();
    await box.press('Enter');
    const changed = await chat.sentType('changeQueued');
    assert.deepEqual(changed, { type: 'changeQueued', id: 'a', text: 'right', attachments: [] });
    assert.equal(await focused(), ': Message');
  });

  it('stay unchanged when the edit is canceled', async () => {
    chat = await ChatPage.with([prompt, queued('a', 'as it was')]);
    await within(0, 'Edit').click();
    await chat.page.getByRole('textbox', { name: 'Edit queued message' }).fill('other');
    await chat.act({ type: 'queuedHeld', id: 'a' });
    await chat.page.keyboard.press('Escape');
    await chat.sentType('holdQueued', 2);
    assert.deepEqual(await chat.intents(), [{ type: 'holdQueued', id: 'a' }, { type: 'holdQueued' }]);
    await within(0, 'Edit').click();
    assert.equal(await chat.page.getByRole('textbox', { name: 'Edit queued message' }).inputValue(), 'as it was');
  });

  it('stay in edit mode after another session was shown, and are held all the time', async () => {
    chat = await ChatPage.with([prompt, queued('a', 'as it was')]);
    await within(0, 'Edit').click();
    await chat.sentType('holdQueued');
    await chat.act({ type: 'queuedHeld', id: 'a' });
    const box = chat.page.getByRole('textbox', { name: 'Edit queued message' });
    await box.fill('half a change');
    const { state } = chat;
    chat.state = emptySession('session-2');
    await chat.snapshot([prompt, queued('b')]);
    assert.equal(await box.count(), 0);
    await chat.page.reload();
    await chat.sentType('ready');
    await chat.snapshot();
    chat.state = state;
    await chat.snapshot();
    assert.equal(await box.inputValue(), 'half a change');
    await chat.sentType('holdQueued');
    assert.deepEqual(
      (await chat.intents()).filter(({ type }) => type === 'holdQueued'),
      [{ type: 'holdQueued', id: 'a' }],
    );
  });

  it('are held by this page too if another page holds them', async () => {
    chat = await ChatPage.with([prompt, queued('a')]);
    await chat.act({ type: 'queuedHeld', id: 'a' });
    await within(0, 'Edit').click();
    await chat.sentType('holdQueued');
    await chat.page.getByRole('textbox', { name: 'Edit queued message' }).press('Escape');
    await chat.sentType('holdQueued', 2);
    assert.deepEqual(await chat.intents(), [{ type: 'holdQueued', id: 'a' }, { type: 'holdQueued' }]);
  });

  it('are released immediately, and only by the page that held them', async () => {
    chat = await ChatPage.open();
    await chat.snapshot([prompt, queued('a'), { type: 'queuedHeld', id: 'a' }]);
    await chat.frame();
    assert.deepEqual(await chat.intents(), []);
    await chat.act({ type: 'queuedHeld' });
    await within(0, 'Edit').click();
    await chat.page.getByRole('textbox', { name: 'Edit queued message' }).waitFor();
    // Before the host has confirmed that it is held back.
    await chat.page.keyboard.press('Escape');
    await chat.sentType('holdQueued', 2);
    assert.deepEqual(await chat.intents(), [{ type: 'holdQueued', id: 'a' }, { type: 'holdQueued' }]);
  });
});

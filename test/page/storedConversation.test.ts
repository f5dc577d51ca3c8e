import assert from 'node:assert/strict';
import type { Action } from '../../src/shared/state/sessionActions';
import { emptySession } from '../../src/shared/state/sessionState';
import { longConversation } from '../bench/longSession';
import { until } from '../kit/waiting';
import { ChatPage } from './harness';
import { NOON } from './sample';

const HOSTILE = 'Done: <img src=x onerror="document.title = \'run\'"> [here](command:x)';
const conversation: readonly Action[] = [
  { type: 'promptSent', text: 'Change it', blocks: [], at: NOON },
  { type: 'textAppended', role: 'agent', text: HOSTILE, at: NOON },
  { type: 'turnEnded', stopReason: 'end_turn', at: NOON },
  { type: 'errorShown', message: 'It broke', remedies: ['retry', 'restart'], at: NOON },
];

describe('a conversation that the page has stored', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  /** A page that was loaded again, before the host answers. */
  async function reloaded(actions: readonly Action[]): Promise<void> {
    chat = await ChatPage.with(actions);
    await until(() => chat.page.evaluate(() => sessionStorage.getItem('state')?.includes('"conversation"')));
    await chat.page.reload();
    await chat.sentType('ready');
  }

  it('is shown before the host answers, by the same rendering', async () => {
    await reloaded(conversation);
    await chat.log.getByText('Change it').waitFor();
    await chat.log.getByRole('article', { name: 'Agent' }).getByText('Done:').waitFor();
    assert.equal(await chat.log.locator('img').count(), 0);
    assert.equal(await chat.page.title(), 'Parley');
    assert.deepEqual(await chat.violations(), []);
  });

  it('cannot be used, and sends nothing, until the host answers', async () => {
    await reloaded(conversation);
    const used = await chat.page.evaluate(() => {
      const buttons = [...document.querySelectorAll<HTMLElement>('.log button, .dock button')];
      for (const button of buttons) button.click();
      return buttons.filter((button) => button.closest('[inert]') === null).map(({ ariaLabel }) => ariaLabel);
    });
    assert.deepEqual(used, []);
    await chat.box.fill('Not yet');
    await chat.box.press('Enter');
    assert.equal(await chat.box.inputValue(), 'Not yet');
    assert.deepEqual(await chat.intents(), []);
    await chat.snapshot();
    await chat.button('Retry').click();
    await chat.sentType('retry');
    await chat.box.press('Enter');
    await chat.sentType('send');
  });

  it('is replaced without a jump, and keeps typed text and the focus', async () => {
    await reloaded([...longConversation(200)].map((action) => ('at' in action ? { ...action, at: NOON } : action)));
    const last = chat.log.locator('.slot').last();
    await last.waitFor();
    await chat.box.pressSequentially('I was fas');
    await chat.frame();
    const before = await last.boundingBox();
    await chat.snapshot();
    await chat.page.keyboard.type('ter');
    assert.equal(await chat.box.inputValue(), 'I was faster');
    assert.equal(await chat.box.evaluate((box) => box === document.activeElement), true);
    const after = await last.boundingBox();
    assert.ok(before && after && Math.abs(after.y - before.y) < 1, `${before?.y} → ${after?.y}`);
    await until(async () => (await chat.log.locator('[data-entry="0"]').count()) === 1);
  });

  it('gives the typed text to the session that the host shows instead', async () => {
    await reloaded(conversation);
    await chat.box.pressSequentially('For whoever answers');
    await chat.frame();
    chat.state = emptySession('session-2', { name: 'demo', title: 'Demo agent' });
    await chat.snapshot();
    assert.equal(await chat.box.inputValue(), 'For whoever answers');
    assert.equal(await chat.box.evaluate((box) => box === document.activeElement), true);
    assert.equal(await chat.log.getByText('Change it').count(), 0);
  });

  it('is not shown if other code has stored it', async () => {
    chat = await ChatPage.with(conversation);
    await until(() => chat.page.evaluate(() => sessionStorage.getItem('state')?.includes('"conversation"')));
    await chat.page.evaluate(() => {
      const state = JSON.parse(sessionStorage.getItem('state') ?? '{}') as { conversation: { build: string } };
      state.conversation.build = 'https://localhost/an-earlier-version.js';
      sessionStorage.setItem('state', JSON.stringify(state));
    });
    await chat.page.reload();
    await chat.sentType('ready');
    assert.equal(await chat.page.locator('.opening').count(), 1);
    assert.equal(await chat.page.getByText('Change it').count(), 0);
  });
});

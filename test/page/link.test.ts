import assert from 'node:assert/strict';
import { ChatPage } from './harness';
import { NOON } from './sample';

const fill = (text: string, remarks: readonly string[] = [], session = 'session-1') =>
  ({ type: 'fillComposer', session, text, remarks }) as const;

describe('a link into the chat', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  const note = () => chat.page.getByRole('status', { name: 'Filled in by a link' });

  it('fills the message box with a notice, and sends nothing', async () => {
    chat = await ChatPage.with([]);
    await chat.post(fill('Delete\neverything', ['The link requests the agent “X”, but this agent is not available.']));
    await note().waitFor();
    assert.equal(await chat.box.inputValue(), 'Delete\neverything');
    assert.equal(
      await note().locator('p').innerText(),
      'A link filled in this message. Review the message before you send it. The link requests the agent “X”, but this agent is not available.',
    );
    assert.deepEqual(await chat.intents(), []);
    assert.equal(await chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Message');
  });

  it('restores the previous draft', async () => {
    chat = await ChatPage.with([]);
    await chat.box.fill('my own words');
    await chat.post(fill('their words'));
    await note().waitFor();
    await chat.button('Undo').click();
    assert.equal(await chat.box.inputValue(), 'my own words');
    assert.equal(await note().count(), 0);
  });

  it('is not sent by an Enter that was meant for an earlier request', async () => {
    chat = await ChatPage.with([]);
    await chat.page.clock.install({ time: NOON });
    await chat.page.clock.pauseAt(NOON + 1_000);
    await chat.post(fill('text'));
    await chat.page.clock.runFor(100);
    await chat.box.press('Enter');
    assert.deepEqual(await chat.intents(), []);
    assert.equal(await chat.box.inputValue(), 'text');
    await chat.page.clock.runFor(600);
    await chat.box.press('Enter');
    await chat.page.clock.runFor(100);
    assert.deepEqual(await chat.intents(), [{ type: 'send', text: 'text' }]);
    assert.equal(await note().count(), 0);
  });

  it('reports an opened chat even without text', async () => {
    chat = await ChatPage.with([]);
    await chat.box.fill('mine');
    await chat.post(fill(''));
    await note().waitFor();
    assert.equal(await chat.box.inputValue(), 'mine');
    await chat.button('Dismiss').click();
    assert.equal(await note().count(), 0);
  });

  it('does not change the message box of another session', async () => {
    chat = await ChatPage.with([]);
    await chat.box.fill('mine');
    await chat.post(fill('theirs', [], 'another'));
    await chat.post({ type: 'focusComposer' });
    await chat.page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Message');
    assert.deepEqual([await chat.box.inputValue(), await note().count()], ['mine', 0]);
  });
});

describe('a message for several agents', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  const note = () => chat.page.getByRole('status', { name: 'Race' });

  it('is written in the message box, with lines and mentions, and sent to a race', async () => {
    chat = await ChatPage.with([]);
    await chat.page.clock.install({ time: NOON });
    await chat.page.clock.pauseAt(NOON + 1_000);
    await chat.post({ ...fill(''), to: 'race' });
    await chat.page.clock.runFor(100);
    await note().getByText('Each agent gets this message').waitFor();
    await chat.box.pressSequentially('Fix it');
    await chat.box.press('Shift+Enter');
    await chat.box.pressSequentially('and test it');
    await chat.button('Send').click();
    await chat.page.clock.runFor(100);
    const text = 'Fix it\nand test it';
    assert.deepEqual((await chat.intents()).at(-1), { type: 'send', text, to: 'race' });
    await note().waitFor({ state: 'detached' });
    await chat.box.fill('Next');
    await chat.box.press('Enter');
    await chat.page.clock.runFor(100);
    assert.deepEqual((await chat.intents()).at(-1), { type: 'send', text: 'Next' });
  });

  it('becomes one for the agent of the chat again', async () => {
    chat = await ChatPage.with([]);
    await chat.post({ ...fill(''), to: 'race' });
    await note().getByRole('button', { name: 'Leave Race' }).click();
    await chat.box.fill('Only you');
    await chat.button('Send').click();
    assert.deepEqual((await chat.intents()).at(-1), { type: 'send', text: 'Only you' });
  });
});

import assert from 'node:assert/strict';
import { ChatPage, environment } from './harness';
import { NOON } from './sample';

const suggested = { type: 'promptSuggested', text: 'Run the tests again' } as const;
const SHOWN = 'Run the tests again (Tab to use)';

describe('page/suggestion', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  const placeholder = (): Promise<string | null> => chat.box.getAttribute('placeholder');

  it('is shown in the empty box, accepted by Tab, and not sent automatically', async () => {
    chat = await ChatPage.with([suggested]);
    assert.equal(await placeholder(), SHOWN);
    await chat.box.press('Tab');
    assert.equal(await chat.box.inputValue(), 'Run the tests again');
    assert.ok(await chat.box.evaluate((box) => box === document.activeElement));
    assert.deepEqual(await chat.intents(), []);
    await chat.box.press('Enter');
    assert.deepEqual(await chat.intents(), [{ type: 'send', text: 'Run the tests again' }]);
  });

  it('is hidden by Escape, and Tab then moves the focus', async () => {
    chat = await ChatPage.with([suggested]);
    await chat.box.press('Escape');
    assert.notEqual(await placeholder(), SHOWN);
    await chat.box.press('Tab');
    assert.equal(await chat.box.inputValue(), '');
    assert.ok(await chat.box.evaluate((box) => box !== document.activeElement));
  });

  it('stays hidden after a reload, in this session only, until a new one arrives', async () => {
    chat = await ChatPage.with([suggested]);
    await chat.box.press('Escape');
    await chat.page.reload();
    await chat.sentType('ready');
    await chat.snapshot();
    await chat.box.waitFor();
    assert.notEqual(await placeholder(), SHOWN);
    const { state } = chat;
    chat.state = { ...state, id: 'session-2' };
    await chat.snapshot();
    assert.equal(await placeholder(), SHOWN);
    chat.state = state;
    await chat.snapshot();
    assert.notEqual(await placeholder(), SHOWN);
    await chat.act({ type: 'promptSent', text: 'other', blocks: [], at: NOON });
    await chat.act({ type: 'turnEnded', stopReason: 'end_turn', at: NOON + 1 });
    await chat.act(suggested);
    assert.equal(await placeholder(), SHOWN);
  });

  it('is hidden by text, a running turn, the next message and the setting', async () => {
    chat = await ChatPage.with([suggested]);
    await chat.box.fill('my own');
    await chat.box.press('Tab');
    assert.equal(await chat.box.inputValue(), 'my own');
    await chat.box.fill('');
    assert.equal(await placeholder(), SHOWN);
    await chat.act({ type: 'promptSent', text: 'other', blocks: [], at: NOON });
    assert.notEqual(await placeholder(), SHOWN);
    await chat.act({ type: 'turnEnded', stopReason: 'end_turn', at: NOON + 1 });
    assert.notEqual(await placeholder(), SHOWN, 'it was for the message before');
    await chat.act(suggested);
    assert.equal(await placeholder(), SHOWN);
    await chat.post({ type: 'environment', environment: { ...environment, suggestions: false } });
    assert.notEqual(await placeholder(), SHOWN);
  });
});

import assert from 'node:assert/strict';
import { focusNothing } from './focusPlace';
import { ChatPage, environment } from './harness';
import { NOON } from './sample';

const prompt = (text: string) => ({ type: 'promptSent', text, blocks: [], at: NOON }) as const;
const ended = { type: 'turnEnded', stopReason: 'end_turn', at: NOON + 1000 } as const;

describe('composer', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  it('sends with Enter and clears the box', async () => {
    chat = await ChatPage.with([]);
    await chat.box.fill('Hello there');
    await chat.box.press('Enter');
    assert.deepEqual(await chat.intents(), [{ type: 'send', text: 'Hello there' }]);
    assert.equal(await chat.box.inputValue(), '');
  });

  it('reports the first key in an idle chat, but not text from the host', async () => {
    chat = await ChatPage.with([
      { type: 'promptSent', text: 'Earlier', blocks: [], at: 0 },
      { type: 'turnEnded', stopReason: 'end_turn', at: 1 },
      { type: 'connectionChanged', connection: { status: 'idle' } },
    ]);
    const composing = async (): Promise<number> =>
      (await chat.sent()).filter(({ type }) => type === 'composing').length;
    await chat.post({ type: 'insertText', text: 'from a link' });
    await chat.page.waitForFunction(() => document.querySelector('textarea')?.value === 'from a link');
    await chat.sentType('draft');
    assert.equal(await composing(), 0);
    await chat.box.press('h');
    await chat.sentType('composing');
    await chat.act({ type: 'connectionChanged', connection: { status: 'starting' } });
    await chat.box.press('i');
    assert.equal(await composing(), 1);
  });

  it('reports the first attachment that a command of VS Code adds', async () => {
    chat = await ChatPage.with([{ type: 'connectionChanged', connection: { status: 'idle' } }]);
    const file = { kind: 'file', uri: 'file:///w/a.ts', label: 'a.ts' } as const;
    await chat.post({ type: 'attach', attachments: [], remarks: ['too large'] });
    await chat.page.getByText('too large').waitFor();
    assert.equal((await chat.sent()).filter(({ type }) => type === 'composing').length, 0);
    await chat.post({ type: 'attach', attachments: [file], remarks: [] });
    await chat.sentType('composing');
  });

  it('inserts a line break with Shift+Enter, and sends by the button', async () => {
    chat = await ChatPage.with([]);
    await chat.box.pressSequentially('one');
    await chat.box.press('Shift+Enter');
    await chat.box.pressSequentially('two');
    await chat.button('Send').click();
    assert.deepEqual(await chat.intents(), [{ type: 'send', text: 'one\ntwo' }]);
  });

  it('sends by Ctrl+Enter and breaks lines by Enter, by the setting', async () => {
    chat = await ChatPage.with([]);
    await chat.post({ type: 'environment', environment: { ...environment, sendKey: 'modifierEnter' } });
    await chat.page
      .getByRole('button', { name: 'Send' })
      .and(chat.page.locator('[title="Send (Ctrl+Enter)"]'))
      .waitFor();
    await chat.box.pressSequentially('one');
    await chat.box.press('Enter');
    await chat.box.pressSequentially('two');
    await chat.box.press('Control+Enter');
    await chat.act({ type: 'promptSent', text: 'one', blocks: [], at: 1 });
    await chat.box.pressSequentially('three');
    await chat.box.press('Control+Shift+Enter');
    assert.deepEqual(await chat.intents(), [
      { type: 'send', text: 'one\ntwo' },
      { type: 'send', text: 'three', now: true },
    ]);
  });

  it('keeps the message box and its buttons visible beside many attachments', async () => {
    chat = await ChatPage.with([], { width: 300, height: 560 });
    const file = (index: number) => ({ kind: 'file', uri: `file:///w/${index}.ts`, label: `${index}.ts` }) as const;
    const attachments = Array.from({ length: 50 }, (_, index) => file(index));
    await chat.post({ type: 'attach', attachments, remarks: ['Could not attach 10 more'] });
    await chat.page.getByText('49.ts').waitFor();
    for (const control of [chat.box, chat.button('Send')]) {
      const place = await control.boundingBox();
      assert.ok(place && place.y > 0 && place.y + place.height <= 560, 'in view');
    }
    await chat.page.getByText('49.ts').scrollIntoViewIfNeeded();
    const place = await chat.page.getByText('49.ts').boundingBox();
    assert.ok(place && place.y + place.height <= (await chat.box.boundingBox())!.y, 'above the box');
  });

  it('sends no blank message', async () => {
    chat = await ChatPage.with([]);
    await chat.box.fill('  \n ');
    await chat.box.press('Enter');
    assert.equal(await chat.button('Send').getAttribute('aria-disabled'), 'true');
    await chat.button('Send').click({ force: true });
    assert.deepEqual(await chat.intents(), []);
  });

  it('ignores Enter during input method composition', async () => {
    chat = await ChatPage.with([]);
    await chat.box.focus();
    const session = await chat.page.context().newCDPSession(chat.page);
    await session.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    // As Chromium reports the Enter that ends a composition.
    await session.send('Input.dispatchKeyEvent', {
      type: 'rawKeyDown',
      key: 'Process',
      code: 'Enter',
      windowsVirtualKeyCode: 229,
    });
    await chat.box.dispatchEvent('keydown', { key: 'Enter', code: 'Enter', isComposing: true });
    assert.deepEqual(await chat.intents(), []);
    await session.send('Input.insertText', { text: '日本' });
    await chat.box.press('Enter');
    assert.deepEqual(await chat.intents(), [{ type: 'send', text: '日本' }]);
  });

  it('shows earlier prompts with Up in an empty box, and returns with Down', async () => {
    chat = await ChatPage.with([prompt('first'), ended, prompt('second'), ended]);
    await chat.box.press('ArrowUp');
    assert.equal(await chat.box.inputValue(), 'second');
    await chat.box.press('ArrowUp');
    assert.equal(await chat.box.inputValue(), 'first');
    await chat.box.press('ArrowUp');
    assert.equal(await chat.box.inputValue(), 'first');
    await chat.box.press('ArrowDown');
    assert.equal(await chat.box.inputValue(), 'second');
    await chat.box.press('ArrowDown');
    assert.equal(await chat.box.inputValue(), '');
    await chat.box.fill('my own');
    await chat.box.press('ArrowUp');
    assert.equal(await chat.box.inputValue(), 'my own');
  });

  it('keeps the draft of each session over a reload', async () => {
    chat = await ChatPage.with([]);
    await chat.box.fill('not sent yet');
    await chat.frame();
    await chat.page.reload();
    await chat.sentType('ready');
    await chat.snapshot();
    assert.equal(await chat.box.inputValue(), 'not sent yet');
    const other = { ...chat.state, id: 'session-2' };
    chat.state = other;
    await chat.snapshot();
    assert.equal(await chat.box.inputValue(), '');
    chat.state = { ...other, id: 'session-1' };
    await chat.snapshot();
    assert.equal(await chat.box.inputValue(), 'not sent yet');
  });

  it('shows Stop during a turn, and queues messages', async () => {
    chat = await ChatPage.with([prompt('go')]);
    assert.equal(await chat.button('Send').count(), 0, 'Stop is in its place');
    await chat.box.fill('first');
    await chat.button('Send').click();
    assert.equal(await chat.button('Send').count(), 0);
    assert.ok(await chat.box.evaluate((box) => box === document.activeElement));
    await chat.box.fill('next');
    assert.match((await chat.button('Send').getAttribute('title')) ?? '', /after this turn/);
    await chat.box.press('Enter');
    assert.equal(await chat.box.inputValue(), '');
    await chat.box.fill('at once');
    await chat.box.press('Control+Enter');
    await chat.button('Stop').click();
    assert.deepEqual(await chat.intents(), [
      { type: 'send', text: 'first' },
      { type: 'send', text: 'next' },
      { type: 'send', text: 'at once', now: true },
      { type: 'stop' },
    ]);
    assert.ok(
      await chat.box.evaluate((box) => box === document.activeElement),
      'the button will take no focus with it',
    );
    await chat.act({ type: 'stopRequested', at: NOON });
    assert.equal(await chat.button('Stop').getAttribute('aria-disabled'), 'true');
    assert.equal(await chat.button('Force Stop').count(), 0);
    await chat.act({ type: 'stopOverdue' });
    await chat.button('Force Stop').click();
    assert.deepEqual((await chat.intents()).at(-1), { type: 'forceStop' });
    await chat.act({ type: 'turnEnded', stopReason: 'cancelled', at: NOON });
    assert.equal(await chat.button('Stop').count(), 0);
    await chat.box.fill('on');
    await chat.box.press('Control+Enter');
    assert.deepEqual((await chat.intents()).at(-1), { type: 'send', text: 'on' });
  });

  it('stops with Ctrl+Escape, not with Escape', async () => {
    chat = await ChatPage.with([prompt('go')]);
    await chat.box.press('Escape');
    assert.deepEqual(await chat.intents(), []);
    await chat.box.press('Control+Escape');
    assert.deepEqual(await chat.intents(), [{ type: 'stop' }]);
  });

  it('gets the focus that the page has when it opens, and takes it only on request of the host', async () => {
    chat = await ChatPage.with([prompt('go')]);
    const focused = () => chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
    assert.equal(await focused(), 'Message');
    await chat.page.evaluate(focusNothing);
    assert.equal(await focused(), '');
    await chat.act({ type: 'textAppended', role: 'agent', text: 'Still at it', at: NOON });
    assert.equal(await focused(), '');
    await chat.post({ type: 'focusComposer' });
    await chat.page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Message');
    assert.equal(await focused(), 'Message');
  });

  it('quotes the selection in the conversation below the draft', async () => {
    const text = 'First *line*.\n\n```js\nconst a = 1;\n```\n\nLast line.';
    chat = await ChatPage.with([prompt('Why?'), { type: 'textAppended', role: 'agent', text, at: NOON }, ended]);
    await chat.page.getByText('Last line.', { exact: true }).waitFor();
    await chat.box.fill('About this:');
    await chat.post({ type: 'quoteSelection' });
    await chat.page.getByRole('status', { name: 'Notice' }).getByText('In the conversation, select the text').waitFor();
    assert.equal(await chat.box.inputValue(), 'About this:');
    await chat.page.evaluate(() => {
      const answer = document.querySelector('.markdown');
      if (answer) document.getSelection()?.selectAllChildren(answer);
    });
    await chat.post({ type: 'quoteSelection' });
    await chat.page.waitForFunction(() => document.querySelector('textarea')?.value.includes('> Last line.'));
    const quoted = await chat.box.inputValue();
    assert.match(quoted, /^About this:\n> First line\.\n(>.*\n)*> const a = 1;\n(>.*\n)*> Last line\.\n\n$/);
    await chat.box.press('x');
    assert.equal(await chat.box.inputValue(), `${quoted}x`);
  });
});

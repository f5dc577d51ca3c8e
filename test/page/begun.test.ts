import assert from 'node:assert/strict';
import type { HostMessage } from '../../src/shared/protocol/chatPageProtocol';
import { becomes } from '../kit/waiting';
import { ChatPage } from './harness';

const lines = { kind: 'lines', uri: 'file:///w/a.ts', label: 'a.ts:3', lines: { first: 3, last: 3 } } as const;
const begun: HostMessage = { type: 'compose', text: 'Fix this', attachments: [lines], send: true };

describe('a message from an editor command', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  it('is sent immediately if the message box is empty', async () => {
    chat = await ChatPage.with([]);
    await chat.post(begun);
    const sent = await chat.sentType('send');
    assert.deepEqual(
      { ...sent, session: undefined },
      { type: 'send', text: 'Fix this', attachments: [lines], session: undefined },
    );
    assert.equal(await chat.box.inputValue(), '');
  });

  it('is added below a draft, with its attachments as chips and the cursor there', async () => {
    chat = await ChatPage.with([]);
    await chat.box.fill('My own words');
    await chat.post(begun);
    await chat.page.getByRole('button', { name: 'Remove a.ts:3' }).waitFor();
    assert.equal(await chat.box.inputValue(), 'My own words\nFix this');
    assert.equal(await chat.box.evaluate((box) => box === document.activeElement), true);
    assert.equal((await chat.sent()).filter(({ type }) => type === 'send').length, 0);
  });

  it('of a preset replaces the one of the preset before, not the user’s words', async () => {
    chat = await ChatPage.with([]);
    const fill = (text: string, replaces?: string): Promise<void> =>
      chat.post({ type: 'compose', text, attachments: [], send: false, ...(replaces !== undefined && { replaces }) });
    await fill('Review my changes');
    await chat.box.and(chat.page.locator(':focus')).waitFor();
    await fill('Write tests', 'Review my changes');
    await becomes(() => chat.box.inputValue(), 'Write tests');
    await fill('', 'Write tests');
    await becomes(() => chat.box.inputValue(), '');
    await fill('Write tests');
    await chat.box.fill('Write tests for a.ts');
    await fill('Explain', 'Write tests');
    await becomes(() => chat.box.inputValue(), 'Write tests for a.ts\nExplain');
    await fill('', 'Explain');
    await fill('.', undefined);
    await becomes(() => chat.box.inputValue(), 'Write tests for a.ts\nExplain\n.');
  });

  it('is not sent during a turn or without an agent', async () => {
    chat = await ChatPage.with([{ type: 'promptSent', text: 'Go', blocks: [], at: Date.now() }]);
    await chat.post(begun);
    await chat.page.getByRole('button', { name: 'Remove a.ts:3' }).waitFor();
    assert.equal(await chat.box.inputValue(), 'Fix this');
    await chat.close();
    chat = await ChatPage.with([]);
    await chat.post({ ...begun, send: false });
    await chat.page.getByRole('button', { name: 'Remove a.ts:3' }).waitFor();
    assert.equal((await chat.sent()).filter(({ type }) => type === 'send').length, 0);
  });
});

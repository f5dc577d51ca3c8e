import assert from 'node:assert/strict';
import { closeBrowser } from './browserPage';
import { ChatPage } from './harness';
import { midTurn, reviewed } from './sample';

describe('select all', () => {
  let chat: ChatPage;

  const selected = (): Promise<string> => chat.page.evaluate(() => document.getSelection()?.toString() ?? '');

  beforeEach(async () => {
    chat = await ChatPage.with([...reviewed(Date.now()), ...midTurn(Date.now())]);
    await chat.page.locator('.question .button').first().waitFor();
  });
  after(closeBrowser);
  afterEach(() => chat.close());

  it('selects the conversation, without buttons and texts for screen readers', async () => {
    await chat.page.getByRole('log').focus();
    await chat.page.keyboard.press('Control+a');
    const lines = (await selected()).split('\n').map((line) => line.trim());
    for (const said of ['Make uploads retry.', 'Uploads retry four times.', 'Read upload.ts', 'Find uses of send'])
      assert.ok(lines.includes(said), said);
    for (const line of ['Allow once', 'Always allow…', 'Reject', 'Undo Restore', 'Opus', 'Done', 'Keep All'])
      assert.ok(!lines.includes(line), line);
    assert.doesNotMatch(lines.join('\n'), /Demo agent: ready|Waiting for you|Turn finished/);
  });

  it('selects the text of the message box while the box has the focus', async () => {
    await chat.box.fill('Add tests');
    await chat.page.keyboard.press('Control+a');
    await chat.page.keyboard.type('Docs');
    assert.equal(await chat.box.inputValue(), 'Docs');
  });
});

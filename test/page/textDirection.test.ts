import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { ChatPage } from './harness';
import { NOON } from './sample';

const ENGLISH = 'Here is the answer.';
const ARABIC = 'مرحبا بالعالم.';

describe('bidirectional text', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  /** Pixels between a line of text and the two sides of its block. */
  const gaps = (block: Locator, text: string): Promise<{ left: number; right: number }> =>
    block.evaluate((element, text) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      let node = walker.nextNode() as Text;
      while (!node.data.includes(text)) node = walker.nextNode() as Text;
      const range = new Range();
      range.setStart(node, node.data.indexOf(text));
      range.setEnd(node, node.data.indexOf(text) + text.length);
      const [line, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
      return { left: Math.round(line.left - box.left), right: Math.round(box.right - line.right) };
    }, text);

  it('aligns each paragraph of an answer by its own language', async () => {
    chat = await ChatPage.with([
      { type: 'promptSent', text: 'go', blocks: [], at: NOON },
      { type: 'textAppended', role: 'agent', text: `${ENGLISH}\n\n${ARABIC}\n\n- ${ARABIC}`, at: NOON },
    ]);
    const paragraphs = chat.page.locator('.markdown > p');
    await chat.page.locator('.markdown li').waitFor();
    assert.equal((await gaps(paragraphs.nth(0), ENGLISH)).left, 0);
    assert.equal((await gaps(paragraphs.nth(1), ARABIC)).right, 0);
    assert.equal((await gaps(chat.page.locator('.markdown li'), ARABIC)).right, 0);
  });

  it('aligns each line of a sent message by its own language', async () => {
    chat = await ChatPage.with([
      { type: 'promptSent', text: `${ENGLISH} And a longer second sentence.\n${ARABIC}`, blocks: [], at: NOON },
    ]);
    const text = chat.page.locator('.bubble .plain');
    assert.equal((await gaps(text, ENGLISH)).left, 0);
    assert.equal((await gaps(text, ARABIC)).right, 0);
  });
});

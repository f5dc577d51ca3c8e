import assert from 'node:assert/strict';
import { ChatPage } from './harness';
import type { PageWindow } from './pageWindow';

interface Heard {
  heard: number[];
}

describe('sound', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  /** Records started tones by their frequency in hertz. */
  async function open(): Promise<void> {
    chat = await ChatPage.with([]);
    await chat.page.evaluate(() => {
      const heard: number[] = [];
      Object.assign(window, { heard });
      class Noted extends OscillatorNode {
        override start(when?: number): void {
          heard.push(Math.round(this.frequency.value));
          super.start(when);
        }
      }
      Object.assign(window, { OscillatorNode: Noted });
    });
  }
  const heard = (): Promise<number[]> => chat.page.evaluate(() => (window as PageWindow<Heard>).heard);
  const heardAll = (count: number): Promise<unknown> =>
    chat.page.waitForFunction((count) => (window as PageWindow<Heard>).heard.length === count, count);

  it('rises for a pending request and falls at the end of a turn, without loading a file', async () => {
    await open();
    await chat.box.click();
    await chat.post({ type: 'playSound', sound: 'waiting' });
    await heardAll(2);
    await chat.post({ type: 'playSound', sound: 'finished' });
    await heardAll(4);
    const [low = 0, high = 0, over = 0, end = 0] = await heard();
    assert.ok(low < high && over > end, `${low} ${high} ${over} ${end}`);
    assert.deepEqual(chat.strangers, []);
    assert.deepEqual(chat.pageErrors, []);
  });
});

import assert from 'node:assert/strict';
import { focused, focusedName } from './focusPlace';
import { ChatPage, environment as plain } from './harness';
import type { Hands } from './keyboardActs';
import { acts, before, wideActs } from './keyboardActs';
import { SessionHost } from './sessionHost';

const MAX_PRESSES = 90;
const MAX_FRAMES = 300;
const environment = {
  ...plain,
  follow: 'following',
  editor: { kind: 'active', uri: 'file:///w/src/app.ts', label: 'src/app.ts' },
} as const;

describe('fifty actions by keyboard alone', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  for (const width of [900, 320]) {
    it(`never lose the focus, and always show it, at ${width} pixels`, async () => {
      chat = await ChatPage.open({ width, height: 700 });
      await chat.snapshot(before, environment);
      const host = new SessionHost(chat, environment);
      const hands = handsOf(chat, host);
      const problems: string[] = [];
      const all = width < 600 ? acts : [...acts, ...wideActs];
      for (const { act, keys, at } of all) {
        await keys(hands).catch((error: unknown) => problems.push(`${act}: ${String(error)}`));
        await host.answer();
        let place = await chat.page.evaluate(focused);
        const isThere = (): boolean => place.name === at && place.isMarked && place.cutBy === '' && place.isInView;
        // Some parts of the page are loaded by the action.
        for (let frames = 0; frames < MAX_FRAMES && !isThere(); frames++) {
          await chat.frame();
          place = await chat.page.evaluate(focused);
        }
        if (!isThere()) problems.push(`${act}: at ${JSON.stringify(place)}, not at "${at}"`);
      }
      assert.deepEqual(problems, []);
      assert.ok(all.length >= 50, `${all.length} acts`);
    });
  }
});

function handsOf(chat: ChatPage, host: SessionHost): Hands {
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) {
      await chat.page.keyboard.press(key);
      await host.answer();
    }
  };
  return {
    press,
    type: async (text) => {
      await chat.page.keyboard.type(text);
      await host.answer();
    },
    reach: async (wanted, key = 'Tab') => {
      const passed: string[] = [];
      while (passed.length < MAX_PRESSES) {
        const found = await chat.page.evaluate(focusedName);
        if (found === wanted) return;
        // After a round trip: a part of the page that was loaded meanwhile may have sent a request.
        if (passed.includes(found)) await host.answer();
        passed.push(found);
        await chat.page.keyboard.press(key);
      }
      assert.fail(`${key} does not lead to "${wanted}", but to ${passed.join(', ')}`);
    },
    agent: (...actions) => chat.act(...actions),
    host: async (message) => {
      await chat.post(message);
      await chat.frame();
    },
    ready: () => chat.page.locator('.question .button:not([aria-disabled="true"])').first().waitFor(),
  };
}

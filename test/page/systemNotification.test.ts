import assert from 'node:assert/strict';
import { ChatPage } from './harness';
import type { PageWindow } from './pageWindow';

interface Spied {
  shown: { title: string; options: NotificationOptions; target: EventTarget }[];
}

describe('system notifications', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  /** Replaces `Notification` in the page. */
  async function open(throws = false): Promise<void> {
    chat = await ChatPage.open();
    await chat.sentType('notificationPermission');
    await chat.page.evaluate((throws) => {
      const shown: Spied['shown'] = [];
      class Spy extends EventTarget {
        static permission = 'granted';
        constructor(title: string, options: NotificationOptions) {
          super();
          if (throws) throw new TypeError('Illegal constructor');
          shown.push({ title, options, target: this });
        }
        close(): void {}
      }
      Object.assign(window, { shown, Notification: Spy });
    }, throws);
  }
  const post = (): Promise<void> =>
    chat.post({ type: 'showNotification', id: 'n', title: '<b>Title</b>', body: 'Body' });
  const shown = (): Promise<[string, NotificationOptions][]> =>
    chat.page.evaluate(() => (window as PageWindow<Spied>).shown.map(({ title, options }) => [title, options]));
  const fire = (name: string): Promise<void> =>
    chat.page.evaluate(
      (name) => void (window as PageWindow<Spied>).shown[0]?.target.dispatchEvent(new Event(name)),
      name,
    );

  const isShown = (): Promise<unknown> =>
    chat.page.waitForFunction(() => (window as PageWindow<Spied>).shown.length === 1);

  it('are shown silently with unchanged texts, and report a click', async () => {
    await open();
    await post();
    await isShown();
    assert.deepEqual(await shown(), [['<b>Title</b>', { body: 'Body', silent: true }]]);
    await fire('click');
    assert.deepEqual(await chat.sentType('notificationClicked'), { type: 'notificationClicked', id: 'n' });
    assert.deepEqual(chat.pageErrors, []);
  });

  it('report that nothing was shown: an error, or no constructor', async () => {
    await open();
    await post();
    await isShown();
    await fire('error');
    assert.deepEqual(await chat.sentType('notificationFailed'), { type: 'notificationFailed', id: 'n' });
    await chat.close();
    await open(true);
    await post();
    assert.deepEqual(await chat.sentType('notificationFailed'), { type: 'notificationFailed', id: 'n' });
    assert.deepEqual(chat.pageErrors, []);
  });

  it('are permitted if the browser permits them, also later', async () => {
    await open();
    const first = await chat.sentType('notificationPermission');
    assert.deepEqual(first, { type: 'notificationPermission', granted: false });
    await chat.page.context().grantPermissions(['notifications']);
    const second = await chat.sentType('notificationPermission', 2);
    assert.deepEqual(second, { type: 'notificationPermission', granted: true });
  });
});

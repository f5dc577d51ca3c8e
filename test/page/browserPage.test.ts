import assert from 'node:assert/strict';
import { BrowserPage, startServer } from './browserPage';

const SIZE = { width: 300, height: 200 };
const LARGE = { width: 500, height: 400 };

const html = (body: string): string => `<!DOCTYPE html><html><head><link rel="icon" href="data:,"></head><body>${body}`;

/** Runs in the page before the document: records what an earlier document left in the session storage. */
function noteStored(): void {
  Object.assign(window, { stored: sessionStorage.getItem('state') });
}

/** Pages are reused by many tests: no state of one test may reach the next. */
describe('shared pages of the tests', () => {
  let tab: BrowserPage;
  beforeEach(async () => {
    tab = await BrowserPage.open(LARGE);
  });
  afterEach(() => tab.close());

  const show = (body: string): Promise<void> => tab.show(html(body), noteStored, undefined);
  const reopen = async (body: string): Promise<void> => {
    await tab.close();
    tab = await BrowserPage.open(SIZE);
    await show(body);
  };
  const stored = (): Promise<unknown> => tab.page.evaluate('stored');

  it('are reused in the state of a new page', async () => {
    const first = tab;
    await show('<input autofocus><p style="height: 100vh">one</p>');
    await tab.page.evaluate(() => {
      sessionStorage.setItem('state', 'of the first');
      Object.assign(window, { ofTheFirst: true });
    });
    await tab.page.locator('p').hover();
    await tab.page.keyboard.press('Tab');
    await reopen('<input><p style="height: 100vh">two</p>');
    assert.equal(tab, first);
    assert.equal(await stored(), null);
    const state = await tab.page.evaluate(() => ({
      own: 'ofTheFirst' in window,
      size: [innerWidth, innerHeight],
      hovered: document.querySelectorAll('p:hover').length,
      focused: document.activeElement?.tagName,
      hasFocus: document.hasFocus(),
    }));
    assert.deepEqual(state, { own: false, size: [300, 200], hovered: 0, focused: 'BODY', hasFocus: true });
  });

  it('keep their session storage when the same document is loaded again', async () => {
    await show('one');
    await tab.page.evaluate(() => sessionStorage.setItem('state', 'mine'));
    await tab.page.reload();
    assert.equal(await stored(), 'mine');
  });

  it('do not record events of an earlier document', async () => {
    const first = tab;
    await show('one');
    const { origin } = await startServer();
    await tab.page.evaluate((url) => {
      setInterval(() => {
        void fetch(`${url}/late`);
        throw new Error('late');
      });
    }, origin);
    await tab.page.waitForEvent('pageerror');
    await reopen('two');
    assert.equal(tab, first);
    assert.deepEqual([tab.errors, tab.strangers], [[], []]);
  });

  it('are not reused after a change that outlasts the document', async () => {
    const changes: readonly ((tab: BrowserPage) => unknown)[] = [
      ({ page }) => page.route('**/x', (route) => route.abort()),
      ({ page }) => page.clock.install(),
      ({ page }) => page.context().newPage(),
      ({ page }) => page.on('console', () => undefined),
      ({ page }) => page.close(),
    ];
    for (const change of changes) {
      const changed = tab;
      await show('one');
      await change(tab);
      await reopen('two');
      assert.notEqual(tab, changed);
      assert.equal(await tab.page.evaluate(() => document.body.textContent), 'two');
    }
  });

  it('reach no other origin, and record every request for an unknown file', async () => {
    await show('one');
    const { origin } = await startServer();
    const urls = ['https://stranger.test/a', 'http://192.0.2.1/b', 'http://localhost:9/c', `${origin}/package.json`];
    const ends = await tab.page.evaluate(
      (all) =>
        Promise.all(
          all.map((url) =>
            fetch(url).then(
              ({ status }) => status,
              () => 'failed',
            ),
          ),
        ),
      [...urls, `${origin}/dist/webview/chat.css`],
    );
    assert.deepEqual(ends, ['failed', 'failed', 'failed', 404, 200]);
    assert.deepEqual([...tab.strangers].sort(), [...urls].sort());
  });
});

import assert from 'node:assert/strict';
import type { Action } from '../../src/shared/state/sessionActions';
import { eventually } from '../kit/waiting';
import { ChatPage } from './harness';
import type { PageOptions } from './harness';
import type { PageWindow } from './pageWindow';
import { NOON, diff } from './sample';

const edits = (count: number): Action[] =>
  Array.from({ length: count }, (_, at) => ({
    type: 'toolStarted',
    toolCallId: `t${at}`,
    patch: { title: `Edit ${at}`, tool: 'edit', status: 'done', content: [about(at)] },
    at: NOON,
  }));

const about = (at: number): typeof diff => ({
  ...diff,
  diffId: `d${at}`,
  hunks: diff.hunks.map((hunk) => ({ ...hunk, lines: [...hunk.lines, { type: 'added', text: `last of ${at}` }] })),
});

/** Runs in the page: delays intersection events until `release`. */
function holdVisibility(): void {
  const held = new Set<EventTarget>();
  const hold = (event: Event): void => {
    event.stopImmediatePropagation();
    if (event.target) held.add(event.target);
  };
  addEventListener('contentvisibilityautostatechange', hold, true);
  addEventListener('release', () => {
    removeEventListener('contentvisibilityautostatechange', hold, true);
    for (const target of held) target.dispatchEvent(new Event('contentvisibilityautostatechange', { bubbles: true }));
  });
}

const reads = (count: number): Action[] =>
  Array.from({ length: count }, (_, at) => ({
    type: 'toolStarted',
    toolCallId: `t${at}`,
    patch: { title: `Search ${at}`, tool: 'search', status: 'done' },
    at: NOON,
  }));

/** Diffs: the view shows about four. */
const FAR = 60;

describe('diffs outside the view', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());
  const slot = (at: number) => chat.page.locator(`[data-entry="${at}"]`);
  const lines = (at: number) => slot(at).locator('.line');
  const open = async (count = FAR, options: PageOptions = {}): Promise<void> => {
    chat = await ChatPage.with(edits(count), options);
    await eventually(async () => assert.equal(await chat.page.locator('[data-entry]').count(), count));
    await lines(count - 1)
      .first()
      .waitFor();
  };

  it('consist of one text node each, with all words', async () => {
    await open();
    assert.equal(await lines(20).count(), 0);
    const text = await slot(20).locator('.hunk').textContent();
    await chat.log.evaluate((log) => log.scrollTo(0, 0));
    await slot(20).scrollIntoViewIfNeeded();
    await eventually(async () => assert.equal(await lines(20).count(), 7));
    const built = await slot(20).locator('.hunk').textContent();
    assert.equal(text?.replaceAll('\n', ''), built);
    assert.equal(await slot(20).locator('ins').count(), 4);
  });

  it('I8: consist of a fixed number of elements, for any number of lines', async () => {
    await open(200);
    const all = await chat.page.evaluate(() => document.querySelectorAll('.line').length);
    assert.ok(all < 60 * 7, `${all} of ${200 * 7} lines are built`);
  });

  it('have the height of their lines', async () => {
    await open();
    const height = (): Promise<number> =>
      slot(20)
        .locator('.hunk')
        .evaluate((hunk) => Math.round(hunk.getBoundingClientRect().height));
    await chat.page.evaluate(holdVisibility);
    await chat.log.evaluate((log) => log.scrollTo(0, 0));
    await chat.button('Jump to latest').waitFor();
    await slot(20).evaluate((element) => element.scrollIntoView());
    await chat.frame();
    const before = { height: await height(), lines: await lines(20).count() };
    await chat.page.evaluate(() => dispatchEvent(new Event('release')));
    await eventually(async () => assert.equal(await lines(20).count(), 7));
    assert.deepEqual(before, { height: await height(), lines: 0 });
  });

  it('are built together when several come near the view', async () => {
    await open();
    await chat.page.evaluate(holdVisibility);
    await chat.log.evaluate((log) => log.scrollTo(0, 0));
    await chat.button('Jump to latest').waitFor();
    await slot(20).evaluate((element) => element.scrollIntoView());
    await chat.frame();
    // Building one of them would force a layout before the next one is checked.
    const built = await chat.page.evaluate(() => {
      const lines = document.getElementsByClassName('line');
      const before = lines.length;
      dispatchEvent(new Event('release'));
      return lines.length - before;
    });
    assert.equal(built, 0);
    for (const at of [20, 21]) await eventually(async () => assert.equal(await lines(at).count(), 7));
  });

  it('are searchable, and keep a match selected', async () => {
    await open();
    const isFound = await chat.page.evaluate(() => {
      getSelection()?.removeAllRanges();
      return (window as PageWindow<{ find(text: string): boolean }>).find('last of 7');
    });
    assert.ok(isFound);
    await slot(7).scrollIntoViewIfNeeded();
    await eventually(async () => assert.equal(await lines(8).count(), 7));
    assert.equal(await chat.page.evaluate(() => String(getSelection())), 'last of 7');
    assert.equal(await lines(7).count(), 0);
    await chat.page.evaluate(() => getSelection()?.removeAllRanges());
    await eventually(async () => assert.equal(await lines(7).count(), 7));
  });

  it('are copied line by line', async () => {
    await open();
    await chat.log.focus();
    await chat.page.keyboard.press('Control+a');
    const copied = await chat.page.evaluate(() => String(getSelection()).split('\n'));
    for (const line of ['+last of 20', `+last of ${FAR - 1}`, '+  });']) assert.ok(copied.includes(line), line);
  });

  it('are readable by screen readers', async () => {
    await open();
    assert.match(await slot(20).ariaSnapshot(), /retry\(\(\) => this\.http\.put.*last of 20/s);
  });
});

describe('a conversation that opens', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  for (const [what, actions, count] of [
    ['cards', edits(200), 8],
    ['lines', reads(200), 24],
  ] as const) {
    it(`draws no more ${what} than fill the view before the page is idle`, async () => {
      chat = await ChatPage.open();
      await chat.page.evaluate(() => (globalThis.requestIdleCallback = () => 0));
      await chat.snapshot(actions);
      const shown = await chat.page.locator('[data-entry]').count();
      const first = await chat.page.locator('[data-entry]').first().boundingBox();
      assert.equal(shown, count);
      assert.ok(first && first.y < 60, 'the view is full');
    });
  }
});

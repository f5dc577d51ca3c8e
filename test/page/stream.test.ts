import assert from 'node:assert/strict';
import type { Action } from '../../src/shared/state/sessionActions';
import { emptySession } from '../../src/shared/state/sessionState';
import { hostile } from '../kit/hostile';
import { eventually } from '../kit/waiting';
import type { ThemeName } from './harness';
import { ChatPage, environment } from './harness';
import type { PageWindow } from './pageWindow';
import { NOON, midTurn } from './sample';

const prompt = { type: 'promptSent', text: 'go', blocks: [], at: NOON } as const;
const agentText = (text: string): Action => ({ type: 'textAppended', role: 'agent', text, at: NOON });
const notices = (count: number): Action[] =>
  Array.from({ length: count }, (_, index) => ({
    type: 'noticeShown',
    severity: 'info',
    title: `Notice ${index}`,
    at: NOON,
  }));

const image = (name: string): string => `![${name}](data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=)`;

interface Counted {
  documents: number;
}

/** Runs in the page: counts the documents that texts are parsed into. */
function countDocuments(): void {
  const counted = globalThis as PageWindow<Counted>;
  counted.documents = 0;
  type Parse = (this: DOMParser, text: string, type: DOMParserSupportedType) => Document;
  const original = Object.getOwnPropertyDescriptor(DOMParser.prototype, 'parseFromString')?.value as Parse;
  DOMParser.prototype.parseFromString = function (text, type) {
    counted.documents++;
    return original.call(this, text, type);
  };
}

describe('stream', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());
  const answer = () => chat.page.getByRole('article', { name: 'Agent' }).innerText();
  const fromEnd = () => chat.log.evaluate((log) => log.scrollHeight - log.clientHeight - log.scrollTop);
  const jump = () => chat.button('Jump to latest');
  /** A conversation longer than the page, fully rendered: later content scrolls the log to its end. */
  const openLong = async (theme: ThemeName = 'dark'): Promise<void> => {
    chat = await ChatPage.with([prompt, agentText('A line.\n\n'.repeat(80))], { theme });
    await chat.log.getByText('A line.').nth(79).waitFor();
    await eventually(async () => assert.ok((await fromEnd()) <= 1));
  };

  for (const theme of ['dark', 'light', 'hc', 'hc-light'] as const)
    it(`hides the text behind the Jump to latest button in ${theme}`, async () => {
      await openLong(theme);
      await chat.log.evaluate((log) => log.scrollTo(0, 0));
      await jump().waitFor();
      for (const hovered of [false, true]) {
        if (hovered) await jump().hover();
        const colour = await jump().evaluate((button) => getComputedStyle(button).backgroundColor);
        assert.match(colour, /^rgb\(/, 'it is opaque');
      }
    });

  it('renders of a long table only what is near its end while it grows', async () => {
    const row = `| ${'c | '.repeat(10)}\n`;
    const table = `|${' h |'.repeat(10)}\n|${'---|'.repeat(10)}\n${row.repeat(9000)}`;
    chat = await ChatPage.open();
    await chat.snapshot([prompt, agentText('A line.\n\n'.repeat(80))]);
    await eventually(async () => assert.ok((await fromEnd()) <= 1));
    await chat.page.evaluate(() => {
      const counted = globalThis as PageWindow<{ rendered: number }>;
      counted.rendered = 0;
      document.addEventListener(
        'contentvisibilityautostatechange',
        (event) => {
          const { skipped } = event as ContentVisibilityAutoStateChangeEvent;
          if (!skipped && (event.target as Element).className === 'md-table-part') counted.rendered++;
        },
        { capture: true },
      );
    });
    await chat.act(agentText(table));
    await chat.page.waitForFunction(() => document.querySelectorAll('.md-table-part').length === 179);
    await eventually(async () => assert.ok((await fromEnd()) <= 1));
    // Six batches.
    const rendered = await chat.page.evaluate(() => (globalThis as PageWindow<{ rendered: number }>).rendered);
    assert.ok(rendered <= 6 * 3, `${rendered} parts are rendered`);
  });

  it('keeps the Jump to latest button while it has the focus, but does not focus it on click', async () => {
    await openLong();
    const toStart = () => chat.log.evaluate((log) => log.scrollTo(0, 0));
    await toStart();
    await jump().waitFor();
    await chat.box.focus();
    await jump().click();
    await jump().waitFor({ state: 'detached' });
    assert.ok(await chat.box.evaluate((box) => box === document.activeElement));
    await toStart();
    await jump().press('Enter');
    await eventually(async () => assert.ok((await fromEnd()) <= 1));
    await chat.frame();
    assert.ok(await jump().evaluate((button) => button === document.activeElement));
    await chat.page.keyboard.press('Tab');
    await jump().waitFor({ state: 'detached' });
  });

  it('shows all of 2,000 chunks', async () => {
    chat = await ChatPage.with([prompt]);
    const words = Array.from({ length: 2000 }, (_, index) => `w${index}`);
    for (let at = 0; at < words.length; at += 50) {
      const actions = words.slice(at, at + 50).map((word) => agentText(`${word} `));
      await chat.act(...actions, agentText('\n\n'));
    }
    // The inner text has nothing that is too far from the view to be laid out.
    const text = () => chat.page.getByRole('article', { name: 'Agent' }).locator('.markdown').textContent();
    await eventually(async () => assert.deepEqual((await text())?.match(/w\d+/g), words));
  });

  it('creates a document only for texts with images', async () => {
    chat = await ChatPage.with([prompt, agentText(`See ${image('a')}.\n\n`)]);
    await chat.page.getByRole('img', { name: 'a' }).waitFor();
    await chat.page.evaluate(countDocuments);
    await chat.act(
      agentText(
        `${'A **line** with `code` and [b](https://example.com?a=1&b="<2>").\n\n- one\n- two\n\n| a |\n|:--|\n| b |\n\n'.repeat(100)}The end.`,
      ),
    );
    await chat.log.getByText('The end.').waitFor();
    assert.equal(await chat.log.locator('strong').count(), 100);
    const documents = (): Promise<number> => chat.page.evaluate(() => (globalThis as PageWindow<Counted>).documents);
    assert.equal(await documents(), 0);
    await chat.act(agentText(`\n\nSee ${image('c')}.\n\n`));
    await chat.page.getByRole('img', { name: 'c' }).waitFor();
    assert.notEqual(await documents(), 0);
  });

  it('continues after a snapshot in the middle of a message, a thought, a command and a request', async () => {
    chat = await ChatPage.with([prompt, agentText('One ')]);
    await chat.snapshot([agentText('two ')]);
    await chat.act(agentText('three.'));
    await eventually(async () => assert.equal(await answer(), 'One two three.'));
    await chat.act(...midTurn(Date.now()));
    await chat.snapshot([{ type: 'terminalOutput', terminalId: 'term-1', data: 'snapped\r\n' }]);
    await chat.act({ type: 'terminalOutput', terminalId: 'term-1', data: 'after\r\n' });
    const card = chat.page.getByRole('group', { name: 'Terminal: npm test -- upload' });
    await card.getByText('after', { exact: true }).waitFor();
    const output = await card.innerText();
    assert.match(output, /does not retry 403[\s\S]*snapped\s+after/);
    assert.equal(output.match(/does not retry 403/g)?.length, 1);
  });

  it('is restored in a new page', async () => {
    chat = await ChatPage.with(midTurn(NOON));
    await chat.page.getByText('gives up after the deadline').waitFor();
    const before = await chat.log.ariaSnapshot();
    await chat.page.reload();
    await chat.sentType('ready');
    await chat.snapshot();
    await eventually(async () => assert.deepEqual(steady(await chat.log.ariaSnapshot()), steady(before)));
  });

  it('requests a snapshot once for a missing message, and ignores messages that it contains', async () => {
    chat = await ChatPage.with([prompt]);
    await chat.post({ type: 'actions', seq: chat.seq + 5, last: chat.seq + 5, actions: [agentText('lost')] });
    await chat.post({ type: 'actions', seq: chat.seq + 6, last: chat.seq + 6, actions: [agentText('lost too')] });
    await chat.sentType('ready', 2);
    await chat.snapshot([agentText('Found.')]);
    await chat.post({ type: 'actions', seq: chat.seq, last: chat.seq, actions: [agentText('Found.')] });
    await chat.act(agentText(' Again.'));
    await eventually(async () => assert.equal(await answer(), 'Found. Again.'));
    assert.equal((await chat.sent()).filter((message) => message.type === 'ready').length, 2);
  });

  it('reports an action that it cannot apply, and requests a snapshot', async () => {
    chat = await ChatPage.with([prompt]);
    await chat.post({
      type: 'actions',
      seq: chat.seq + 1,
      last: chat.seq + 1,
      actions: [hostile({ type: 'dance' })],
    });
    await chat.sentType('pageError');
    await chat.sentType('ready', 2);
    await chat.snapshot([agentText('Still here.')]);
    await eventually(async () => assert.equal(await answer(), 'Still here.'));
  });

  it('reports an entry that cannot be rendered, and shows the others', async () => {
    chat = await ChatPage.with([prompt]);
    const patch = hostile<object>({ title: 'x', content: 7 });
    await chat.act({ type: 'toolStarted', toolCallId: 't', patch, at: NOON }, agentText('I go on.'));
    assert.match(await chat.log.innerText(), /This entry could not be shown/);
    await eventually(async () => assert.equal(await answer(), 'I go on.'));
    await chat.sentType('pageError');
  });

  it('stays at the end while text arrives, until the user scrolls up', async () => {
    chat = await ChatPage.with([prompt, ...notices(60)]);
    assert.ok((await fromEnd()) < 2);
    await chat.act(agentText('More.\n\n'.repeat(30)));
    assert.ok((await fromEnd()) < 2);
    assert.equal(await jump().count(), 0);
    await chat.log.hover();
    await chat.page.mouse.wheel(0, -400);
    await jump().waitFor();
    const top = await chat.log.evaluate((log) => log.scrollTop);
    await chat.act(agentText('Even more.\n\n'.repeat(30)));
    assert.equal(await chat.log.evaluate((log) => log.scrollTop), top);
    await jump().click();
    assert.ok((await fromEnd()) < 2);
    assert.equal(await jump().count(), 0);
  });

  it('leaves the user’s position if content grows before the scrolling is reported', async () => {
    chat = await ChatPage.with([prompt, ...notices(60)]);
    await eventually(async () => assert.ok((await fromEnd()) < 2));
    const moved = await chat.log.evaluate((log) => {
      log.scrollTop -= 300;
      const top = log.scrollTop;
      log.querySelector('.log-content')!.dispatchEvent(new Event('grow', { bubbles: true }));
      return log.scrollTop - top;
    });
    assert.equal(moved, 0);
    await jump().waitFor();
    await jump().click();
    await eventually(async () => assert.ok((await fromEnd()) < 2));
    // The wheel is reported first, and moves the content later.
    const followed = await chat.log.evaluate((log) => {
      log.dispatchEvent(new WheelEvent('wheel', { deltaY: -400 }));
      const top = log.scrollTop;
      const added = document.createElement('p');
      added.style.blockSize = '200px';
      log.querySelector('.log-content')!.append(added);
      added.dispatchEvent(new Event('grow', { bubbles: true }));
      return log.scrollTop - top;
    });
    assert.equal(followed, 0);
  });

  it('stays at the end if the message box shrinks while an entry is added', async () => {
    chat = await ChatPage.with([prompt, ...notices(60)]);
    await chat.box.fill('a\nlong\nmessage\nof\nsix\nlines');
    await eventually(async () => assert.ok((await fromEnd()) < 2));
    await chat.page.evaluate(() => {
      const log = document.querySelector<HTMLElement>('[role=log]')!;
      document.querySelector<HTMLElement>('.message-box')!.style.maxBlockSize = '20px';
      // Reading it forces layout: from here on the log is higher, and has scrolled up.
      if (log.scrollTop === 0) throw new Error('The log is not long enough.');
      const added = document.createElement('p');
      added.style.blockSize = '200px';
      log.querySelector('.log-content')!.append(added);
      // Under load the browser reports the scrolling only here, before the resize.
      log.dispatchEvent(new Event('scroll'));
    });
    await eventually(async () => assert.ok((await fromEnd()) < 2));
    assert.equal(await jump().count(), 0);
  });

  it('stops following on any upward scroll, also without a key, wheel or pointer event', async () => {
    chat = await ChatPage.with([prompt, ...notices(60)]);
    await eventually(async () => assert.ok((await fromEnd()) < 2));
    await chat.log.evaluate((log) => log.scrollBy(0, -60));
    await jump().waitFor();
    await chat.act(agentText('More.\n\n'.repeat(3)));
    await chat.page.getByRole('article', { name: 'Agent' }).waitFor();
    assert.equal(await jump().count(), 1);
  });

  it('scrolls to a sent message from any position, but not for a queued one', async () => {
    chat = await ChatPage.with([...notices(60)]);
    const up = async (): Promise<void> => {
      await chat.log.hover();
      await chat.page.mouse.wheel(0, -400);
      await jump().waitFor();
    };
    await up();
    await chat.box.fill('What now?');
    await chat.box.press('Enter');
    await chat.act({ ...prompt, text: 'What now?' });
    await jump().waitFor({ state: 'detached' });
    assert.ok((await fromEnd()) < 2);
    await up();
    await chat.box.fill('Later');
    await chat.box.press('Enter');
    await chat.sentType('send', 2);
    await chat.act(agentText('On it.'));
    assert.equal(await jump().count(), 1);
  });

  it('restores the scroll position after a reload and after a session switch', async () => {
    const long = [prompt, agentText('A line.\n\n'.repeat(80)), ...notices(60)];
    chat = await ChatPage.with(long);
    await chat.log.getByText('A line.').nth(79).waitFor();
    await eventually(async () => assert.ok((await fromEnd()) < 2));
    await chat.log.evaluate((log) => log.scrollTo(0, 700));
    await jump().waitFor();
    const seen = () =>
      chat.log.evaluate((log) => {
        const lines = [...log.querySelectorAll('[aria-label="Agent"] p')];
        return lines.findIndex((line) => line.getBoundingClientRect().top >= log.getBoundingClientRect().top);
      });
    const line = await seen();
    assert.ok(line > 5, String(line));
    await chat.page.waitForFunction(() => sessionStorage.getItem('state')?.includes('"places":{"'));
    await chat.page.reload();
    await chat.sentType('ready');
    await chat.snapshot();
    await eventually(async () => assert.equal(await seen(), line));
    assert.equal(await jump().count(), 1);
    const { state } = chat;
    chat.state = emptySession('other');
    await chat.snapshot([prompt, agentText('Short.')]);
    await chat.log.getByText('Short.').waitFor();
    assert.equal(await jump().count(), 0);
    chat.state = state;
    await chat.snapshot();
    await eventually(async () => assert.equal(await seen(), line));
    // At the end there is no position to return to.
    await jump().click();
    await chat.page.waitForFunction(() => sessionStorage.getItem('state')?.includes('"places":{}'));
    await chat.page.reload();
    await chat.sentType('ready');
    await chat.snapshot();
    await chat.log.getByText('Notice 59').waitFor();
    await eventually(async () => assert.ok((await fromEnd()) < 2));
  });

  it('can be scrolled by keys from the message box', async () => {
    chat = await ChatPage.with([prompt, ...notices(80)]);
    await chat.box.press('PageUp');
    await jump().waitFor();
    await chat.log.press('Home');
    await chat.page.waitForFunction(() => document.querySelector('[role=log]')?.scrollTop === 0);
    await chat.log.press('End');
    await jump().waitFor({ state: 'detached' });
  });

  it('draws the end of a long session, and the rest on request', async () => {
    chat = await ChatPage.with([]);
    await chat.snapshot([prompt, ...notices(5000)]);
    await eventually(async () => assert.ok((await fromEnd()) < 2));
    assert.equal(await chat.page.getByText('Notice 4999', { exact: true }).count(), 1);
    await chat.page.waitForFunction(() => document.querySelectorAll('[data-entry]').length > 1450);
    const drawn = await chat.page.locator('[data-entry]').count();
    assert.ok(drawn <= 1600, `${drawn} entries are drawn`);
    await eventually(async () => assert.ok((await fromEnd()) < 2));
    await chat.button('Load earlier messages').click();
    await chat.frame();
    assert.ok((await chat.page.locator('[data-entry]').count()) > drawn);
  });

  it('draws at most 31 entries of a long session first', async () => {
    chat = await ChatPage.open();
    await chat.page.evaluate(() => {
      const counted = globalThis as PageWindow<{ first?: number }>;
      new MutationObserver(() => {
        const { length } = document.querySelectorAll('[data-entry]');
        if (length > 0) counted.first ??= length;
      }).observe(document, { childList: true, subtree: true });
    });
    await chat.snapshot(notices(623));
    await chat.page.waitForFunction(() => document.querySelectorAll('[data-entry]').length === 623);
    const first = await chat.page.evaluate(() => (globalThis as PageWindow<{ first: number }>).first);
    assert.ok(first <= 31, `${first} entries in the first task`);
  });

  it('draws the end of a session first if it is loaded in two parts', async () => {
    chat = await ChatPage.with(notices(100));
    const actions = notices(600).slice(100);
    const seq = chat.seq + 1;
    const first = await chat.page.evaluate(
      ([message]) => {
        const log = document.querySelector('[role=log]');
        if (!log) throw new Error('There is no conversation.');
        const drawn = new Promise<(string | null)[]>((resolve) => {
          const texts = (): (string | null)[] =>
            [...document.querySelectorAll('[data-entry]')].map(({ textContent }) => textContent);
          const observer = new MutationObserver(() => texts().at(-1)?.includes('Notice 599') && resolve(texts()));
          observer.observe(log, { childList: true, subtree: true });
        });
        window.postMessage(message, '*');
        return drawn;
      },
      [{ type: 'actions', seq, last: chat.seq + actions.length, actions }] as const,
    );
    assert.ok(first.length <= 64, String(first.length));
    assert.match(first.at(-1) ?? '', /Notice 599/);
    await chat.page.waitForFunction(() => document.querySelectorAll('[data-entry]').length === 600);
    await chat.page.getByText('Notice 599').waitFor();
    assert.equal(await chat.button('Jump to latest').count(), 0);
  });

  it('switches to another session without remains of the previous one', async () => {
    chat = await ChatPage.with([prompt, agentText('Old.')]);
    await chat.post({
      type: 'snapshot',
      seq: 0,
      state: emptySession('other'),
      environment,
    });
    await chat.page.getByRole('heading', { name: 'Parley' }).waitFor();
    assert.doesNotMatch(await chat.log.innerText(), /Old/);
  });
});

/** Running timers are not part of what must be restored. */
function steady(text: string): string {
  return text.replaceAll(/\d+ (?:h|min|s)\b.*$/gm, '…').replaceAll(' [disabled]', '');
}

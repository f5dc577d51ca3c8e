import assert from 'node:assert/strict';
import { focusNothing, focused } from './focusPlace';
import type { FocusPlace } from './focusPlace';
import { ChatPage, environment } from './harness';
import { NOON, midTurn } from './sample';

/** Statements about keys in docs/keyboard.md. */

describe('by keyboard alone', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  const at = async (): Promise<string> => (await chat.page.evaluate(focused)).name;
  const press = async (...keys: readonly string[]): Promise<string> => {
    for (const key of keys) await chat.page.keyboard.press(key);
    return at();
  };
  const ready = (): Promise<void> =>
    chat.page.locator('.question .button:not([aria-disabled="true"])').first().waitFor();
  /** The Tab order from the start of the page until it is left. */
  const tabThrough = async (): Promise<FocusPlace[]> => {
    await chat.page.evaluate(focusNothing);
    const places: FocusPlace[] = [];
    for (let count = 0; count < 60; count++) {
      await chat.page.keyboard.press('Tab');
      const place = await chat.page.evaluate(focused);
      if (place.name === 'nothing') return places;
      places.push(place);
    }
    return assert.fail(`Tab never leaves the page: ${places.map(({ name }) => name).join(', ')}`);
  };

  it('the focus returns to its element after Find', async () => {
    chat = await ChatPage.with(midTurn(NOON));
    await chat.box.focus();
    const backFromFind = () =>
      chat.page.evaluate(() => {
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
        window.dispatchEvent(new Event('focus'));
      });
    await backFromFind();
    await chat.frame();
    assert.equal(await at(), 'Message');
  });

  it('the message box gets the focus that VS Code gives to the page only', async () => {
    chat = await ChatPage.with(midTurn(NOON));
    await chat.page.evaluate(focusNothing);
    assert.equal(await at(), 'nothing');
    await chat.page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await chat.frame();
    assert.equal(await at(), 'Message');
  });

  it('a box that opens has the focus before the next key', async () => {
    chat = await ChatPage.with([
      ...midTurn(NOON),
      { type: 'messageQueued', message: { id: 'a', text: 'later', attachments: [], at: NOON } },
    ]);
    await ready();
    const edit = chat.page.getByRole('list', { name: 'Queued messages' }).getByRole('button', { name: 'Edit' });
    for (const [button, name] of [
      [edit, 'Edit queued message'],
      [chat.button('Reject and Explain…').first(), 'Reason'],
      [undefined, 'Find'],
    ] as const) {
      const opener = (await button?.elementHandle()) ?? null;
      const next = chat.page.evaluate(async (element) => {
        const find = { key: 'f', ctrlKey: true, bubbles: true };
        if (element instanceof HTMLElement) element.click();
        else document.body.dispatchEvent(new KeyboardEvent('keydown', find));
        // Events of keys run in tasks.
        await new Promise((resolve) => setTimeout(resolve));
        return document.activeElement?.getAttribute('aria-label');
      }, opener);
      assert.equal(await next, name);
    }
  });

  it('moving to a long entry scrolls nothing around the page', async () => {
    const text = 'A line of a long answer.\n\n'.repeat(80);
    chat = await ChatPage.with([
      { type: 'promptSent', text: 'go', blocks: [], at: NOON },
      { type: 'textAppended', role: 'agent', text, at: NOON },
    ]);
    await chat.page.evaluate(() => {
      const rest = document.createElement('div');
      rest.style.height = '4px';
      document.body.append(rest);
    });
    await chat.box.focus();
    assert.equal(await press('Alt+ArrowUp'), 'Agent');
    await chat.frame();
    assert.equal(await chat.page.evaluate(() => scrollY), 0);
  });

  it('Tab visits a turn from top to bottom with a visible focus and leaves the page, and Shift+Tab reverses that', async () => {
    chat = await ChatPage.with(midTurn(NOON));
    await ready();
    const places = await tabThrough();
    assert.deepEqual(
      places.filter(({ isMarked }) => !isMarked).map(({ name }) => name),
      [],
    );
    assert.deepEqual(
      places.filter(({ cutBy }) => cutBy !== ''),
      [],
    );
    const names = places.map(({ name }) => name);
    const order = [
      'Tools',
      'Conversation',
      'Thought for 6 s',
      'src/upload.ts:52',
      'Find uses of send',
      'line 52 · src',
      'Stop command',
      'Show in Terminal',
      'Allow once1',
      'Always allow…2',
      'Reject3',
      'Message',
      'Attach files',
      'Mode',
      'Stop',
    ];
    assert.deepEqual(
      names.filter((name) => order.includes(name)),
      order,
    );
    // "Jump to latest" is visible while the focused element is far from the end.
    const lasting = names.filter((name) => name !== 'Jump to latest');
    const back: string[] = [];
    for (const _ of lasting) back.push(await press('Shift+Tab'));
    assert.deepEqual(back.filter((name) => name !== 'Jump to latest').toReversed(), lasting);
  });

  it('Alt+Up and Alt+Down move by entry, with Shift by user message, and end in the message box', async () => {
    chat = await ChatPage.with([
      ...midTurn(NOON).slice(0, 7),
      { type: 'turnEnded', stopReason: 'end_turn', at: NOON },
      { type: 'promptSent', text: 'And now?', blocks: [], at: NOON },
      { type: 'textAppended', role: 'agent', text: 'That is all.', at: NOON },
    ]);
    await chat.box.focus();
    assert.equal(await press('Alt+ArrowUp'), 'Agent');
    assert.equal(await press('Alt+ArrowUp'), 'You');
    assert.equal(await press('Alt+ArrowUp'), 'Tool: Find uses of send');
    assert.equal((await chat.page.evaluate(focused)).isMarked, true);
    assert.equal(await press('Shift+Alt+ArrowUp'), 'You');
    assert.equal(await press('Alt+ArrowUp'), 'You');
    assert.equal(await press('Shift+Alt+ArrowDown', 'Alt+ArrowDown'), 'Agent');
    assert.equal(await press('Alt+ArrowDown'), 'Message');
    assert.equal(await press('Alt+ArrowDown'), 'Message');
  });

  it('Right, Left and Enter expand and collapse the entry, Escape returns to the message box', async () => {
    chat = await ChatPage.with(midTurn(NOON).slice(0, 7));
    await chat.box.focus();
    await press('Alt+ArrowUp');
    const open = chat.page.getByRole('button', { name: 'Find uses of send', expanded: true });
    await press('ArrowRight', 'ArrowRight');
    assert.equal(await open.count(), 1);
    assert.equal(await press('ArrowLeft'), 'Tool: Find uses of send');
    assert.equal(await open.count(), 0);
    await press('Enter');
    assert.equal(await open.count(), 1);
    assert.equal(await press('Escape'), 'Message');
  });

  it('Alt+Up reaches the request at the end, and a digit answers it', async () => {
    chat = await ChatPage.with(midTurn(NOON));
    await ready();
    await chat.box.focus();
    assert.equal(await press('Alt+ArrowUp'), 'Permission: Install a package');
    await press('3');
    assert.deepEqual(await chat.intents(), [{ type: 'answerPermission', permissionId: 'p1', optionId: 'no' }]);
  });

  it('Ctrl+Escape stops the turn from anywhere, once, but Escape does not', async () => {
    chat = await ChatPage.with(midTurn(NOON));
    await chat.log.focus();
    await press('Escape');
    assert.deepEqual(await chat.intents(), []);
    await chat.log.focus();
    await press('Control+Escape');
    await chat.act({ type: 'stopRequested', at: NOON });
    await press('Control+Escape');
    assert.deepEqual(await chat.intents(), [{ type: 'stop' }]);
  });

  it('Alt and an arrow move the text cursor on a Mac, unless it is at the beginning', async () => {
    chat = await ChatPage.open();
    await chat.snapshot(midTurn(NOON), { ...environment, mac: true });
    await chat.box.fill('two words');
    assert.equal(await press('Alt+ArrowUp'), 'Message');
    await chat.box.evaluate((box) => (box as HTMLTextAreaElement).setSelectionRange(0, 0));
    assert.notEqual(await press('Alt+ArrowUp'), 'Message');
  });

  it('the focus stays in place while answers stream, tools run and a request arrives', async () => {
    chat = await ChatPage.with([{ type: 'promptSent', text: 'go', blocks: [], at: NOON }]);
    await chat.box.fill('half a thou');
    await chat.act(...midTurn(NOON).slice(3));
    assert.equal(await at(), 'Message');
    await chat.page.keyboard.type('ght');
    assert.equal(await chat.box.inputValue(), 'half a thought');
    await chat.box.focus();
    await press('Alt+ArrowUp', 'Alt+ArrowUp');
    const before = await at();
    await chat.act({ type: 'textAppended', role: 'agent', text: 'More. '.repeat(200), at: NOON });
    assert.equal(await at(), before);
  });

  it('the focus returns when a popup closes', async () => {
    chat = await ChatPage.with(midTurn(NOON), { width: 900 });
    for (const [name, popup] of [
      ['Context details', 'dialog'],
      ['Mode', 'listbox'],
      ['Actions for your message', 'menu'],
    ] as const) {
      const opener = chat.page.getByRole(name === 'Mode' ? 'combobox' : 'button', { name, exact: true });
      await opener.focus();
      await press('Enter');
      await chat.page.getByRole(popup).waitFor();
      await press('Escape');
      assert.equal(await chat.page.getByRole(popup).count(), 0, name);
      assert.equal(await opener.evaluate((one) => one === document.activeElement), true, name);
    }
  });
});

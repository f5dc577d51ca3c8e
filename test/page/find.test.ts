import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { Action } from '../../src/shared/state/sessionActions';
import { longConversation } from '../bench/longSession';
import { eventually } from '../kit/waiting';
import { ChatPage, changeTheme } from './harness';
import { NOON } from './sample';

const say = (text: string): Action => ({ type: 'textAppended', role: 'agent', text, at: NOON });
const ask = (text: string): Action => ({ type: 'promptSent', text, blocks: [], at: NOON });
const end: Action = { type: 'turnEnded', stopReason: 'end_turn', at: NOON };
const look = (id: string, where: string): Action => ({
  type: 'toolStarted',
  toolCallId: id,
  patch: { title: 'Look', status: 'done', rawInput: { where } },
  at: NOON,
});
const long = 'Some words in a line.\n\n'.repeat(40);
const talk: Action[] = [
  ask('Where is the aubergine?'),
  say(`${long}The **auber**gine, AUBERGINE\n\n${long}`),
  look('a', 'behind the aubergine'),
  end,
];

describe('Find in Chat', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  const find = (): Locator => chat.page.getByRole('search', { name: 'Find in conversation' });
  const field = (): Locator => find().getByRole('searchbox', { name: 'Find' });
  /** The texts with this highlight. */
  const marked = (name: string): Promise<string[]> =>
    chat.page.evaluate(
      (key) => Array.from(CSS.highlights.get(key) ?? [], (range) => (range as Range).toString()),
      name,
    );
  /** The text around the current match, if it is visible. */
  const current = (): Promise<string | undefined> =>
    chat.page.evaluate(() => {
      const [range] = [...(CSS.highlights.get('found-current') ?? [])] as Range[];
      const box = range?.getBoundingClientRect();
      const isVisible = box && box.height > 0 && box.top > 0 && box.bottom < innerHeight;
      return isVisible ? (range?.startContainer.parentElement?.textContent ?? undefined) : undefined;
    });
  const isAt = (text: string): Promise<void> => eventually(async () => assert.equal(await current(), text));
  const counts = (text: string): Promise<void> =>
    eventually(async () => assert.equal(await find().getByRole('status').textContent(), text));
  const focused = (): Promise<string | null> =>
    chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);

  async function search(text: string): Promise<void> {
    await chat.page.keyboard.press('Control+F');
    await field().waitFor();
    await field().fill(text);
  }

  it('keeps its key from VS Code, which would search the editor', async () => {
    chat = await ChatPage.with(talk);
    await chat.box.focus();
    // As VS Code does: it takes the keys that reach the window of the page.
    await chat.page.evaluate(() => {
      document.title = '';
      window.addEventListener('keydown', ({ key }) => (document.title += `${key} `));
    });
    await chat.page.keyboard.press('Control+F');
    await field().waitFor();
    assert.equal((await chat.page.title()).trim(), 'Control');
  });

  it('counts matches and moves between them by keys, also in collapsed entries', async () => {
    chat = await ChatPage.with(talk);
    await chat.box.focus();
    await search('aubergine');
    await counts('2 of 4');
    assert.equal(
      await find().ariaSnapshot(),
      [
        '- search "Find in conversation":',
        '  - searchbox "Find": aubergine',
        '  - status: 2 of 4',
        '  - button "Previous Match"',
        '  - button "Next Match"',
        '  - button "Match Case"',
        '  - button "Close"',
      ].join('\n'),
    );
    await isAt('auber');
    await chat.page.keyboard.press('F3');
    await counts('3 of 4');
    await isAt('The aubergine, AUBERGINE');
    assert.deepEqual(await marked('found-current'), ['AUBERGINE']);
    await field().press('Enter');
    await eventually(async () => assert.match((await current()) ?? '', /behind the aubergine/));
    await field().press('Enter');
    await counts('1 of 4');
    await isAt('Where is the aubergine?');
    await field().press('Shift+Enter');
    await counts('4 of 4');
    await chat.page.keyboard.press('Shift+F3');
    await counts('3 of 4');
    await isAt('The aubergine, AUBERGINE');
    await field().press('Escape');
    await find().waitFor({ state: 'detached' });
    assert.equal(await focused(), 'Message');
    assert.deepEqual(await marked('found'), []);
  });

  it('leaves room for the first message below its box', async () => {
    for (const width of [252, 300, 420, 900]) {
      chat = await ChatPage.with(talk, { width });
      await search('Where');
      await counts('1 of 1');
      await isAt('Where is the aubergine?');
      const bottom = await find().evaluate((box) => box.getBoundingClientRect().bottom);
      const message = chat.page.getByRole('article', { name: 'You' });
      await eventually(async () => {
        const top = await message.evaluate((one) => one.getBoundingClientRect().top);
        assert.ok(top >= bottom && top < bottom + 32, `${width}: ${top} below ${bottom}`);
      });
      if (width < 900) await chat.close();
    }
  });

  it('fills the current match in high contrast, where all matches have the same line', async () => {
    chat = await ChatPage.with(talk, { theme: 'hc' });
    const fillOf = (name: string): Promise<string> =>
      chat.log.evaluate((log, key) => getComputedStyle(log, `::highlight(${key})`).backgroundColor, name);
    for (const theme of ['hc', 'hc-light'] as const) {
      await changeTheme(chat.page, theme);
      assert.equal(await fillOf('found'), 'rgba(0, 0, 0, 0)');
      assert.notEqual(await fillOf('found-current'), 'rgba(0, 0, 0, 0)', theme);
    }
  });

  it('can tell upper and lower case apart', async () => {
    chat = await ChatPage.with(talk);
    await search('AUBERGINE');
    await counts('2 of 4');
    await find().getByRole('button', { name: 'Match Case' }).click();
    await counts('1 of 1');
    assert.ok(await find().getByRole('button', { name: 'Match Case', pressed: true }).isVisible());
    await field().fill('.*(');
    await counts('No results');
    await find().getByRole('button', { name: 'Close' }).click();
    await find().waitFor({ state: 'detached' });
  });

  it('opens by the command, and returns the focus to where it was', async () => {
    chat = await ChatPage.with(talk);
    await chat.log.focus();
    await chat.post({ type: 'find' });
    await field().waitFor();
    await eventually(async () => assert.equal(await focused(), 'Find'));
    await chat.page.keyboard.type('no');
    // The command arrives after the key that opened the box.
    await chat.post({ type: 'find' });
    await chat.frame();
    await chat.page.keyboard.type('where');
    assert.equal(await field().inputValue(), 'nowhere');
    await chat.page.keyboard.press('Escape');
    assert.equal(await focused(), 'Conversation');
  });

  it('follows what the agent writes, and stays at its match', async () => {
    chat = await ChatPage.with([...talk, ask('Go on'), say('No aubergine')]);
    await search('aubergine');
    await counts('2 of 5');
    await field().press('Shift+Enter');
    await counts('1 of 5');
    await isAt('Where is the aubergine?');
    await chat.act(say(', one aubergine, '));
    await chat.act(say('two auber'), say('gines'));
    await counts('1 of 7');
    assert.equal(await current(), 'Where is the aubergine?');
  });

  it('finds entries that are not drawn', async () => {
    chat = await ChatPage.with([ask('The aubergine'), end, ...longConversation(1_700)]);
    assert.equal(await chat.log.getByText('The aubergine').count(), 0);
    await search('aubergine');
    await counts('1 of 1');
    await isAt('The aubergine');
    assert.equal(await field().inputValue(), 'aubergine');
  });

  it('opens all that collapses a match', async () => {
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at}`).join('\n');
    chat = await ChatPage.with([
      ask(`${lines}\nthe aubergine of a long message`),
      look('a', `${lines}\nthe aubergine of a long input`),
      { type: 'textAppended', role: 'thought', text: 'the aubergine of a thought', at: NOON },
      ...['1', '2', '3'].map((id): Action => {
        const patch = { title: `Read aubergine${id}.ts`, tool: 'read', status: 'done', content: [] } as const;
        return { type: 'toolStarted', toolCallId: id, patch, at: NOON };
      }),
      end,
    ]);
    await search('aubergine of');
    await counts('1 of 3');
    for (const place of [/of a long message/, /of a long input/, /of a thought/]) {
      await eventually(async () => assert.match((await current()) ?? '', place));
      await field().press('Enter');
    }
    await field().fill('aubergine2');
    await eventually(async () => assert.match((await current()) ?? '', /aubergine2\.ts/));
  });
});

import assert from 'node:assert/strict';
import type { Action } from '../../src/shared/state/sessionActions';
import { eventually } from '../kit/waiting';
import { ChatPage } from './harness';
import { NOON } from './sample';

/** Alternating prompts and answers; the answers are long, so that only some fit on the screen. */
function said(...texts: readonly string[]): Action[] {
  return texts.flatMap((text): Action[] => [
    { type: 'promptSent', text: 'go on', blocks: [], at: NOON },
    { type: 'textAppended', role: 'agent', text, at: NOON },
    { type: 'turnEnded', stopReason: 'end_turn', at: NOON },
  ]);
}

const long = 'Some words in a line.\n\n'.repeat(40);

describe('a search result', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  /** The highlighted texts. */
  const marked = (): Promise<string[]> =>
    chat.page.evaluate(() => Array.from(CSS.highlights.get('found') ?? [], (range) => (range as Range).toString()));

  it('is scrolled into view and highlighted, also across several text nodes', async () => {
    chat = await ChatPage.with(said(`${long}The **auber**gine, AUBERGINE\n\n${long}`, long));
    await chat.post({ type: 'reveal', entry: 1, words: ['aubergine'] });
    await eventually(async () => assert.deepEqual(await marked(), ['aubergine', 'AUBERGINE']));
    const place = chat.log.getByText('gine, AUBERGINE');
    await eventually(async () => {
      const box = await place.boundingBox();
      assert.ok(box && box.y > 0 && box.y < 800);
    });
    assert.ok(await chat.button('Jump to latest').isVisible());
    await chat.post({ type: 'reveal', entry: 3 });
    await eventually(async () => assert.deepEqual(await marked(), []));
  });

  it('is scrolled into view in blocks that are not shown yet', async () => {
    chat = await ChatPage.with(said(`${long}${long}The aubergine\n\n${long}`, long));
    await chat.log.evaluate((log) => {
      const place = [...log.querySelectorAll('p')].find((line) => line.textContent === 'The aubergine');
      const group = place?.closest<HTMLElement>('.md-group');
      if (!group) throw new Error('The text is too short for groups of blocks.');
      group.hidden = true;
    });
    await chat.post({ type: 'reveal', entry: 1, words: ['aubergine'] });
    await eventually(async () => assert.deepEqual(await marked(), ['aubergine']));
    await eventually(async () => {
      const box = await chat.log.getByText('The aubergine').boundingBox();
      assert.ok(box && box.y > 0 && box.y < 800);
    });
  });

  it('stays at the end of the page if it is the last entry, even when the log shrinks', async () => {
    chat = await ChatPage.with(said(long, 'The end'));
    await chat.post({ type: 'reveal', entry: 3 });
    await eventually(async () =>
      assert.equal(await chat.page.evaluate(() => document.activeElement?.textContent), 'The end'),
    );
    await chat.page.setViewportSize({ width: 450, height: 600 });
    await chat.frame();
    await chat.frame();
    assert.equal(await chat.button('Jump to latest').isVisible(), false);
    assert.ok(await chat.log.getByText('The end').isVisible());
  });

  it('is expanded if it is collapsed', async () => {
    chat = await ChatPage.with([
      { type: 'promptSent', text: 'go', blocks: [], at: NOON },
      {
        type: 'toolStarted',
        toolCallId: 'a',
        patch: { title: 'Look', status: 'done', rawInput: { where: 'behind the aubergine' } },
        at: NOON,
      },
      { type: 'turnEnded', stopReason: 'end_turn', at: NOON },
    ]);
    assert.equal(await chat.log.getByText('aubergine').count(), 0);
    await chat.post({ type: 'reveal', entry: 1, words: ['aubergine'] });
    await eventually(async () => assert.deepEqual(await marked(), ['aubergine']));
  });

  it('provides its entry and session to context menus of VS Code', async () => {
    chat = await ChatPage.with(said('one'));
    const contexts = await chat.log
      .getByText('one')
      .evaluate((element) =>
        [element.closest('[data-entry]'), element.closest('.app')].map((one) =>
          one?.getAttribute('data-vscode-context'),
        ),
      );
    assert.deepEqual(
      contexts.map((one) => JSON.parse(one ?? '') as unknown),
      [{ webviewSection: 'entry', entry: 1 }, { session: 'session-1' }],
    );
  });
});

describe('an imported session', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  it('explains why it is read-only, and can be continued in a new chat', async () => {
    const session = { mark: { file: 'talk.json', exportedAt: NOON }, title: 'T', terminals: {}, plan: [], plans: [] };
    chat = await ChatPage.open();
    await chat.snapshot([
      { type: 'sessionImported', session },
      { type: 'entriesImported', entries: [{ kind: 'user', text: 'Hello', blocks: [], at: NOON }] },
    ]);
    assert.equal(await chat.box.count(), 0);
    const note = chat.page.getByRole('note').filter({ hasText: 'is read-only' });
    assert.match(await note.innerText(), /imported from talk\.json/);
    await chat.button('Continue in Another Chat').click();
    assert.deepEqual(await chat.intents(), [{ type: 'continueInNewChat' }]);
  });
});

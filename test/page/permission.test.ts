import assert from 'node:assert/strict';
import type { Action } from '../../src/shared/actions';
import { reduce } from '../../src/shared/reducer';
import { ChatPage, closeBrowser, surroundings } from './harness';
import { NOON, diff, options } from './sample';

const asked: readonly Action[] = [
  { type: 'promptSent', text: 'go', blocks: [], at: NOON },
  {
    type: 'toolStarted',
    toolCallId: 't',
    patch: { title: 'Install', tool: 'execute', rawInput: { command: 'npm', args: ['install', 'a b'] } },
    at: NOON,
  },
  {
    type: 'permissionAsked',
    permissionId: 'p1',
    tool: 1,
    title: 'Install',
    options,
    why: 'No rule allows it.',
    at: NOON,
  },
];
const answer = (optionId: string) => ({ type: 'answerPermission', permissionId: 'p1', optionId });

describe('permission', function () {
  this.timeout(60_000);
  let chat: ChatPage;
  after(closeBrowser);
  afterEach(() => chat.close());
  const group = () => chat.page.getByRole('group', { name: 'Permission: Install' });
  const option = (name: string) => group().getByRole('button', { name, exact: true });
  /** Waits for the guard of new buttons to be over. */
  const ready = () => group().locator('button:not([aria-disabled="true"])').first().waitFor();

  it('shows what would be done, why it asks, and the options as the agent named them, in its order', async () => {
    chat = await ChatPage.with(asked);
    await ready();
    assert.equal(
      await group().ariaSnapshot(),
      [
        `- 'group "Permission: Install"':`,
        '  - paragraph: Install',
        '  - code: npm install "a b"',
        '  - paragraph: No rule allows it.',
        '  - button "Allow once"',
        '  - button "Always allow…"',
        '  - button "Reject"',
      ].join('\n'),
    );
    assert.equal(await chat.page.evaluate(() => document.activeElement?.tagName), 'BODY');
  });

  it('answers by click', async () => {
    chat = await ChatPage.with(asked);
    await option('Always allow…').click();
    assert.deepEqual(await chat.intents(), [answer('always')]);
  });

  it('does nothing in the first 500 ms', async () => {
    chat = await ChatPage.with([]);
    // Clicks and presses at once when the button is there, as somebody who meant something else would.
    const unguarded = chat.page.evaluate(
      () =>
        new Promise<number>((done) => {
          let shown = 0;
          new MutationObserver((_, observer) => {
            const button = document.querySelector<HTMLButtonElement>('.question .button');
            if (!button) return;
            if (shown === 0) {
              shown = performance.now();
              button.click();
              button.dispatchEvent(new KeyboardEvent('keydown', { key: '1', bubbles: true }));
            } else if (button.getAttribute('aria-disabled') === 'false') {
              observer.disconnect();
              done(performance.now() - shown);
            }
          }).observe(document.body, { subtree: true, childList: true, attributes: true });
        }),
    );
    await chat.act(...asked);
    const guarded = await unguarded;
    assert.ok(guarded > 490 && guarded < 1500, `guarded for ${guarded} ms`);
    assert.deepEqual(await chat.intents(), []);
    await option('Allow once').click();
    assert.deepEqual(await chat.intents(), [answer('once')]);
  });

  it('answers by digit with the focus in the group only, and keeps a second answer from going out', async () => {
    chat = await ChatPage.with(asked);
    await ready();
    await chat.box.press('3');
    assert.deepEqual(await chat.intents(), []);
    await option('Allow once').focus();
    await chat.page.keyboard.press('9');
    await chat.page.keyboard.press('Control+3');
    await chat.page.keyboard.press('3');
    await chat.page.keyboard.press('1');
    assert.deepEqual(await chat.intents(), [answer('no')]);
  });

  it('becomes one quiet line, and the focus stays there', async () => {
    chat = await ChatPage.with(asked);
    await ready();
    await option('Reject').focus();
    await chat.act({ type: 'permissionAnswered', entry: 2, outcome: { type: 'selected', optionId: 'no' }, at: NOON });
    assert.equal(await group().ariaSnapshot(), `- 'group "Permission: Install"': Install Rejected`);
    assert.equal(
      await chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
      'Permission: Install',
    );
    assert.equal(
      await chat.page.getByRole('group', { name: 'Tool: Install' }).getByRole('status').innerText(),
      'Rejected',
    );
  });

  it('says which option allowed it, and why nobody was asked any more', async () => {
    chat = await ChatPage.with(asked);
    await chat.act({ type: 'permissionAnswered', entry: 2, outcome: { type: 'selected', optionId: 'once' }, at: NOON });
    assert.match(await group().innerText(), /Allow once/);
    await chat.act({ type: 'permissionAsked', permissionId: 'p2', tool: 1, title: 'Again', options, at: NOON });
    await chat.act({ type: 'turnEnded', stopReason: 'cancelled', at: NOON });
    assert.match(
      await chat.page.getByRole('group', { name: 'Permission: Again' }).innerText(),
      /Canceled: the turn ended/,
    );
  });

  it('shows the diff in the question, then under its row', async () => {
    chat = await ChatPage.with([
      ...asked.slice(0, 1),
      { type: 'toolStarted', toolCallId: 't', patch: { title: 'Edit', tool: 'edit', content: [diff] }, at: NOON },
      { type: 'permissionAsked', permissionId: 'p1', tool: 1, title: 'Install', options, at: NOON },
    ]);
    const diffs = chat.page.getByRole('group', { name: 'Diff: src/upload.ts' });
    assert.equal(await diffs.count(), 1);
    assert.equal(await group().getByRole('group', { name: 'Diff: src/upload.ts' }).count(), 1);
    await chat.act({ type: 'permissionAnswered', entry: 2, outcome: { type: 'selected', optionId: 'once' }, at: NOON });
    assert.equal(await chat.page.getByRole('group', { name: 'Tool: Edit' }).getByRole('group').count(), 1);
  });

  it('hides nothing of a long command without Show all', async () => {
    const command = Array.from({ length: 40 }, (_, index) => `echo step-${index}`).join('\n');
    chat = await ChatPage.with([
      ...asked.slice(0, 1),
      {
        type: 'toolStarted',
        toolCallId: 't',
        patch: { title: 'Run', tool: 'execute', rawInput: { command } },
        at: NOON,
      },
      { type: 'permissionAsked', permissionId: 'p1', tool: 1, title: 'Install', options, at: NOON },
    ]);
    assert.doesNotMatch(await group().innerText(), /step-39/);
    await group().getByRole('button', { name: 'Show all' }).click();
    assert.match(await group().innerText(), /step-39/);
  });

  it('is brought into view and focused when the host asks, without an option being focused', async () => {
    const talk: Action[] = Array.from({ length: 30 }, (_, index) => ({
      type: 'noticeShown',
      severity: 'info',
      title: `Notice ${index}`,
      at: NOON,
    }));
    chat = await ChatPage.with([...asked, ...talk]);
    await chat.post({ type: 'reveal', entry: 2 });
    await chat.page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Permission: Install');
    await ready();
    await chat.page.keyboard.press('1');
    assert.deepEqual(await chat.intents(), [answer('once')]);
  });

  it('is brought into view also in a page that is only just opening: "Show" of a notification opens it', async () => {
    chat = await ChatPage.open();
    const state = asked.reduce(reduce, chat.state);
    await chat.postTogether({ type: 'snapshot', seq: asked.length, state, surroundings }, { type: 'reveal', entry: 2 });
    await chat.page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Permission: Install');
  });
});

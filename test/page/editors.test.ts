import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { Attachment, Mention } from '../../src/shared/state/attachments';
import type { Action } from '../../src/shared/state/sessionActions';
import { ChatPage } from './harness';
import type { PageWindow } from './pageWindow';
import { NOON, commands } from './sample';

const app: Attachment = { kind: 'file', uri: 'file:///w/src/app.ts', label: 'src/app.ts' };
const found: readonly Mention[] = [
  { label: 'Files…', group: 'Context', gives: 'files' },
  { label: 'app.ts', detail: 'src', group: 'Files and folders', gives: app },
];
const talk: readonly Action[] = [
  { type: 'promptSent', text: 'Write it', blocks: [], at: NOON },
  { type: 'turnEnded', stopReason: 'end_turn', at: NOON },
  { type: 'commandsChanged', commands },
];
const waiting: readonly Action[] = [
  { type: 'promptSent', text: 'go', blocks: [], at: NOON },
  { type: 'commandsChanged', commands },
  { type: 'messageQueued', message: { id: 'a', text: 'later', attachments: [], at: NOON } },
];

/** Boxes that edit sent or queued messages: they complete mentions like the message box. */
describe('the editor of a message', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  const list = (name: string): Locator => chat.page.getByRole('listbox', { name });
  /** Answers the page's completion request for these words. */
  const answer = async (query: string, mentions: readonly Mention[]): Promise<void> => {
    const id = await chat.page.waitForFunction((wanted) => {
      const { sent } = window as PageWindow<{ sent: { type: string; id: number; query: string }[] }>;
      return sent.find((message) => message.type === 'findMentions' && message.query === wanted)?.id;
    }, query);
    await chat.post({ type: 'mentions', id: (await id.jsonValue()) ?? 0, mentions });
    await list('Mentions').waitFor();
  };
  const openSent = async (): Promise<Locator> => {
    chat = await ChatPage.with(talk);
    await chat.box.press('F2');
    return chat.page.getByRole('textbox', { name: 'Edit message' });
  };
  const openQueued = async (): Promise<Locator> => {
    chat = await ChatPage.with(waiting);
    await chat.page
      .getByRole('list', { name: 'Queued messages' })
      .getByRole('button', { name: 'Edit', exact: true })
      .click();
    return chat.page.getByRole('textbox', { name: 'Edit queued message' });
  };

  it('is completely in view for a message at the upper edge', async () => {
    const answer = { type: 'textAppended', role: 'agent', text: 'words  \n'.repeat(30), at: NOON } as const;
    const [prompt, end] = talk as readonly [Action, Action];
    chat = await ChatPage.with([prompt, answer, end, prompt, { ...answer, text: 'words' }, end]);
    const message = chat.page.getByRole('article', { name: 'You' }).last();
    const below = async (part: Locator): Promise<number> => {
      const [box, log] = [await part.boundingBox(), await chat.log.boundingBox()];
      return (box?.y ?? NaN) - (log?.y ?? NaN);
    };
    await chat.page.setViewportSize({ width: 450, height: 800 - Math.round(await below(message)) });
    await chat.frame();
    const before = await below(message);
    assert.ok(Math.abs(before) <= 12, `${before} px`);
    await chat.box.press('F2');
    await chat.page.getByRole('textbox', { name: 'Edit message' }).waitFor();
    await chat.frame();
    const after = await below(chat.page.getByRole('group', { name: 'Edit message' }));
    // Positions of the scrollbar are whole pixels.
    assert.ok(after > -1, `${after} px`);
  });

  for (const [what, open, type] of [
    ['was sent', openSent, 'resend'],
    ['waits', openQueued, 'changeQueued'],
  ] as const) {
    it(`completes mentions by keyboard where it ${what}, and includes the attachments`, async () => {
      const box = await open();
      await box.fill('');
      await box.pressSequentially('see @ap');
      await answer('ap', found);
      await box.press('ArrowDown');
      const active = await box.getAttribute('aria-activedescendant');
      assert.equal(await chat.page.locator(`[id="${active}"]`).textContent(), 'app.tssrc');
      await box.press('Enter');
      assert.equal(await box.inputValue(), 'see @app.ts ');
      assert.equal(await list('Mentions').count(), 0);
      await box.press('Enter');
      const sent = await chat.sentType(type);
      assert.deepEqual('attachments' in sent && [sent.text, sent.attachments], ['see @app.ts ', [app]]);
      assert.equal(await chat.box.inputValue(), '');
    });
  }

  it('keeps its text when Escape closes the list, which is complete in a narrow page', async () => {
    const box = await openSent();
    await chat.page.setViewportSize({ width: 300, height: 260 });
    await box.fill('');
    await box.pressSequentially('@a');
    await answer('a', found);
    const place = await list('Mentions').boundingBox();
    assert.ok(place && place.x >= 0 && place.x + place.width <= 300, JSON.stringify(place));
    assert.ok(place.y >= 0 && place.y + place.height <= 260, JSON.stringify(place));
    await box.press('Escape');
    assert.equal(await list('Mentions').count(), 0);
    assert.equal(await box.inputValue(), '@a');
    await box.press('Escape');
    assert.equal(await box.count(), 0);
  });

  it('removes the mention of a removed attachment', async () => {
    const box = await openQueued();
    await box.fill('');
    await box.pressSequentially('@a');
    await answer('a', found.slice(1));
    await box.press('Tab');
    await chat.button('Remove src/app.ts').click();
    assert.equal(await box.inputValue(), '');
  });

  it('receives files requested in it once, and the cursor', async () => {
    const box = await openSent();
    await box.fill('');
    await box.pressSequentially('@');
    await answer('', found);
    await box.press('Enter');
    assert.deepEqual(await chat.sentType('attachFrom'), { type: 'attachFrom', source: 'files' });
    await chat.post({ type: 'attach', attachments: [app], remarks: [] });
    await chat.button('Remove src/app.ts').waitFor();
    assert.equal(await box.evaluate((one) => one === document.activeElement), true);
    await chat.post({
      type: 'attach',
      attachments: [{ ...app, label: 'other.ts', uri: 'file:///w/other.ts' }],
      remarks: [],
    });
    await chat.page.locator('.composer').getByRole('button', { name: 'Remove other.ts' }).waitFor();
  });

  it('receives the cursor if no file was selected, and later attachments go to the message box', async () => {
    const box = await openSent();
    await box.fill('');
    await box.pressSequentially('@');
    await answer('', found);
    await box.press('Enter');
    await chat.sentType('attachFrom');
    await chat.box.focus();
    await chat.post({ type: 'attach', attachments: [], remarks: [] });
    await chat.page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Edit message');
    await chat.post({ type: 'attach', attachments: [app], remarks: [] });
    await chat.page.locator('.composer').getByRole('button', { name: 'Remove src/app.ts' }).waitFor();
    assert.equal(await chat.button('Remove src/app.ts').count(), 1);
  });

  it('receives its requested files after the editor of another message was closed', async () => {
    chat = await ChatPage.with([
      ...talk,
      { type: 'messageQueued', message: { id: 'a', text: 'later', attachments: [], at: NOON } },
      { type: 'queuePaused', pause: { why: 'reloaded' } },
    ]);
    await chat.page
      .getByRole('list', { name: 'Queued messages' })
      .getByRole('button', { name: 'Edit', exact: true })
      .click();
    const queued = chat.page.getByRole('textbox', { name: 'Edit queued message' });
    await queued.waitFor();
    await chat.box.press('F2');
    const box = chat.page.getByRole('textbox', { name: 'Edit message' });
    await box.fill('');
    await box.pressSequentially('@');
    await answer('', found);
    await box.press('Enter');
    await chat.sentType('attachFrom');
    await queued.press('Escape');
    await queued.waitFor({ state: 'detached' });
    await chat.post({ type: 'attach', attachments: [app], remarks: [] });
    await chat.page
      .getByRole('group', { name: 'Edit message' })
      .getByRole('button', { name: 'Remove src/app.ts' })
      .waitFor();
  });

  it('is read-only while the message is being sent', async () => {
    const box = await openSent();
    await box.fill('');
    await box.pressSequentially('see @ap');
    await answer('ap', found);
    // The list covers the button, and stays open.
    await chat.page.getByRole('group', { name: 'Edit message' }).getByText('Send').dispatchEvent('click');
    await chat.sentType('resend');
    await box.press('Enter');
    await box.press('Tab');
    await box.focus();
    await box.evaluate((one) => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(['x'], 'pasted.txt', { type: 'text/plain' }));
      one.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      const dataTransfer = new DataTransfer();
      dataTransfer.setData('text/uri-list', 'file:///w/dropped.ts');
      one.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    });
    await chat.frame();
    assert.equal(await list('Mentions').count(), 0);
    assert.equal(await box.inputValue(), 'see @ap');
    const asked = (await chat.intents()).filter(({ type }) => type !== 'findMentions');
    assert.deepEqual(asked, [{ type: 'resend', entry: 0, text: 'see @ap', attachments: [] }]);
    assert.equal(await chat.page.getByRole('list', { name: 'Attached' }).count(), 0);
  });

  it('completes commands, and rejects an unknown command until it is sent as text', async () => {
    const box = await openSent();
    await box.fill('');
    await box.pressSequentially('/');
    await list('Commands').waitFor();
    await box.press('Tab');
    assert.match(await box.inputValue(), /^\/\w+ $/);
    await box.fill('/nonsense');
    await box.press('Enter');
    await chat.page.getByRole('alert').getByText('does not support the command /nonsense').waitFor();
    assert.deepEqual(await chat.intents(), []);
    await chat.button('Send as text').click();
    assert.deepEqual(await chat.intents(), [{ type: 'resend', entry: 0, text: '/nonsense', attachments: [] }]);
  });

  it('does not change completion in the message box', async () => {
    const box = await openSent();
    await box.press('Escape');
    await chat.box.pressSequentially('@a');
    await answer('a', found);
  });
});

import assert from 'node:assert/strict';
import type { Attachment, Mention } from '../../src/shared/state/attachments';
import type { Connection } from '../../src/shared/state/sessionState';
import { ChatPage, environment } from './harness';

const app: Attachment = { kind: 'file', uri: 'file:///w/src/app.ts', label: 'src/app.ts' };
const found: readonly Mention[] = [
  {
    label: 'Selection',
    detail: 'src/app.ts:3-9',
    group: 'Context',
    gives: { kind: 'lines', uri: 'file:///w/src/app.ts', label: 'src/app.ts:3-9', lines: { first: 3, last: 9 } },
  },
  { label: 'Files…', group: 'Context', gives: 'files' },
  { label: 'app.ts', detail: 'src', group: 'Files and folders', gives: app },
];
const ready = (accepts?: Extract<Connection, { status: 'ready' }>['accepts']) =>
  ({ type: 'connectionChanged', connection: { status: 'ready', ...(accepts && { accepts }) } }) as const;
const none = { image: false, audio: false, embeddedContext: false };
/** A picture of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

describe('page/mentions', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  const list = () => chat.page.getByRole('listbox', { name: 'Mentions' });
  const attached = () => chat.page.getByRole('list', { name: 'Attached' });
  const asked = async (count: number): Promise<{ id: number; query: string }> => {
    const message = await chat.sentType('findMentions', count);
    assert.ok(message.type === 'findMentions');
    return message;
  };
  /** Types and answers the page's last completion request. */
  const complete = async (text: string, mentions: readonly Mention[]): Promise<void> => {
    const before = (await chat.sent()).filter(({ type }) => type === 'findMentions').length;
    await chat.box.pressSequentially(text);
    const { id } = await asked(before + text.length - text.indexOf('@'));
    await chat.post({ type: 'mentions', id, mentions });
    await chat.frame();
  };
  const lastSent = async () => (await chat.intents()).at(-1);

  it('keeps a name with blanks in the sentence, in color, and removes both together', async () => {
    chat = await ChatPage.with([]);
    const label = 'docs/résumé – draft (1).md';
    const gives: Attachment = { kind: 'file', uri: 'file:///w/docs/r.md', label };
    await chat.box.pressSequentially('see @"résumé – d');
    // The quote itself changes nothing.
    const { id, query } = await asked('@résumé – d'.length);
    assert.equal(query, 'résumé – d');
    await chat.post({ type: 'mentions', id, mentions: [{ label: 'résumé – draft (1).md', group: 'Files', gives }] });
    await chat.frame();
    await chat.box.press('Enter');
    assert.equal(await chat.box.inputValue(), 'see @"résumé – draft (1).md" ');
    await chat.box.pressSequentially('please');
    const mentioned = chat.page.locator('.mentioned');
    assert.equal(await mentioned.textContent(), '@"résumé – draft (1).md"');
    // The layer shows the same text as the box, in the same place.
    const layer = chat.page.locator('.message-text');
    assert.equal((await layer.textContent())?.replace('\u200b', ''), await chat.box.inputValue());
    const [shown, box] = [await layer.boundingBox(), await chat.box.boundingBox()];
    assert.deepEqual(shown, box);
    const colors = await mentioned.evaluate((one) => [
      getComputedStyle(one).color,
      getComputedStyle(one.parentElement!).color,
    ]);
    assert.notEqual(colors[0], colors[1]);
    await chat.button(`Remove ${label}`).click();
    assert.equal(await chat.box.inputValue(), 'see please');
    assert.equal(await mentioned.count(), 0);
  });

  it('says that nothing matches, and leaves all keys but Escape to the box', async () => {
    chat = await ChatPage.with([]);
    await complete('see @nowhere', []);
    const note = chat.page.getByRole('status').filter({ hasText: 'No matches' });
    await note.waitFor();
    await chat.box.press('Escape');
    await note.waitFor({ state: 'detached' });
    assert.equal(await chat.box.inputValue(), 'see @nowhere');
    await chat.box.press('x');
    const { id } = await asked('@nowherex'.length);
    await chat.post({ type: 'mentions', id, mentions: [] });
    await note.waitFor();
    await chat.box.press('Enter');
    assert.deepEqual(await lastSent(), { type: 'send', text: 'see @nowherex' });
  });

  it('completes the text after @ with results of the host, by keyboard alone', async () => {
    chat = await ChatPage.with([]);
    await complete('see @ap', found);
    const text = await list().ariaSnapshot();
    assert.match(text, /group "Context"/);
    assert.match(text, /option "Selection src\/app.ts:3-9" \[selected\]/);
    assert.match(text, /group "Files and folders"/);
    const active = await chat.box.getAttribute('aria-activedescendant');
    assert.equal(await chat.page.locator(`[id="${active}"]`).textContent(), 'Selectionsrc/app.ts:3-9');
    await chat.box.press('ArrowDown');
    await chat.box.press('ArrowDown');
    await chat.box.press('Enter');
    assert.equal(await chat.box.inputValue(), 'see @app.ts ');
    assert.equal(await list().count(), 0);
    assert.match(await attached().ariaSnapshot(), /listitem:.*app\.ts.*button "Remove src\/app\.ts"/s);
    await chat.box.pressSequentially('please');
    await chat.box.press('Enter');
    assert.deepEqual(await lastSent(), { type: 'send', text: 'see @app.ts please', attachments: [app] });
    assert.equal(await attached().count(), 0);
  });

  it('shows the whole name of the active result at 300 pixels', async () => {
    chat = await ChatPage.with([], { width: 300 });
    const named = (end: string): Mention => {
      const label = `component-with-a-long-name-${end}.ts`;
      const path = `src/components/${label}`;
      const gives = { kind: 'file', uri: `file:///w/${path}`, label: path } as const;
      return { label, detail: 'src/components', group: 'Files and folders', gives };
    };
    await complete('@c', [named('first'), named('second')]);
    await chat.box.press('ArrowDown');
    await chat.frame();
    const name = chat.page.locator('.option.active .option-name');
    assert.equal(await name.textContent(), 'component-with-a-long-name-second.ts');
    assert.equal(await name.evaluate((one) => one.scrollWidth > one.clientWidth), false);
  });

  it('sends a query with every key, shows only the latest results, and closes with Escape', async () => {
    chat = await ChatPage.with([]);
    await chat.box.pressSequentially('@a');
    assert.equal((await asked(2)).query, 'a');
    await chat.post({ type: 'mentions', id: (await asked(1)).id, mentions: found });
    await chat.frame();
    assert.equal(await list().count(), 0);
    await chat.post({ type: 'mentions', id: (await asked(2)).id, mentions: found });
    await list().waitFor();
    assert.equal(await list().getAttribute('aria-busy'), 'false');
    // Results for fewer letters stay, marked as outdated.
    await chat.box.press('p');
    assert.equal(await list().getAttribute('aria-busy'), 'true');
    await chat.post({ type: 'mentions', id: (await asked(3)).id, mentions: found });
    await chat.frame();
    assert.equal(await list().getAttribute('aria-busy'), 'false');
    await chat.box.press('Escape');
    assert.equal(await list().count(), 0);
    await chat.box.press('Enter');
    assert.deepEqual(await lastSent(), { type: 'send', text: '@ap' });
  });

  it('ignores email addresses, and completes at the caret', async () => {
    chat = await ChatPage.with([]);
    await chat.box.pressSequentially('me@example.org');
    await chat.box.fill('look at  now');
    await chat.box.evaluate((box: HTMLTextAreaElement) => box.setSelectionRange(8, 8));
    await complete('@', found.slice(2));
    assert.equal((await chat.sent()).filter(({ type }) => type === 'findMentions').length, 1);
    await chat.box.press('Tab');
    assert.equal(await chat.box.inputValue(), 'look at @app.ts  now');
    assert.equal(await chat.box.evaluate((box: HTMLTextAreaElement) => box.selectionStart), 16);
  });

  it('removes a chip with its mention, and keeps chips of the draft after a reload', async () => {
    chat = await ChatPage.with([]);
    await complete('@app', found.slice(2));
    await chat.box.press('Enter');
    await chat.frame();
    await chat.page.reload();
    await chat.sentType('ready');
    await chat.snapshot();
    assert.equal(await chat.box.inputValue(), '@app.ts ');
    await chat.button('Remove src/app.ts').click();
    assert.equal(await attached().count(), 0);
    assert.equal(await chat.box.inputValue(), '');
    assert.equal(await chat.box.evaluate((box) => box === document.activeElement), true);
    await chat.page.reload();
    await chat.sentType('ready');
    await chat.snapshot();
    assert.equal(await attached().count(), 0);
  });

  it('removes the attachment whose word is deleted, also one of two with the same name', async () => {
    chat = await ChatPage.with([]);
    const other: Attachment = { kind: 'file', uri: 'file:///w/lib/app.ts', label: 'lib/app.ts' };
    await complete('@app', found.slice(2));
    await chat.box.press('Enter');
    await complete('or @app', [{ label: 'app.ts', detail: 'lib', group: 'Files and folders', gives: other }]);
    await chat.box.press('Enter');
    assert.equal(await chat.box.inputValue(), '@app.ts or @app.ts ');
    assert.equal(await attached().getByRole('listitem').count(), 2);
    await chat.box.press('Backspace');
    assert.equal(await attached().getByRole('listitem').count(), 2);
    await chat.box.press('Backspace');
    await chat.button('Remove lib/app.ts').waitFor({ state: 'detached' });
    assert.equal(await chat.button('Remove src/app.ts').count(), 1);
    await chat.box.fill('or');
    await chat.button('Remove src/app.ts').waitFor({ state: 'detached' });
  });

  it('requests files and the terminal from the host, and shows why an attachment failed', async () => {
    chat = await ChatPage.with([]);
    await complete('@fi', found.slice(1));
    await chat.box.press('Enter');
    assert.deepEqual(await lastSent(), { type: 'attachFrom', source: 'files' });
    assert.equal(await chat.box.inputValue(), '');
    await chat.post({ type: 'attach', attachments: [app], remarks: ['big.png: the file is 9.0 MB'] });
    await attached().waitFor();
    assert.match(await chat.page.getByRole('alert').innerText(), /big\.png: the file is 9\.0 MB/);
    await chat.button('Dismiss').click();
    assert.equal(await chat.page.getByRole('alert').count(), 0);
    await chat.button('Attach files').click();
    assert.deepEqual(await lastSent(), { type: 'attachFrom', source: 'files' });
  });

  it('restores a message that was not sent, with the reason', async () => {
    chat = await ChatPage.with([]);
    const reason = 'Could not read src/app.ts: it is gone. Remove the attachment from the message.';
    await chat.post({ type: 'sendRefused', session: 'session-1', text: 'look', attachments: [app], reason });
    await attached().waitFor();
    assert.equal(await chat.box.inputValue(), 'look');
    assert.match(await chat.page.getByRole('alert').innerText(), /Not sent: Could not read src\/app\.ts/);
    await chat.post({ type: 'sendRefused', session: 'session-2', text: 'other', attachments: [], reason });
    await chat.frame();
    assert.equal(await chat.box.inputValue(), 'look');
    chat.state = { ...chat.state, id: 'session-2' };
    await chat.snapshot();
    assert.equal(await chat.box.inputValue(), 'other');
    await chat.box.press('Enter');
    assert.equal(await chat.page.getByRole('alert').count(), 0, 'the reason was about the message before');
  });

  describe('the editor chip', () => {
    const editor: Attachment = { kind: 'active', uri: 'file:///w/src/app.ts', label: 'src/app.ts' };
    const other: Attachment = { kind: 'active', uri: 'file:///w/b.ts', label: 'b.ts' };
    const chip = () => chat.page.getByRole('group', { name: 'Editor context' });
    const look = (at: Attachment) => chat.post({ type: 'environment', environment: { ...environment, editor: at } });
    const send = async () => {
      await chat.box.fill('hi');
      await chat.box.press('Enter');
      return lastSent();
    };

    it('is sent with messages until it is disabled', async () => {
      chat = await ChatPage.with([]);
      await look(editor);
      await chip().waitFor();
      assert.match(await chip().ariaSnapshot(), /button "Send src\/app\.ts" \[pressed\]/);
      assert.deepEqual(await send(), { type: 'send', text: 'hi', attachments: [editor] });
      await chat.button('Send src/app.ts').click();
      assert.deepEqual(await send(), { type: 'send', text: 'hi' });
      await chat.page.reload();
      await chat.sentType('ready');
      await chat.snapshot([], { ...environment, editor });
      assert.equal(await chat.button('Send src/app.ts').getAttribute('aria-pressed'), 'false');
    });

    it('appears and disappears without moving the message box', async () => {
      chat = await ChatPage.with([], { width: 300 });
      const before = await chat.textTop();
      await look(editor);
      await chip().waitFor();
      assert.equal(await chat.textTop(), before);
      // The row of chips takes its height from the conversation, once.
      const log = await chat.log.boundingBox();
      await chat.post({ type: 'attach', attachments: [app], remarks: [] });
      await attached().waitFor();
      assert.deepEqual([await chat.log.boundingBox(), await chat.textTop()], [log, before]);
    });

    it('can be pinned while the user opens other files', async () => {
      chat = await ChatPage.with([]);
      await look(editor);
      await chat.button('Pin src/app.ts').click();
      await look(other);
      assert.deepEqual(await send(), { type: 'send', text: 'hi', attachments: [editor] });
      await chat.button('Pin src/app.ts').click();
      assert.deepEqual(await send(), { type: 'send', text: 'hi', attachments: [other] });
    });

    it('is not sent twice, and is not a message on its own', async () => {
      chat = await ChatPage.with([]);
      await look(editor);
      await chip().waitFor();
      await chat.box.press('Enter');
      assert.deepEqual(await chat.intents(), []);
      await chat.post({ type: 'attach', attachments: [app], remarks: [] });
      await attached().waitFor();
      assert.equal(await chip().count(), 0);
      assert.deepEqual(await send(), { type: 'send', text: 'hi', attachments: [app] });
    });
  });

  describe('attached files', () => {
    /** Pastes or drops a file as the user would. */
    const give = (how: 'paste' | 'drop', name: string, type: string, base64: string) =>
      chat.box.evaluate(
        (box, [how, name, type, base64]) => {
          const data = new DataTransfer();
          const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
          data.items.add(new File([bytes], name, { type }));
          const init = { bubbles: true, cancelable: true };
          if (how === 'paste') box.dispatchEvent(new ClipboardEvent('paste', { ...init, clipboardData: data }));
          else box.dispatchEvent(new DragEvent('drop', { ...init, dataTransfer: data }));
        },
        [how, name, type, base64] as const,
      );

    it('include a pasted image as a thumbnail, which can be sent without text', async () => {
      chat = await ChatPage.with([ready({ ...none, image: true })]);
      await give('paste', 'image.png', 'image/png', PIXEL);
      await attached().waitFor();
      const width = () =>
        attached()
          .locator('img')
          .evaluate((img: HTMLImageElement) => img.naturalWidth);
      await chat.page.waitForFunction(() => document.querySelector<HTMLImageElement>('.attached img')?.complete);
      assert.equal(await width(), 1);
      await chat.button('Send').click();
      const attachment = { kind: 'data', label: 'image.png', mimeType: 'image/png', data: PIXEL };
      assert.deepEqual(await lastSent(), { type: 'send', text: '', attachments: [attachment] });
    });

    for (const [name, type, why] of [
      ['image.png', 'image/png', /image\.png: Demo agent does not support images\./],
      ['a.mp3', 'audio/mpeg', /a\.mp3: Demo agent does not support audio\./],
      ['a.zip', 'application/zip', /a\.zip: Demo agent does not support binary files\./],
    ] as const) {
      it(`reject ${type} with the reason if the agent does not support it`, async () => {
        chat = await ChatPage.with([ready(none)]);
        await give('drop', name, type, 'iVBORwAAAA==');
        const alert = chat.page.getByRole('alert');
        await alert.waitFor();
        assert.match(await alert.innerText(), why);
        assert.equal(await attached().count(), 0);
      });
    }

    it('include dropped text as text, and send URLs of the Explorer to the host', async () => {
      chat = await ChatPage.with([ready(none)]);
      await give('drop', 'notes.txt', 'text/plain', btoa('hello'));
      await attached().waitFor();
      await chat.box.evaluate((box) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.setData('text/uri-list', 'file:///w/a.ts\r\nhttps://example.org/\r\nfile:///w/b.ts');
        box.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
      });
      assert.deepEqual(await lastSent(), { type: 'attachUris', uris: ['file:///w/a.ts', 'file:///w/b.ts'], left: 0 });
      await chat.box.evaluate((box) => {
        const dataTransfer = new DataTransfer();
        const all = Array.from({ length: 53 }, (_, at) => `file:///w/${at}.ts`);
        dataTransfer.setData('text/uri-list', all.join('\r\n'));
        box.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
      });
      const many = (await lastSent()) as { readonly uris: readonly string[]; readonly left: number };
      assert.deepEqual([many.uris.length, many.left], [50, 3]);
      await chat.button('Send').click();
      const text = { kind: 'text', label: 'notes.txt', text: 'hello' };
      assert.deepEqual(await lastSent(), { type: 'send', text: '', attachments: [text] });
    });
  });

  it('are listed on the message, with their text', async () => {
    const text = 'const app = start();';
    const blocks = [
      { type: 'resource', uri: 'file:///w/src/a%20b.ts#L3-L9', text, isFile: true },
      { type: 'resource', uri: 'parley:git-changes', text: '+x' },
      { type: 'link', uri: 'file:///w/docs', name: 'docs' },
    ] as const;
    chat = await ChatPage.with([{ type: 'promptSent', text: 'hi', blocks, at: 0 }]);
    const you = chat.page.getByRole('article', { name: 'You' });
    assert.doesNotMatch(await you.innerText(), /start\(\)/);
    assert.match(await you.innerText(), /Git changes/);
    assert.equal(await you.getByRole('button', { name: 'docs' }).count(), 1);
    await you.getByText('a b.ts:3-9').click();
    assert.match(await you.innerText(), /const app = start\(\);/);
    await chat.button('Open file').click();
    assert.deepEqual(await lastSent(), { type: 'openLink', href: 'file:///w/src/a%20b.ts#L3-L9' });
  });

  it('show the name of a file with a long path on the message', async () => {
    const name = 'src/components/a-long-folder-name/another-long-folder-name/uploadQueue.ts';
    const blocks = [{ type: 'link', uri: `file:///w/${name}`, name }] as const;
    chat = await ChatPage.with([{ type: 'promptSent', text: 'hi', blocks, at: 0 }], { width: 300 });
    const chip = chat.button('uploadQueue.ts');
    assert.equal(await chip.locator('.chip-name').evaluate((one) => one.scrollWidth > one.clientWidth), false);
    assert.equal(await chip.getAttribute('title'), `file:///w/${name}`);
  });

  it('show hostile names as plain text, and not in the message', async () => {
    chat = await ChatPage.with([]);
    const label = 'a\u202Egnp.<img src=x onerror=alert(1)>';
    const gives: Attachment = { kind: 'file', uri: 'file:///w/x', label };
    await complete('@a', [{ label, group: 'Files and folders', gives }]);
    assert.match(await list().innerText(), /a\\u\{202e\}gnp\.<img src=x onerror=alert\(1\)>/);
    await chat.box.press('Enter');
    assert.equal(await chat.box.inputValue(), '');
    assert.match(await attached().innerText(), /\\u\{202e\}/);
    assert.deepEqual(chat.dialogs, []);
    assert.deepEqual(await chat.violations(), []);
    assert.equal(await attached().locator('img').count(), 0);
  });

  it('offers resources of servers, and templates, whose variables the host asks for', async () => {
    chat = await ChatPage.with([]);
    const resource = { kind: 'resource', server: 'notes', uri: 'note://one', label: 'First note' } as const;
    const template = 'template ["notes","note://{id}"]' as const;
    const group = 'MCP resources';
    await complete('see @no', [
      { label: 'First note', detail: 'notes · note://one', group, gives: resource },
      { label: 'Any note', detail: 'notes · note://{id}', group, gives: template },
    ]);
    assert.match(await list().ariaSnapshot(), /option "First note notes · note:\/\/one" \[selected\]/);
    await chat.page.keyboard.press('ArrowDown');
    await chat.page.keyboard.press('Enter');
    assert.deepEqual(await lastSent(), { type: 'attachFrom', source: template });
    await chat.post({
      type: 'attach',
      attachments: [{ ...resource, uri: 'note://7', label: 'note://7' }],
      remarks: [],
    });
    await attached().getByRole('button', { name: 'Remove note://7' }).waitFor();
  });

  it('offers prompts of servers after “/”, which the host is asked to list', async () => {
    const prompts = [{ name: 'notes:find', description: 'Finds notes', hint: '<words>' }];
    chat = await ChatPage.with([]);
    await chat.post({ type: 'environment', environment: { ...environment, prompts } });
    await chat.box.pressSequentially('/no');
    assert.deepEqual(await chat.sentType('findCommands'), { type: 'findCommands' });
    const commands = chat.page.getByRole('listbox', { name: 'Commands' });
    assert.match(await commands.ariaSnapshot(), /option "\/notes:find <words> Finds notes" \[selected\]/);
    await chat.page.keyboard.press('Enter');
    assert.equal(await chat.box.inputValue(), '/notes:find ');
  });
});

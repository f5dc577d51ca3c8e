import assert from 'node:assert/strict';
import type { FormField } from '../../src/shared/state/elicitationState';
import type { Action } from '../../src/shared/state/sessionActions';
import { emptySession } from '../../src/shared/state/sessionState';
import { asked, fields } from './elicitationSample';
import { ChatPage } from './harness';

describe('elicitation', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());
  const form = () => chat.page.getByRole('form', { name: 'Who are you?' });
  const ready = () => form().locator('button:not([aria-disabled="true"])').first().waitFor();
  const button = (name: string) => form().getByRole('button', { name, exact: true });

  it('is a form named by its message, with labels and the agent’s name', async () => {
    chat = await ChatPage.with([asked({ mode: 'form', title: 'About you', fields })]);
    await ready();
    assert.equal(
      await form().ariaSnapshot(),
      [
        '- form "Who are you?":',
        '  - paragraph: Who are you?',
        '  - paragraph: Requested by Claude. Your input is sent there.',
        '  - paragraph:',
        '    - strong: About you',
        '  - text: Mail',
        '  - textbox "Mail"',
        '  - text: To reach you Age (optional)',
        '  - textbox "Age (optional)": "30"',
        '  - checkbox "Sure"',
        '  - text: Sure Size',
        '  - combobox "Size":',
        '    - option "Small"',
        '    - option "Large" [selected]',
        '  - group "Tags (optional)":',
        '    - text: Tags (optional)',
        '    - checkbox "One"',
        '    - text: One',
        '    - checkbox "Two"',
        '    - text: Two',
        '  - button "Submit"',
        '  - button "Decline"',
        '  - button "Cancel"',
      ].join('\n'),
    );
    assert.equal(await chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Message');
  });

  it('keeps entered values after a session switch, and never stores them', async () => {
    const secret: FormField = { key: 'pin', label: 'PIN', required: true, type: 'text', isSecret: true };
    chat = await ChatPage.with([asked({ mode: 'form', fields: [...fields, secret] })]);
    await ready();
    const mail = form().getByRole('textbox', { name: 'Mail' });
    const two = form().getByRole('checkbox', { name: 'Two' });
    const pin = form().getByLabel('PIN');
    await mail.fill('ada@example.test');
    await two.check();
    await pin.fill('904417');
    const { state } = chat;
    chat.state = { ...emptySession('other') };
    await chat.snapshot();
    await form().waitFor({ state: 'detached' });
    const stored = () => chat.page.evaluate(() => sessionStorage.getItem('state') ?? '');
    assert.match(await stored(), /other/);
    assert.doesNotMatch(await stored(), /ada@|904417/);
    chat.state = state;
    await chat.snapshot();
    await ready();
    const entered = async () => [await mail.inputValue(), await two.isChecked(), await pin.inputValue()];
    assert.deepEqual(await entered(), ['ada@example.test', true, '904417']);
    await chat.page.reload();
    await chat.sentType('ready');
    await chat.snapshot();
    await ready();
    assert.deepEqual(await entered(), ['', false, '']);
    assert.doesNotMatch(await stored(), /ada@|904417/);
  });

  it('masks secrets until they are to be shown', async () => {
    const secrets: FormField[] = [
      { key: 'pin', label: 'PIN', required: true, type: 'number', whole: true, isSecret: true },
      { key: 'word', label: 'Word', required: true, type: 'text', isSecret: true },
    ];
    chat = await ChatPage.with([asked({ mode: 'form', fields: [...secrets, ...fields] })]);
    await ready();
    const types = async () =>
      Promise.all(['PIN', 'Word', 'Mail'].map((name) => form().getByLabel(name, { exact: true }).getAttribute('type')));
    assert.deepEqual(await types(), ['password', 'password', 'text']);
    await form().getByRole('button', { name: 'Show Input' }).nth(1).click();
    assert.deepEqual(await types(), ['password', 'text', 'text']);
    await form().getByRole('button', { name: 'Show Input', pressed: true }).click();
    assert.deepEqual(await types(), ['password', 'password', 'text']);
  });

  it('shows hidden characters in all texts of the agent', async () => {
    const hidden = (text: string) => `${text}\u202e\u200b\u{e0041}`;
    const choices = [{ value: 'a', label: hidden('One'), description: hidden('The first') }];
    const about = { required: true, description: hidden('About') };
    const odd: FormField[] = [
      { ...about, key: 't', label: hidden('Text'), type: 'text', pattern: hidden('a') },
      { ...about, key: 'b', label: hidden('Sure'), type: 'boolean' },
      { ...about, key: 'c', label: hidden('Choice'), type: 'choice', choices, initial: 'a' },
      { ...about, key: 'm', label: hidden('Choices'), type: 'choices', choices },
    ];
    const question = { mode: 'form', title: hidden('Title'), description: hidden('More'), fields: odd } as const;
    chat = await ChatPage.with([
      { ...asked(question), agent: hidden('Claude'), message: hidden('Who are you?') } as Action,
    ]);
    const shown = chat.page.getByRole('form');
    await shown.locator('button:not([aria-disabled="true"])').first().waitFor();
    await shown.getByRole('textbox').fill('b');
    await shown.getByRole('button', { name: 'Submit' }).click();
    await shown.getByText('This must match').waitFor();
    const html = await chat.page.evaluate(() => document.querySelector('form')?.outerHTML ?? '');
    assert.doesNotMatch(html, /[\u202e\u200b\u{e0041}]/u);
    const escaped = (text: string) => `${text}\\u{202e}\\u{200b}\\u{e0041}`;
    const texts = [
      'Who are you?',
      'Claude',
      'Title',
      'More',
      'Text',
      'Sure',
      'Choice',
      'Choices',
      'About',
      'One',
      'The first',
    ];
    for (const text of texts) assert.ok(html.includes(escaped(text)), text);
    await chat.act({ type: 'elicitationAnswered', entry: 0, outcome: { type: 'declined' } });
    await chat.page.getByRole('group', { name: `Form: ${escaped('Who are you?')}` }).waitFor();
  });

  it('shows invalid values, and sends valid ones, by keyboard alone', async () => {
    chat = await ChatPage.with([asked({ mode: 'form', fields })]);
    await ready();
    const mail = form().getByRole('textbox', { name: 'Mail' });
    await mail.focus();
    await chat.page.keyboard.type('nobody');
    await chat.page.keyboard.press('Enter');
    assert.match(await form().innerText(), /This must be an email address/);
    assert.equal(await mail.getAttribute('aria-invalid'), 'true');
    assert.deepEqual(await chat.intents(), []);
    await mail.fill('ada@example.test');
    await form().getByRole('textbox', { name: 'Age' }).fill('');
    await form().getByRole('checkbox', { name: 'Two' }).check();
    await form().getByRole('combobox', { name: 'Size' }).selectOption('Small');
    await button('Submit').press('Enter');
    const content = { mail: 'ada@example.test', sure: false, size: 's', tags: ['b'] };
    assert.deepEqual(await chat.intents(), [
      { type: 'answerElicitation', elicitationId: 'e1', answer: { action: 'accept', content } },
    ]);
  });

  it('leaves a yes or no that may be null open until it is changed', async () => {
    const unset = (key: string) => ({ key, label: key, required: false, type: 'boolean', isUnset: true }) as const;
    chat = await ChatPage.with([asked({ mode: 'form', fields: ['one', 'two', 'three'].map(unset) })]);
    await ready();
    const box = (name: string) => form().getByRole('checkbox', { name });
    assert.ok(await box('one').evaluate((input: HTMLInputElement) => input.indeterminate));
    await box('two').check();
    await box('three').check();
    await box('three').uncheck();
    await button('Submit').click();
    const answer = { action: 'accept', content: { two: true, three: false } };
    assert.deepEqual(await chat.intents(), [{ type: 'answerElicitation', elicitationId: 'e1', answer }]);
  });

  it('moves the focus to the first invalid value', async () => {
    chat = await ChatPage.with([asked({ mode: 'form', fields })]);
    await ready();
    await button('Submit').press('Enter');
    const mail = form().getByRole('textbox', { name: 'Mail' });
    assert.ok(await mail.evaluate((box) => box === document.activeElement));
  });

  it('can be declined and canceled, and becomes one line', async () => {
    chat = await ChatPage.with([asked({ mode: 'form', fields })]);
    await ready();
    await button('Decline').click();
    await button('Cancel').click();
    assert.deepEqual(
      await chat.intents(),
      (['decline', 'cancel'] as const).map((action) => ({
        type: 'answerElicitation',
        elicitationId: 'e1',
        answer: { action },
      })),
    );
    await chat.act({ type: 'elicitationAnswered', entry: 0, outcome: { type: 'declined' } });
    assert.equal(await form().count(), 0);
    assert.match(await chat.log.innerText(), /Who are you\?\s*Declined/);
  });

  it('shows a URL completely, with its host and a warning, and opens it only by a click', async () => {
    const url = 'https://xn--pple-43d.test/a/very/long/path?with=parameters';
    const warning = 'This name is written with letters outside the Latin alphabet.';
    chat = await ChatPage.with([asked({ mode: 'url', url, host: 'xn--pple-43d.test', warning })]);
    await ready();
    for (const text of [url, 'xn--pple-43d.test', warning]) {
      assert.ok((await form().innerText()).includes(text), text);
    }
    assert.equal(await form().getByRole('link').count(), 0);
    await button('Open in Browser').click();
    assert.deepEqual(await chat.intents(), [{ type: 'openElicitation', elicitationId: 'e1' }]);
    await chat.act({ type: 'elicitationAnswered', entry: 0, outcome: { type: 'accepted' } });
    assert.match(await chat.log.innerText(), /Opened in the browser/);
    await chat.act({ type: 'elicitationCompleted', entry: 0 });
    assert.match(await chat.log.innerText(), /Done/);
    assert.deepEqual(chat.strangers, []);
  });

  it('ignores answers in the first half second', async () => {
    chat = await ChatPage.with([asked({ mode: 'form', fields: [] })]);
    await chat.act({ type: 'elicitationAnswered', entry: 0, outcome: { type: 'declined' } });
    const early = chat.page.evaluate(
      () =>
        new Promise<void>((done) => {
          new MutationObserver((_, observer) => {
            const shown = document.querySelectorAll<HTMLButtonElement>('.elicitation .button');
            if (shown.length === 0) return;
            observer.disconnect();
            for (const each of shown) each.click();
            done();
          }).observe(document.body, { subtree: true, childList: true });
        }),
    );
    await chat.act(asked({ mode: 'form', fields: [] }));
    await early;
    assert.deepEqual(await chat.intents(), []);
  });
});

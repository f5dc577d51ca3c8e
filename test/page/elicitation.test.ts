import assert from 'node:assert/strict';
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
        '  - paragraph: Requested by Claude. Your input is sent to this agent.',
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
    assert.equal(await chat.page.evaluate(() => document.activeElement?.tagName), 'BODY');
  });

  it('keeps entered values after a session switch and a reload, until it is answered', async () => {
    chat = await ChatPage.with([asked({ mode: 'form', fields })]);
    await ready();
    const mail = form().getByRole('textbox', { name: 'Mail' });
    const two = form().getByRole('checkbox', { name: 'Two' });
    await mail.fill('ada@example.test');
    await two.check();
    const { state } = chat;
    chat.state = { ...emptySession('other') };
    await chat.snapshot();
    await form().waitFor({ state: 'detached' });
    chat.state = state;
    await chat.snapshot();
    await ready();
    assert.deepEqual([await mail.inputValue(), await two.isChecked()], ['ada@example.test', true]);
    await chat.page.reload();
    await chat.sentType('ready');
    await chat.snapshot();
    await ready();
    assert.deepEqual([await mail.inputValue(), await two.isChecked()], ['ada@example.test', true]);
    const stored = () => chat.page.evaluate(() => sessionStorage.getItem('state') ?? '');
    assert.match(await stored(), /ada@example\.test/);
    await chat.act({ type: 'elicitationAnswered', entry: 0, outcome: { type: 'declined' } });
    await chat.page.getByRole('group', { name: 'Form: Who are you?' }).waitFor();
    assert.doesNotMatch(await stored(), /ada@example\.test/);
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

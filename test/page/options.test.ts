import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { ConfigOption } from '../../src/shared/state/configOptionState';
import type { Action } from '../../src/shared/state/sessionActions';
import { ChatPage, environment } from './harness';
import { NOON, commands, midTurn, selectors } from './sample';

const offered: Action = { type: 'selectorsChanged', selectors };

describe('config options of an agent', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  const combobox = (name: string): Locator => chat.page.getByRole('combobox', { name, exact: true });
  const option = (name: string): Locator => chat.page.getByRole('option', { name });
  const activeText = async (from: Locator): Promise<string | null> => {
    const id = await from.getAttribute('aria-activedescendant');
    return id === null ? null : chat.page.locator(`[id="${id}"] .option-name`).textContent();
  };

  it('shows the agent’s names in its order, with the selected values', async () => {
    chat = await ChatPage.with([offered], { width: 700 });
    const row = await chat.page.locator('.selectors').ariaSnapshot();
    assert.equal(row, ['- combobox "Mode": Ask first', '- combobox "Model": Opus', '- switch "Fast"'].join('\n'));
  });

  for (const width of [300, 340, 380, 420, 450, 500]) {
    it(`leaves room for the Stop button at ${width} pixels`, async () => {
      const names = ['Claude Opus 4.5 (default)', 'Always ask first', 'Thinking high'];
      const wide = names.map((name, index): ConfigOption => {
        const groups = [{ choices: [{ value: 'a', name }] }];
        return { id: `o${index}`, name: `Option ${index}`, source: 'config', kind: 'select', value: 'a', groups };
      });
      chat = await ChatPage.with(
        [
          { type: 'selectorsChanged', selectors: wide },
          { type: 'promptSent', text: 'go', blocks: [], at: Date.now() },
        ],
        { width },
      );
      await chat.page.evaluate(async () => void (await document.fonts.ready));
      await chat.frame();
      const row = await chat.page.locator('.composer-row').boundingBox();
      const stop = await chat.button('Stop').boundingBox();
      assert.ok(row && stop && stop.x + stop.width <= row.x + row.width, JSON.stringify([row, stop]));
      assert.equal(await chat.page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
    });
  }

  it('names an option beside a value that looks like another one', async () => {
    const select = (id: string, name: string, value: string): ConfigOption => {
      const groups = [{ choices: [{ value: 'a', name: value }] }];
      return { id, name, category: id, source: 'config', kind: 'select', value: 'a', groups };
    };
    const alike = [
      select('mode', 'Mode', 'Manual'),
      select('model', 'Model', 'Default (recommended)'),
      select('effort', 'Effort', 'Default'),
    ];
    chat = await ChatPage.with([{ type: 'selectorsChanged', selectors: alike }], { width: 420 });
    const labels = await chat.page.locator('.selector-button .clip').allInnerTexts();
    assert.equal(new Set(labels).size, 3);
    assert.equal(labels[0], 'Manual');
    assert.match(labels[1] ?? '', /^Model: Default/);
    assert.equal(labels[2], 'Effort: Default');
  });

  it('shortens labels by words, and hides the model last', async () => {
    const [mode, model, fast] = selectors as [ConfigOption, ConfigOption, ConfigOption];
    const choices = [{ value: 'opus', name: 'Claude Opus 4.5 (default)' }];
    const long = { ...model, groups: [{ choices }] } as ConfigOption;
    const talk = midTurn(NOON).filter(({ type }) => type !== 'selectorsChanged');
    chat = await ChatPage.with([...talk, { type: 'selectorsChanged', selectors: [long, fast, mode] }], { width: 900 });
    const labels = () => chat.page.locator('.selector-button .clip').allInnerTexts();
    const cut = () =>
      chat.page
        .locator('.selector-button .clip')
        .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent));
    assert.deepEqual(await labels(), ['Claude Opus 4.5 (default)', 'Fast', 'Ask first']);
    const seen = new Set<string>();
    for (let width = 420; width >= 240; width -= 20) {
      await chat.page.setViewportSize({ width, height: 800 });
      await chat.frame();
      const shown = await labels();
      assert.match(shown[0] ?? '', /^Claude/, `${width}: ${shown.join(', ')}`);
      assert.deepEqual(await cut(), [], `${width}`);
      for (const label of shown) seen.add(label);
    }
    assert.ok(seen.has('Claude Opus 4.5…') || seen.has('Claude Opus…'), [...seen].join(', '));
    await chat.page.setViewportSize({ width: 360, height: 800 });
    await chat.frame();
    assert.match(await combobox('Model').ariaSnapshot(), /: Claude Opus 4\.5 \(default\)$/);
  });

  it('opens as a list with groups and descriptions, and sends the selected value to the host', async () => {
    chat = await ChatPage.with([offered], { width: 700 });
    await combobox('Model').click();
    assert.equal(
      await chat.page.getByRole('listbox', { name: 'Model' }).ariaSnapshot(),
      [
        '- listbox "Model":',
        '  - group "Large":',
        '    - option "Opus Most capable" [selected]',
        '    - option "Sonnet Everyday work"',
        '  - group "Small":',
        '    - option "Haiku"',
      ].join('\n'),
    );
    await option('Haiku').click();
    assert.deepEqual(await chat.intents(), [{ type: 'chooseOption', id: 'model', value: 'https://models.test/haiku' }]);
    assert.equal(await chat.page.getByRole('listbox').count(), 0);
    assert.equal(await combobox('Model').evaluate((button) => button === document.activeElement), true);
  });

  it('works by keyboard alone: arrows, Home, End, Enter, Escape', async () => {
    chat = await ChatPage.with([offered], { width: 700 });
    await combobox('Mode').focus();
    await combobox('Mode').press('ArrowDown');
    assert.equal(await combobox('Mode').getAttribute('aria-expanded'), 'true');
    assert.equal(await activeText(combobox('Mode')), 'Ask first');
    await combobox('Mode').press('End');
    await combobox('Mode').press('ArrowDown');
    assert.equal(await activeText(combobox('Mode')), 'Plan');
    await combobox('Mode').press('Escape');
    assert.equal(await combobox('Mode').getAttribute('aria-expanded'), 'false');
    assert.deepEqual(await chat.intents(), []);
    await combobox('Mode').press('Enter');
    await combobox('Mode').press('ArrowDown');
    await combobox('Mode').press('Enter');
    assert.deepEqual(await chat.intents(), [{ type: 'chooseOption', id: 'mode', value: 'edits' }]);
  });

  it('opens the lists of modes and models from the message box, and returns to it', async () => {
    chat = await ChatPage.with([offered], { width: 700 });
    await chat.box.fill('Hello');
    await chat.box.press('Control+.');
    await option('Ask first').waitFor();
    assert.equal(await activeText(combobox('Mode')), 'Ask first');
    await chat.page.keyboard.press('ArrowDown');
    await chat.page.keyboard.press('Enter');
    await chat.page.keyboard.type(' there');
    assert.equal(await chat.box.inputValue(), 'Hello there');
    await chat.box.press('Control+Alt+.');
    await option('Opus').waitFor();
    assert.equal(await activeText(combobox('Model')), 'Opus');
    await chat.page.keyboard.press('Escape');
    await chat.page.getByRole('listbox').waitFor({ state: 'detached' });
    assert.equal(await chat.box.evaluate((box) => box === document.activeElement), true);
    await chat.box.press('Control+Alt+.');
    await option('Opus').waitFor();
    await chat.page.keyboard.press('Space');
    await chat.page.locator('.message-box:focus').waitFor();
    assert.deepEqual((await chat.intents())[0], { type: 'chooseOption', id: 'mode', value: 'edits' });
    assert.equal(await combobox('Mode').getAttribute('title'), 'Mode: Ask first (Ctrl+.)');
  });

  it('opens the model list on a Mac, where Option and period type another character', async () => {
    chat = await ChatPage.open({ width: 700 });
    await chat.snapshot([offered], { ...environment, mac: true });
    const press = { key: '≥', code: 'Period', metaKey: true, altKey: true, bubbles: true, cancelable: true };
    await chat.box.evaluate((box, event) => box.dispatchEvent(new KeyboardEvent('keydown', event)), press);
    await option('Opus').waitFor();
  });

  it('opens hidden options by key, and hides them again', async () => {
    chat = await ChatPage.with([{ type: 'promptSent', text: 'Hi', blocks: [], at: NOON }, offered], { width: 225 });
    await chat.button('More options').waitFor();
    assert.equal(await combobox('Mode').count(), 0);
    await chat.box.press('Control+.');
    await option('Ask first').waitFor();
    await chat.page.keyboard.press('End');
    await chat.page.keyboard.press('Enter');
    await combobox('Mode').waitFor({ state: 'detached' });
    assert.equal(await chat.box.evaluate((box) => box === document.activeElement), true);
    assert.deepEqual(await chat.intents(), [{ type: 'chooseOption', id: 'mode', value: 'plan' }]);
  });

  it('leaves the keys of missing options to VS Code', async () => {
    chat = await ChatPage.with([{ type: 'selectorsChanged', selectors: [] }]);
    const isTaken = chat.page.evaluate(
      () =>
        new Promise((done) =>
          window.addEventListener('keydown', ({ key, defaultPrevented }) => key === '.' && done(defaultPrevented)),
        ),
    );
    await chat.box.press('Control+.');
    assert.equal(await isTaken, false);
  });

  it('filters by the typed text', async () => {
    chat = await ChatPage.with([offered], { width: 700 });
    await combobox('Model').focus();
    await combobox('Model').pressSequentially('so');
    assert.equal(await activeText(combobox('Model')), 'Sonnet');
    await combobox('Model').press('Enter');
    assert.deepEqual(await chat.intents(), [{ type: 'chooseOption', id: 'model', value: 'sonnet' }]);
  });

  it('closes when it loses the focus, without changing the value', async () => {
    chat = await ChatPage.with([offered], { width: 700 });
    await combobox('Mode').click();
    await combobox('Mode').press('ArrowDown');
    await chat.box.click();
    assert.equal(await chat.page.getByRole('listbox').count(), 0);
    assert.deepEqual(await chat.intents(), []);
  });

  it('shows a selected value immediately, and reverts it if the agent rejects it', async () => {
    chat = await ChatPage.with([offered], { width: 700 });
    await chat.act({ type: 'selectorChosen', id: 'mode', value: 'plan' });
    assert.equal(await combobox('Mode').textContent(), 'Plan');
    await chat.act({ type: 'choiceSettled', id: 'mode' });
    assert.equal(await combobox('Mode').textContent(), 'Ask first');
  });

  it('toggles a boolean', async () => {
    chat = await ChatPage.with([offered], { width: 700 });
    const fast = chat.page.getByRole('switch', { name: 'Fast' });
    await fast.press(' ');
    assert.deepEqual(await chat.intents(), [{ type: 'chooseOption', id: 'fast', value: true }]);
    await chat.act({ type: 'selectorChosen', id: 'fast', value: true });
    assert.equal(await fast.getAttribute('aria-checked'), 'true');
  });

  it('shows an unlisted value unchanged', async () => {
    const [, model] = selectors;
    const odd = { ...model, value: 'openai-compatible' } as ConfigOption;
    chat = await ChatPage.with([{ type: 'selectorsChanged', selectors: [odd] }]);
    assert.equal(await combobox('Model').textContent(), 'openai-compatible');
    await combobox('Model').press('ArrowDown');
    assert.equal(await activeText(combobox('Model')), 'Opus');
    assert.equal(await chat.page.getByRole('option', { selected: true }).count(), 0);
  });

  for (const width of [300, 340]) {
    it(`is complete at ${width} px`, async () => {
      const many = [
        ...selectors,
        { ...selectors[0], id: 'effort', name: 'Effort', category: 'thought_level' } as ConfigOption,
      ];
      chat = await ChatPage.with(
        [
          { type: 'promptSent', text: 'Hi', blocks: [], at: NOON },
          { type: 'selectorsChanged', selectors: many },
        ],
        { width },
      );
      // With text, Send is beside Stop.
      await chat.box.fill('next');
      await chat.frame();
      await chat.button('More options').click();
      for (const { name, kind } of many) {
        const role = kind === 'boolean' ? 'switch' : 'combobox';
        const box = await chat.page.getByRole(role, { name, exact: true }).boundingBox();
        assert.ok(
          box && box.x >= 0 && box.x + box.width <= width && box.width >= 30,
          `${name}: ${JSON.stringify(box)}`,
        );
      }
      for (const name of ['Send', 'Stop']) {
        const box = await chat.button(name).boundingBox();
        assert.ok(box && box.x + box.width <= width, name);
      }
      const effort = combobox('Effort');
      await effort.press('Enter');
      await effort.press('End');
      await effort.press('Enter');
      assert.deepEqual((await chat.intents()).at(-1), { type: 'chooseOption', id: 'effort', value: 'plan' });
      await effort.press('Escape');
      assert.equal(await effort.count(), 0);
      assert.equal(await chat.button('More options').evaluate((button) => button === document.activeElement), true);
    });
  }

  it('is hidden if the agent offers no options', async () => {
    chat = await ChatPage.with([]);
    assert.equal(await chat.page.locator('.selectors').count(), 0);
  });
});

describe('commands', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());
  const known: Action = { type: 'commandsChanged', commands };
  const names = (): Promise<string[]> => chat.page.getByRole('option').locator('.option-name').allTextContents();

  it('complete after a slash, and use a new list immediately', async () => {
    chat = await ChatPage.with([known]);
    await chat.box.pressSequentially('/');
    assert.equal(
      await chat.page.getByRole('listbox', { name: 'Commands' }).ariaSnapshot(),
      [
        '- listbox "Commands":',
        '  - option "/plan what to plan Make a plan and change nothing" [selected]',
        '  - option "/review Review what has changed"',
        '  - option "/preview Show how it would look"',
      ].join('\n'),
    );
    await chat.box.pressSequentially('view');
    assert.deepEqual(await names(), ['/review', '/preview']);
    await chat.act({ type: 'commandsChanged', commands: [{ name: 'overview', description: '' }] });
    assert.deepEqual(await names(), ['/overview']);
  });

  it('are selected by keys, and the text box announces the active one', async () => {
    chat = await ChatPage.with([known]);
    await chat.box.pressSequentially('/');
    await chat.box.press('ArrowDown');
    const id = await chat.box.getAttribute('aria-activedescendant');
    assert.equal(await chat.page.locator(`[id="${id}"] .option-name`).textContent(), '/review');
    await chat.box.press('Tab');
    assert.equal(await chat.box.inputValue(), '/review ');
    assert.equal(await chat.page.getByRole('listbox').count(), 0);
    await chat.box.press('Enter');
    assert.deepEqual(await chat.intents(), [{ type: 'send', text: '/review ' }]);
  });

  it('complete with Enter, show their argument hint, and are sent with arguments', async () => {
    chat = await ChatPage.with([known]);
    await chat.box.pressSequentially('/pl');
    await chat.box.press('Enter');
    assert.equal(await chat.box.inputValue(), '/plan ');
    assert.match((await chat.page.locator('.message-hint').textContent()) ?? '', /what to plan/);
    await chat.box.pressSequentially('tests');
    assert.equal(await chat.page.locator('.message-hint').count(), 0);
    await chat.box.press('Enter');
    assert.deepEqual(await chat.intents(), [{ type: 'send', text: '/plan tests' }]);
  });

  it('include the user’s prompt files, with user: for a duplicate name, also before the agent’s list', async () => {
    const prompts = [
      { name: 'plan', description: 'Mine' },
      { name: 'tidy', description: 'Tidies up', hint: '<path>' },
    ];
    chat = await ChatPage.with([]);
    await chat.post({ type: 'environment', environment: { ...environment, prompts } });
    await chat.box.pressSequentially('/');
    assert.deepEqual(await names(), ['/plan', '/tidy <path>']);
    await chat.act(known);
    assert.deepEqual(await names(), ['/plan what to plan', '/review', '/preview', '/user:plan', '/tidy <path>']);
    await chat.box.fill('/user:plan it');
    await chat.box.press('Enter');
    await chat.box.fill('/nope');
    await chat.box.press('Enter');
    assert.deepEqual(await chat.intents(), [{ type: 'send', text: '/user:plan it' }]);
    assert.match((await chat.page.getByRole('alert').textContent()) ?? '', /\/preview, \/user:plan, \/tidy\./);
  });

  it('of a prompt file show the sent text, collapsed', async () => {
    const text = `Tidy up src.\n${'Be careful.\n'.repeat(30)}`;
    const expansion = { name: 'tidy', label: '.parley/prompts/tidy.md', path: '/w/.parley/prompts/tidy.md', text };
    chat = await ChatPage.with([{ type: 'promptSent', text: '/tidy src', expansion, blocks: [], at: NOON }]);
    const message = chat.page.getByRole('article', { name: 'You' });
    const folded = message.getByText('Sent: .parley/prompts/tidy.md');
    await folded.waitFor();
    assert.equal(await message.getByText('Tidy up src.').isVisible(), false);
    await folded.click();
    await message.getByText('Tidy up src.').waitFor();
    await message.getByRole('button', { name: 'Open prompt file' }).click();
    assert.deepEqual(await chat.intents(), [{ type: 'openFile', path: '/w/.parley/prompts/tidy.md' }]);
  });

  it('close the list with Escape and keep the text', async () => {
    chat = await ChatPage.with([known]);
    await chat.box.pressSequentially('/pl');
    await chat.box.press('Escape');
    assert.equal(await chat.page.getByRole('listbox').count(), 0);
    assert.equal(await chat.box.inputValue(), '/pl');
  });

  it('reject an unknown command, list the others, and send it as text on request', async () => {
    chat = await ChatPage.with([known]);
    await chat.box.fill('/nope please');
    await chat.box.press('Enter');
    assert.deepEqual(await chat.intents(), []);
    assert.match(
      (await chat.page.getByRole('alert').textContent()) ?? '',
      /Demo agent does not support the command \/nope\. Available commands: \/plan, \/review, \/preview\./,
    );
    await chat.button('Send as text').click();
    assert.deepEqual(await chat.intents(), [{ type: 'send', text: '/nope please' }]);
    assert.equal(await chat.box.evaluate((box) => box === document.activeElement), true);
    assert.equal(await chat.page.getByRole('alert').count(), 0);
  });

  it('remove the rejection when the text changes', async () => {
    chat = await ChatPage.with([known]);
    await chat.box.fill('/nope');
    await chat.box.press('Enter');
    // Its code is loaded when it is first shown.
    await chat.page.getByRole('alert').waitFor();
    await chat.box.fill('/plan');
    await chat.page.getByRole('alert').waitFor({ state: 'detached' });
  });

  for (const text of ['/usr/bin/env is missing', '/ alone', '//comment', 'see /nope']) {
    it(`are not found in "${text}"`, async () => {
      chat = await ChatPage.with([known]);
      await chat.box.fill(text);
      await chat.button('Send').click();
      assert.deepEqual(await chat.intents(), [{ type: 'send', text }]);
    });
  }

  it('reject nothing before the first list', async () => {
    chat = await ChatPage.with([]);
    await chat.box.fill('/anything');
    await chat.box.press('Enter');
    assert.deepEqual(await chat.intents(), [{ type: 'send', text: '/anything' }]);
  });
});

describe('context usage', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  const cases: [string, Action, string | null, string][] = [
    [
      'a part of it, with its cost',
      { type: 'usageChanged', usage: { used: 50_000, size: 200_000, cost: { amount: 0.0123, currency: 'USD' } } },
      '25',
      '50,000 of 200,000 tokens; cost 0.0123 USD',
    ],
    ['more than all', { type: 'usageChanged', usage: { used: 300, size: 200 } }, '100', '300 of 200 tokens'],
    ['without a size', { type: 'usageChanged', usage: { used: 300, size: 0 } }, null, '300 tokens'],
  ];
  for (const [what, action, value, description] of cases) {
    it(`shows ${what}`, async () => {
      chat = await ChatPage.with([action]);
      const ring = chat.page.getByRole('progressbar', { name: 'Context used' });
      assert.equal(await ring.getAttribute('aria-valuenow'), value);
      assert.equal(await ring.getAttribute('aria-description'), description);
    });
  }

  it('shows a number from 80 % on, and announces it once', async () => {
    const used = (part: number): Action => ({ type: 'usageChanged', usage: { used: part * 1000, size: 1000 } });
    chat = await ChatPage.with([used(0.79)]);
    const share = chat.page.locator('.usage-share');
    assert.equal(await share.count(), 0);
    await chat.act(used(0.8));
    assert.equal(await share.innerText(), '80%');
    const spoken = chat.page.locator('[data-part="announcer"]');
    assert.equal(await spoken.innerText(), 'The context is nearly full: 80% used');
    await chat.act({ type: 'noticeShown', severity: 'info', title: 'x', at: NOON }, used(0.85));
    assert.equal(await spoken.innerText(), 'The context is nearly full: 80% used');
    assert.match((await chat.button('Context details').getAttribute('title')) ?? '', /nearly full/);
  });

  it('shows the budget in the details, or that it does not apply to an agent without cost', async () => {
    const budget = { ...environment, budget: { session: 5, day: 20 } };
    chat = await ChatPage.with([{ type: 'usageChanged', usage: { used: 1, size: 2 } }]);
    await chat.snapshot([], budget);
    await chat.button('Context details').click();
    const details = chat.page.getByRole('dialog', { name: 'Context used' });
    await details.getByText('The agent reports no cost. The budget does not apply to this session.').waitFor();
    await chat.act({ type: 'usageChanged', usage: { used: 1, size: 2, cost: { amount: 4.2, currency: 'EUR' } } });
    await details.getByText('Session budget').waitFor();
    assert.match(
      (await details.innerText()).replaceAll(/\n+/g, ' '),
      /Cost 4\.20 EUR Session budget 5\.00 EUR Daily budget 20\.00 EUR$/,
    );
  });

  it('lists subscription limits in the details, also without other usage, but none that were reset', async () => {
    const at = new Date();
    // The page is in UTC, wherever the test runs.
    at.setUTCHours(23, 59, 59, 999);
    chat = await ChatPage.with([
      {
        type: 'limitsChanged',
        limits: [
          { id: 'five_hour', minutes: 300, used: 0.47, resetsAt: at.getTime() },
          { id: 'seven_day', minutes: 10_080, used: 0.9, resetsAt: 1 },
        ],
      },
    ]);
    await chat.button('Context details').click();
    const details = chat.page.getByRole('dialog', { name: 'Context used' });
    assert.equal((await details.innerText()).trim(), '5-hour window: 47% used, resets 23:59');
    await chat.act({ type: 'limitsChanged', limits: [{ id: 'five_hour', minutes: 300, used: 0.5 }] });
    await details.getByText('5-hour window: 50% used').waitFor();
    assert.equal(await details.getByRole('listitem').count(), 1);
  });

  it('opens the details, with the command that compacts the context if there is one', async () => {
    const tokens = { total: 1800, input: 1000, output: 500, cachedRead: 300 };
    chat = await ChatPage.with([
      { type: 'promptSent', text: 'Hi', blocks: [], at: NOON },
      { type: 'compactionStarted', compactionId: 'c', patch: { status: 'completed' }, at: NOON },
      { type: 'turnEnded', stopReason: 'end_turn', tokens, at: NOON },
      { type: 'usageChanged', usage: { used: 170_000, size: 200_000, cost: { amount: 1.5, currency: 'EUR' } } },
      { type: 'commandsChanged', commands: [{ name: 'compact', description: '' }] },
    ]);
    await chat.button('Context details').focus();
    await chat.page.keyboard.press('Enter');
    const details = chat.page.getByRole('dialog', { name: 'Context used' });
    assert.equal(
      (await details.innerText()).replaceAll(/\n+/g, '\n'),
      `Context
170,000 of 200,000 tokens (85%)
Cost
1.50 EUR
Input tokens
1,000
Output tokens
500
Read from cache
300
Total tokens
1,800
Compacted
once
The context is nearly full. Compact it, or continue in a new chat.
Compact`,
    );
    await chat.page.keyboard.press('Escape');
    assert.equal(await details.count(), 0);
    assert.equal(await chat.button('Context details').evaluate((button) => button === document.activeElement), true);
    await chat.button('Context details').click();
    await chat.button('Compact').click();
    assert.deepEqual(await chat.intents(), [{ type: 'send', text: '/compact' }]);
    assert.equal(await details.count(), 0);
  });

  it('adds the usage of a prompt response', async () => {
    const tokens = { total: 1500, input: 1000, output: 500 };
    chat = await ChatPage.with([
      { type: 'promptSent', text: 'Hi', blocks: [], at: NOON },
      { type: 'turnEnded', stopReason: 'end_turn', tokens, at: NOON },
    ]);
    const ring = chat.page.getByRole('progressbar', { name: 'Context used' });
    assert.equal(await ring.getAttribute('aria-description'), 'total 1,500 tokens (1,000 in, 500 out)');
  });
});

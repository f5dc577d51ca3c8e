import assert from 'node:assert/strict';
import type { DiffContent } from '../../src/shared/state/contentBlocks';
import type { Action } from '../../src/shared/state/sessionActions';
import { reduce } from '../../src/shared/state/sessionReducer';
import { eventually } from '../kit/waiting';
import { ChatPage, environment } from './harness';
import { asking, fiveOptions, states } from './permissionStates';
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
/** Collapsed in its own card, complete in a permission request. */
const tall: DiffContent = {
  ...diff,
  hunks: diff.hunks.map((hunk) => ({
    ...hunk,
    lines: Array.from({ length: 30 }, (_each, index) => ({ type: 'added', text: `line ${index}` }) as const),
  })),
};
const answer = (optionId: string) => ({ type: 'answerPermission', permissionId: 'p1', optionId });

describe('permission', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());
  const group = () => chat.page.getByRole('group', { name: 'Permission: Install' });
  const option = (name: string) => group().getByRole('button', { name, exact: true });
  /** Waits until new buttons accept clicks. */
  const ready = () => group().locator('button:not([aria-disabled="true"])').first().waitFor();

  it('keeps the buttons near the title of a long command', async () => {
    const command = Array.from({ length: 400 }, (_each, index) => `file-${index}.txt`).join(' ');
    chat = await ChatPage.with(asking(command, { tool: 'other', rawInput: { command } }), { width: 300 });
    const title = chat.page.locator('.tool-name');
    assert.equal(await title.textContent(), command);
    const { shown, whole } = await title.evaluate((one) => ({ shown: one.clientHeight, whole: one.scrollHeight }));
    assert.ok(shown <= 121 && whole > shown, `${shown} of ${whole} px`);
    await title.evaluate((one) => one.scrollTo(0, one.scrollHeight));
    assert.ok((await title.evaluate((one) => one.scrollTop)) > 0);
  });

  it('shows the action, the reason, and the agent’s options in its order', async () => {
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
        '  - button "Reject and Explain…"',
      ].join('\n'),
    );
    assert.equal(await chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Message');
  });

  it('shows the call as requested, even if the agent renames it meanwhile', async () => {
    chat = await ChatPage.with(asked);
    const patch = { title: 'List', tool: 'execute' as const, rawInput: { command: 'ls' } };
    await chat.act({ type: 'toolChanged', entry: 1, patch, at: NOON });
    await chat.page.getByRole('group', { name: 'Tool: List' }).waitFor();
    assert.equal(await group().locator('code').innerText(), 'npm install "a b"');
  });

  it('answers by click', async () => {
    chat = await ChatPage.with(asked);
    await option('Always allow…').click();
    assert.deepEqual(await chat.intents(), [answer('always')]);
  });

  it('keeps the end of the transcript in view when requests are answered by mouse', async () => {
    const fromEnd = () => chat.log.evaluate((log) => log.scrollHeight - log.clientHeight - log.scrollTop);
    const long: Action = { type: 'textAppended', role: 'agent', text: 'More.\n\n'.repeat(40), at: NOON };
    chat = await ChatPage.with([{ type: 'promptSent', text: 'go', blocks: [], at: NOON }, long], { width: 420 });
    for (const number of [1, 2, 3]) {
      const tool = chat.state.entries.count;
      const patch = { title: `Edit ${number}`, tool: 'edit', content: [tall] } as const;
      const ask = { permissionId: `p${number}`, tool, title: `Edit ${number}`, options } as const;
      await chat.act(
        { type: 'toolStarted', toolCallId: `t${number}`, patch, at: NOON },
        { type: 'permissionAsked', ...ask, at: NOON },
      );
      const question = chat.page.getByRole('group', { name: `Permission: Edit ${number}` });
      await question.locator('button:not([aria-disabled="true"])').first().waitFor();
      await eventually(async () => assert.ok((await fromEnd()) < 2, `question ${number}: ${await fromEnd()}`));
      await question.getByRole('button', { name: 'Allow once' }).click();
      await chat.act({
        type: 'permissionAnswered',
        entry: tool + 1,
        outcome: { type: 'selected', optionId: 'once' },
        at: NOON,
      });
      await chat.act({ type: 'toolChanged', entry: tool, patch: { status: 'done' }, at: NOON });
      await eventually(async () => assert.ok((await fromEnd()) < 2, `answer ${number}: ${await fromEnd()}`));
    }
  });

  it('ignores answers in the first 500 ms', async () => {
    chat = await ChatPage.with([]);
    // Clicks and presses as soon as the button exists, as a user who meant something else.
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

  it('shows a command that waits once, without a duration', async () => {
    const rawInput = { command: 'npm install nock' };
    const content = [{ type: 'terminal', terminalId: 'x' }] as const;
    chat = await ChatPage.with([
      { type: 'promptSent', text: 'go', blocks: [], at: NOON },
      { type: 'terminalCreated', terminalId: 'x', command: 'npm install nock', at: NOON },
      {
        type: 'toolStarted',
        toolCallId: 't',
        patch: { title: '`npm install nock`', tool: 'execute', rawInput, content },
        at: NOON,
      },
      { type: 'permissionAsked', permissionId: 'p1', tool: 1, title: '`npm install nock`', options, at: NOON },
    ]);
    await chat.page.locator('.question').waitFor();
    const places = await chat.page
      .getByText('npm install nock')
      .evaluateAll((all) => all.filter((one) => !one.closest('.hidden-text')).map((one) => one.outerHTML));
    assert.equal(places.length, 1, places.join('\n'));
    assert.equal(await chat.page.locator('.slot .elapsed').count(), 0);
    await chat.act({ type: 'permissionAnswered', entry: 2, outcome: { type: 'selected', optionId: 'once' }, at: NOON });
    await chat.page.getByRole('group', { name: 'Terminal: npm install nock' }).waitFor();
  });

  it('is answered from the empty message box, which keeps the focus, but not from a text', async () => {
    chat = await ChatPage.with(asked);
    await ready();
    const badge = group().locator('kbd').first();
    assert.equal(await badge.isVisible(), true);
    await chat.box.fill('1 and');
    await chat.box.press('2');
    await chat.box.press('Control+Enter');
    const acts = async () =>
      (await chat.intents()).filter(({ type }) => type === 'send' || type === 'answerPermission');
    assert.deepEqual(
      (await acts()).map(({ type }) => type),
      ['send'],
    );
    await chat.box.fill('x');
    assert.equal(await badge.isVisible(), false);
    await chat.box.fill('');
    assert.equal(await badge.isVisible(), true);
    await chat.box.press('Control+Enter');
    assert.deepEqual((await acts()).slice(1), [answer('once')]);
    assert.equal(await chat.box.evaluate((box) => box === document.activeElement), true);
    assert.equal(await chat.box.inputValue(), '');
  });

  it('is answered by a digit from the empty message box and from outside text, the first one in sight', async () => {
    chat = await ChatPage.with([
      ...asked,
      { type: 'toolStarted', toolCallId: 't2', patch: { title: 'Other', tool: 'execute' }, at: NOON },
      { type: 'permissionAsked', permissionId: 'p2', tool: 3, title: 'Other', options, at: NOON },
    ]);
    await ready();
    const badges = chat.page.locator('.question kbd');
    assert.deepEqual(await badges.evaluateAll((all) => all.map((one) => getComputedStyle(one).visibility)), [
      ...options.map(() => 'visible'),
      ...options.map(() => 'hidden'),
    ]);
    await chat.log.focus();
    await chat.page.keyboard.press('3');
    assert.deepEqual(await chat.intents(), [answer('no')]);
    assert.equal(await chat.box.evaluate((box) => box === document.activeElement), true);
    await chat.act({ type: 'permissionAnswered', entry: 2, outcome: { type: 'selected', optionId: 'no' }, at: NOON });
    await chat.page.locator('.takes-keys [aria-disabled=false]').first().waitFor();
    await chat.box.press('1');
    assert.deepEqual((await chat.intents()).at(-1), { type: 'answerPermission', permissionId: 'p2', optionId: 'once' });
    assert.equal(await chat.box.inputValue(), '');
  });

  it('is answered by a digit in its group, only once', async () => {
    chat = await ChatPage.with(asked);
    await ready();
    await option('Allow once').focus();
    await chat.page.keyboard.press('9');
    await chat.page.keyboard.press('Control+3');
    await chat.page.keyboard.press('3');
    await chat.page.keyboard.press('1');
    assert.deepEqual(await chat.intents(), [answer('no')]);
  });

  it('collapses to one line, which keeps the focus', async () => {
    chat = await ChatPage.with(asked);
    await ready();
    await option('Reject').focus();
    await chat.act({ type: 'permissionAnswered', entry: 2, outcome: { type: 'selected', optionId: 'no' }, at: NOON });
    await chat.page.getByRole('button', { name: 'Remember…' }).waitFor();
    assert.equal(
      await group().ariaSnapshot(),
      [`- 'group "Permission: Install"':`, '  - text: Install Rejected', '  - button "Remember…"'].join('\n'),
    );
    assert.equal(
      await chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
      'Permission: Install',
    );
    assert.equal(
      await chat.page.getByRole('group', { name: 'Tool: Install' }).getByRole('status').innerText(),
      'Rejected',
    );
  });

  it('becomes one line after a rejected command, which expands to its result', async () => {
    const title = 'Install';
    chat = await ChatPage.with([
      { type: 'promptSent', text: 'go', blocks: [], at: NOON },
      { type: 'toolStarted', toolCallId: 't', patch: { title, tool: 'execute' }, at: NOON },
      { type: 'permissionAsked', permissionId: 'p1', tool: 1, title, options, at: NOON },
    ]);
    await ready();
    await option('Reject').focus();
    await chat.page.keyboard.press('Enter');
    const why = { type: 'block', block: { type: 'text', text: 'The user does not want this.\n'.repeat(9) } } as const;
    await chat.act(
      { type: 'permissionAnswered', entry: 2, outcome: { type: 'selected', optionId: 'no' }, at: NOON },
      { type: 'toolChanged', entry: 1, patch: { status: 'failed', content: [why, diff] }, at: NOON },
    );
    const row = chat.page.getByRole('group', { name: `Tool: ${title}` });
    assert.ok(((await row.boundingBox())?.height ?? 99) <= 24, 'one line');
    assert.equal(await row.getByRole('status').innerText(), 'Rejected');
    const slot = group().locator('xpath=ancestor::*[@data-entry]');
    assert.equal((await slot.boundingBox())?.height, 0, 'the answer takes no line');
    const isRinged = () => row.evaluate((group) => getComputedStyle(group).outlineStyle);
    await chat.page.keyboard.press('Alt+ArrowUp');
    assert.equal(await isRinged(), 'solid', 'the row has the ring of the hidden line');
    await chat.box.focus();
    const remember = chat.page.getByRole('button', { name: 'Remember…' });
    const isSeen = () => remember.evaluate((button) => getComputedStyle(button).opacity === '1');
    assert.equal(await isSeen(), false, 'Remember… is there for who points at the row');
    await row.hover();
    assert.equal(await isSeen(), true);
    const [line, button] = [await row.boundingBox(), await remember.boundingBox()];
    assert.ok(line && button && button.y >= line.y && button.y + button.height <= line.y + line.height + 1);
    assert.ok(button.x + button.width <= line.x + line.width, 'inside the margin');
    await remember.click();
    assert.deepEqual((await chat.intents()).at(-1), { type: 'rememberRule', permissionId: 'p1' });
    await row.getByRole('button', { name: title }).click();
    await row.getByRole('group', { name: 'Output' }).waitFor();
    await row.getByRole('group', { name: 'Diff: src/upload.ts' }).waitFor();
  });

  it('shows the option of a single approval, and why no request was shown', async () => {
    chat = await ChatPage.with(asked);
    await chat.act({ type: 'permissionAnswered', entry: 2, outcome: { type: 'selected', optionId: 'once' }, at: NOON });
    assert.equal(await group().getByText('Allowed once', { exact: true }).getAttribute('title'), 'Allow once');
    const two = [
      { optionId: 'keep', name: 'Yes, ask before edits', kind: 'allow_once' },
      { optionId: 'auto', name: 'Yes, edit freely', kind: 'allow_once' },
    ] as const;
    await chat.act({ type: 'permissionAsked', permissionId: 'p3', tool: 1, title: 'Plan', options: two, at: NOON });
    await chat.act({ type: 'permissionAnswered', entry: 3, outcome: { type: 'selected', optionId: 'auto' }, at: NOON });
    await chat.page.getByRole('group', { name: 'Permission: Plan' }).getByText('Yes, edit freely').waitFor();
    await chat.act({ type: 'permissionAsked', permissionId: 'p2', tool: 1, title: 'Again', options, at: NOON });
    await chat.act({ type: 'turnEnded', stopReason: 'cancelled', at: NOON });
    assert.match(
      await chat.page.getByRole('group', { name: 'Permission: Again' }).innerText(),
      /Canceled: the turn ended/,
    );
  });

  it('shows the diff in the request, then below its row', async () => {
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

  it('shows the complete command after Show all', async () => {
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

  it('shows a long title whole where nothing else names the action, and only its beginning in the row above', async () => {
    const title = `cd /home/user/project && ${'npm run build -- --production && '.repeat(8)}curl https://example.com`;
    chat = await ChatPage.with(asking(title, { tool: 'execute' }), { width: 300 });
    const question = chat.page.getByRole('group', { name: /^Permission: / });
    assert.equal(await question.locator('pre').innerText(), title);
    const { shown, whole } = await question
      .locator('pre')
      .evaluate((one) => ({ shown: [one.clientWidth, one.clientHeight], whole: [one.scrollWidth, one.scrollHeight] }));
    assert.deepEqual(shown, whole);
    const head = await chat.page.locator('.tool-name').evaluate((one) => ({
      lines: one.clientHeight / parseFloat(getComputedStyle(one).lineHeight),
      isCut: one.scrollWidth > one.clientWidth,
      end: getComputedStyle(one).textOverflow,
    }));
    assert.deepEqual(head, { lines: 1, isCut: true, end: 'ellipsis' });
  });

  it('shows its title once, on its tool call, and a different title separately', async () => {
    const title = `Delete ${'everything below '.repeat(12)}build`;
    const about = (step: string): readonly Action[] => [
      { type: 'promptSent', text: 'go', blocks: [], at: NOON },
      { type: 'toolStarted', toolCallId: 't', patch: { title: step }, at: NOON },
      { type: 'permissionAsked', permissionId: 'p1', tool: 1, title, options, at: NOON },
    ];
    chat = await ChatPage.with(about(title), { width: 300 });
    assert.equal(await chat.page.locator('.question pre').innerText(), title.trim());
    assert.equal(await chat.page.locator('.question-title').count(), 0);
    await chat.act({ type: 'permissionAnswered', entry: 2, outcome: { type: 'selected', optionId: 'once' }, at: NOON });
    assert.equal(await chat.page.locator('.permission-title').count(), 0);
    await chat.close();
    chat = await ChatPage.with(about('Tidy up'));
    assert.equal(await chat.page.locator('.question-title').innerText(), title.trim());
  });

  const snapshot = async (name: string, title: string, ready = true): Promise<string> => {
    chat = await ChatPage.with(states[name] ?? []);
    const card = chat.page.getByRole('group', { name: `Permission: ${title}` });
    if (ready) await card.locator('.button:not([aria-disabled="true"])').first().waitFor();
    return card.ariaSnapshot();
  };
  const buttons = ['Allow once', 'Always allow…', 'Reject', 'Reject and Explain…'].map(
    (name) => `  - button "${name}"`,
  );

  it('shows the complete command, and collapses the other input', async () => {
    assert.equal(
      await snapshot('command', 'Install a package'),
      [
        `- 'group "Permission: Install a package"':`,
        '  - paragraph: Install a package',
        '  - code: npm install --save-dev nock@14',
        '  - paragraph:',
        '    - text: in',
        '    - code: /work/app',
        '  - paragraph:',
        '    - button "app"',
        '  - group: Input',
        '  - paragraph: Allow this command?',
        ...buttons,
      ].join('\n'),
    );
    const input = chat.page.getByText('Input', { exact: true });
    await input.click();
    assert.match(await chat.page.locator('.question').innerText(), /"timeout": 120/);
  });

  it('shows the whole input of a request that is more than its command, and says why', async () => {
    const shown = await snapshot('unclear', 'git status');
    const why = '- paragraph: "The request cannot be read as one action: it has “command” more than once."';
    const [input, action] = ['  - code: "{', '- button "Allow once"'].map((part) => shown.indexOf(part));
    assert.deepEqual(
      [shown.indexOf(why) > 0, shown.indexOf(why) < Number(input), Number(input) < Number(action)],
      [true, true, true],
      shown,
    );
    const text = await chat.page.locator('.question').innerText();
    assert.match(text, /"command": "git status",\s+"cmd": "wipe"/);
    assert.match(text, /\b39\s+\]/);
    assert.match(text, /The request cannot be read as one action: it has “command” more than once\./);
    assert.equal(await chat.page.getByText('Show all', { exact: true }).count(), 0);
  });

  it('shows the input if nothing else describes the action, and escapes hidden characters', async () => {
    assert.match(await snapshot('input', 'Search the web'), /code: "\{ \\"query\\": \\"retry \\\\u\{202e\}jitter\\"/);
  });

  it('shows the file name of a change once, at the change', async () => {
    await snapshot('diff', 'Edit upload.ts');
    const shown = await chat.page.locator('.question').innerText();
    assert.equal(shown.split('\n').filter((line) => line === 'upload.ts').length, 1, shown);
  });

  it('escapes zero-width characters, text direction and blanks', async () => {
    const shown = await snapshot('hidden', 'Install\\u{202e} it');
    assert.match(shown, /\\+u\{7\} \\+u\{202e\}gnp\.exe/);
    const code = chat.page.locator('.question code');
    const [box, card] = [await code.boundingBox(), await chat.page.locator('.question').boundingBox()];
    assert.ok(box && card);
    // The end of the line is within the card, not behind a scrollbar.
    assert.ok(await code.evaluate((element) => element.scrollWidth <= element.clientWidth));
    assert.ok(box.x + box.width <= card.x + card.width);
  });

  it('marks destructive actions, names the asking rule, and highlights no answer', async () => {
    assert.equal(
      await snapshot('destructive', 'Clean up'),
      [
        `- 'group "Permission: Clean up"':`,
        '  - paragraph: Clean up',
        '  - code: rm -rf build dist',
        '  - paragraph:',
        '    - strong: "Destructive:"',
        '    - text: it deletes folders and their contents',
        '  - paragraph: Approval required by your rule “command rm **”.',
        ...buttons,
      ].join('\n'),
    );
    assert.equal(await chat.page.locator('.question .primary').count(), 0);
    assert.match(
      await chat.page.locator('[data-part="announcer"]').innerText(),
      /Waiting for you: Clean up\. Destructive: it deletes folders/,
    );
  });

  it('shows five options in the agent’s order, each with its key', async () => {
    await snapshot('five', 'npm test');
    const shown = chat.page.locator('.question .button');
    assert.deepEqual(
      await shown.locator('bdi').allInnerTexts(),
      fiveOptions.map(({ name }) => name),
    );
    assert.deepEqual(await shown.evaluateAll((all) => all.map((button) => button.getAttribute('aria-keyshortcuts'))), [
      '1',
      '2',
      '3',
      '4',
      '5',
    ]);
    await shown.first().focus();
    await chat.page.keyboard.press('5');
    assert.deepEqual(await chat.intents(), [answer('o5')]);
  });

  it('has the usual three options in two lines of a very narrow page', async () => {
    chat = await ChatPage.with(asked, { width: 252 });
    await ready();
    const lines = await group()
      .locator('.buttons > .button')
      .evaluateAll((buttons) => new Set(buttons.map((button) => button.getBoundingClientRect().top)).size);
    assert.equal(lines, 2);
  });

  it('shows a decision of a rule in one line with the reason, without an announcement', async () => {
    assert.equal(
      await snapshot('silent', 'npm test', false),
      `- 'group "Permission: npm test"': npm test Allowed by your rule “command npm test”`,
    );
    assert.equal(await chat.page.locator('[data-part="announcer"]').innerText(), '');
    assert.equal(await chat.page.getByText('Waiting for you').count(), 0);
    await chat.close();
    assert.equal(
      await snapshot('denied', 'Read .env', false),
      `- 'group "Permission: Read .env"': Read .env Denied by a workspace rule “files **/.env”`,
    );
    const status = chat.page.getByRole('group', { name: 'Tool: Read .env' }).getByRole('status');
    assert.equal(await status.innerText(), 'Rejected');
  });

  it('shows the answer in one line, even if the tool call has a shorter title now', async () => {
    const title = '/home/me/projects/a-long-name/packages/app/src/notes.txt';
    const [prompt, begun, question] = asked;
    assert.ok(prompt && begun?.type === 'toolStarted' && question?.type === 'permissionAsked');
    const chosen = {
      type: 'permissionAnswered',
      entry: 2,
      outcome: { type: 'selected', optionId: 'once' },
      at: NOON,
    } as const;
    const lines = [];
    for (const patch of [{ title: 'notes.txt' }, { title: 'Write it' }]) {
      const step: Action = { ...begun, patch: { title: patch.title, tool: 'edit' } };
      chat = await ChatPage.with([prompt, step, { ...question, title }, chosen], { width: 300 });
      const line = chat.page.getByRole('group', { name: `Permission: ${title}` });
      lines.push([(await line.boundingBox())?.height ?? 0, (await line.locator('.permission-title').count()) > 0]);
      await chat.close();
    }
    const [[short, isRepeated], [other, isSaid]] = lines as [[number, boolean], [number, boolean]];
    assert.ok(short < 30 && other < 30, `${short} and ${other} pixels`);
    assert.deepEqual([isRepeated, isSaid], [false, true]);
    chat = await ChatPage.with([]);
  });

  it('shows the result of a request that was not answered', async () => {
    assert.equal(
      await snapshot('canceled', 'npm test', false),
      `- 'group "Permission: npm test"': "npm test Canceled: window reloaded"`,
    );
  });

  it('ignores early answers again when the request above it disappears', async () => {
    chat = await ChatPage.with([
      ...asked,
      { type: 'permissionAsked', permissionId: 'p2', tool: 1, title: 'Second', options, at: NOON },
    ]);
    const second = chat.page
      .getByRole('group', { name: 'Permission: Second' })
      .getByRole('button', { name: 'Reject', exact: true });
    await second.and(chat.page.locator(':not([aria-disabled="true"])')).waitFor();
    const button = await second.elementHandle();
    // In the page: the half second is over before a question from here arrives on a busy machine.
    const early = button?.evaluate(
      (element) =>
        new Promise<void>((done) => {
          new MutationObserver((_, observer) => {
            if (element.getAttribute('aria-disabled') !== 'true') return;
            observer.disconnect();
            (element as HTMLElement).click();
            done();
          }).observe(element, { attributes: true });
        }),
    );
    await chat.act({ type: 'permissionAnswered', entry: 2, outcome: { type: 'selected', optionId: 'no' }, at: NOON });
    await early;
    assert.deepEqual(await chat.intents(), []);
    await second.click();
    assert.deepEqual(await chat.intents(), [{ type: 'answerPermission', permissionId: 'p2', optionId: 'no' }]);
  });

  it('ignores digits in a text field of the group', async () => {
    chat = await ChatPage.with(asked);
    await ready();
    const stopped = await group().evaluate((card) => {
      const field = document.createElement('input');
      card.append(field);
      field.focus();
      return field.dispatchEvent(new KeyboardEvent('keydown', { key: '1', bubbles: true, cancelable: true }));
    });
    assert.equal(stopped, true);
    assert.deepEqual(await chat.intents(), []);
  });

  describe('a remembered answer', () => {
    const remembered = () => chat.page.getByRole('button', { name: 'Remembered for: Session' });
    const item = (name: string) => chat.page.getByRole('menuitemradio', { name: new RegExp(`^${name}`) });

    it('shows the rule and its duration, with a menu', async () => {
      assert.equal(
        await snapshot('remembered', 'npm test', false),
        [
          `- 'group "Permission: npm test"':`,
          '  - text: npm test Always allow… Remembered command npm test',
          `  - 'button "Remembered for: Session"': Session`,
          '  - button "Remember…"',
        ].join('\n'),
      );
      await remembered().click();
      assert.equal(
        await chat.page.getByRole('menu').ariaSnapshot(),
        [
          '- menu "Remember for":',
          '  - menuitemradio "Session In this session, until the window is closed" [checked]',
          '  - menuitemradio "Workspace In all sessions in this workspace"',
          '  - menuitemradio "Everywhere In all workspaces"',
        ].join('\n'),
      );
      assert.ok(await item('Everywhere').isVisible());
      await item('Workspace').click();
      assert.deepEqual(await chat.intents(), [{ type: 'rememberPermission', permissionId: 'p1', scope: 'workspace' }]);
      await chat.act({
        type: 'permissionRemembered',
        entry: 2,
        remembered: { scope: 'workspace', rules: ['command npm test'] },
      });
      await chat.page.getByRole('button', { name: 'Remembered for: Workspace' }).waitFor();
    });

    it('can become another rule, like a single approval', async () => {
      await snapshot('remembered', 'npm test', false);
      await chat.page.getByRole('button', { name: 'Remember…' }).click();
      assert.deepEqual(await chat.intents(), [{ type: 'rememberRule', permissionId: 'p1' }]);
      await chat.close();
      await snapshot('answered', 'npm test', false);
      const button = chat.page.getByRole('button', { name: 'Remember…' });
      await button.focus();
      await chat.page.keyboard.press('Enter');
      assert.deepEqual(await chat.intents(), [{ type: 'rememberRule', permissionId: 'p1' }]);
    });

    it('can be changed by keyboard alone', async () => {
      await snapshot('remembered', 'npm test', false);
      await remembered().focus();
      await chat.page.keyboard.press('ArrowDown');
      assert.equal(await item('Session').evaluate((element) => element === document.activeElement), true);
      await chat.page.keyboard.press('Escape');
      assert.equal(await chat.page.getByRole('menu').count(), 0);
      assert.equal(await remembered().evaluate((element) => element === document.activeElement), true);
      await chat.page.keyboard.press('Enter');
      await chat.page.keyboard.press('End');
      await chat.page.keyboard.press('Enter');
      assert.deepEqual(await chat.intents(), [{ type: 'rememberPermission', permissionId: 'p1', scope: 'everywhere' }]);
      assert.equal(await remembered().evaluate((element) => element === document.activeElement), true);
    });

    it('of an earlier window shows the current rule, without a menu', async () => {
      await snapshot('remembered', 'npm test', false);
      const rules = ['command npm test'];
      await chat.act({ type: 'permissionRemembered', entry: 2, remembered: { scope: 'workspace', rules, past: true } });
      const card = chat.page.getByRole('group', { name: 'Permission: npm test' });
      assert.match(await card.innerText(), /Remembered\s+command npm test\s+Workspace/);
      assert.equal(await card.getByRole('button').count(), 0);
      const note = 'This answer was remembered until the window was closed.';
      await chat.act({
        type: 'permissionRemembered',
        entry: 2,
        remembered: { scope: 'session', rules: [], note, past: true },
      });
      await card.getByText(note).waitFor();
      assert.equal(await card.getByRole('button').count(), 0);
    });

    it('stays the same if the same scope is selected again, or the user clicks elsewhere', async () => {
      await snapshot('remembered', 'npm test', false);
      await remembered().click();
      await item('Session').click();
      await remembered().click();
      await chat.box.click();
      assert.equal(await chat.page.getByRole('menu').count(), 0);
      assert.deepEqual(await chat.intents(), []);
    });
  });

  it('is scrolled into view and focused on request of the host, without focusing an option', async () => {
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

  it('is also scrolled into view in a page that is still loading', async () => {
    chat = await ChatPage.open({ isJoined: false });
    const state = asked.reduce(reduce, chat.state);
    await chat.postTogether({ type: 'snapshot', seq: asked.length, state, environment }, { type: 'reveal', entry: 2 });
    await chat.page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Permission: Install');
  });

  it('shows a plan once, even if the agent also sends it as content, beside other content', async () => {
    const plan = 'Retry uploads';
    for (const [text, isFolded] of [
      [`${plan}\n`, true],
      ['Something else', false],
    ] as const) {
      const content = [{ type: 'block', block: { type: 'text', text } }] as const;
      chat = await ChatPage.with(asking('Ready to code?', { tool: 'switch_mode', rawInput: { plan }, content }));
      const input = chat.page.locator('.question details.raw-value');
      await input.waitFor();
      assert.equal((await input.getAttribute('open')) === null, isFolded, text);
      assert.equal(await chat.page.locator('.question p', { hasText: plan }).count(), isFolded ? 1 : 0);
      if (isFolded) await chat.close();
    }
  });

  it('shows what else the answer to a plan allows, unfolded', async () => {
    const rawInput = { plan: 'Fix it', allowedPrompts: [{ tool: 'Bash', prompt: 'run any command' }] };
    chat = await ChatPage.with(asking('Ready to code?', { tool: 'switch_mode', rawInput }));
    assert.equal(await chat.page.locator('.question details.raw-value').getAttribute('open'), '');
    await chat.page.locator('.question').getByText('run any command').waitFor();
  });

  it('opens a pending plan for editing if it can be rejected', async () => {
    chat = await ChatPage.with(states['plan'] ?? []);
    await chat.button('Edit Plan').press('Enter');
    assert.deepEqual(await chat.intents(), [{ type: 'editPlan', permissionId: 'p1' }]);
    const [allow] = options;
    const only = (states['plan'] ?? []).map((action) =>
      action.type === 'permissionAsked' && allow ? { ...action, options: [allow] } : action,
    );
    await chat.close();
    chat = await ChatPage.with(only);
    await chat.page.getByRole('heading', { name: 'Retry uploads' }).waitFor();
    assert.equal(await chat.button('Edit Plan').count(), 0);
  });

  it('rejects with a reason, and goes back on Escape', async () => {
    chat = await ChatPage.with(asked, { width: 300 });
    await ready();
    await option('Reject and Explain…').press('Enter');
    const reason = group().getByRole('textbox', { name: 'Reason' });
    assert.equal(await reason.evaluate((element) => getComputedStyle(element).resize), 'none');
    await reason.fill('1');
    await reason.press('Escape');
    assert.equal(await reason.count(), 0);
    assert.deepEqual(await chat.intents(), []);
    await option('Reject and Explain…').click();
    await reason.fill('use pnpm');
    // No digit answers now, and the buttons have no hole for it.
    const offCenter = await group()
      .locator('.button')
      .evaluateAll((all) =>
        all.filter((each) => {
          const [around, name] = [each, each.querySelector('bdi')!].map((one) => one.getBoundingClientRect());
          return Math.abs(name!.left + name!.right - around!.left - around!.right) > 2;
        }),
      );
    assert.equal(offCenter.length, 0);
    const [box, row] = await Promise.all([reason.boundingBox(), group().locator('.buttons').boundingBox()]);
    assert.equal(box?.width, row?.width, 'a line of its own');
    await reason.press('Enter');
    assert.deepEqual(await chat.intents(), [{ type: 'rejectAndExplain', permissionId: 'p1', reason: 'use pnpm' }]);
  });
});

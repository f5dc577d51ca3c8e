import assert from 'node:assert/strict';
import { isObject } from '../../src/base/json';
import type { Action } from '../../src/shared/state/sessionActions';
import { ChatPage, environment } from './harness';
import { NOON, beside, commands, midTurn, reviewed, selectors } from './sample';

const at = NOON;

/** Hostile values for names, titles and other texts. */
const EVIL =
  'x\u202egnp.exe\u2066\u200b\u0007 <img src="https://evil.test/a" onerror="alert(1)"> [y](command:workbench.action.quit) ![z](https://evil.test/z.png) $(trash)';

/** Fields that are identifiers; users see the values of all other fields. */
const WORDS = new Set([
  'type',
  'kind',
  'status',
  'mode',
  'severity',
  'role',
  'source',
  'format',
  'toolCallId',
  'terminalId',
  'permissionId',
  'optionId',
  'elicitationId',
  'diffId',
  'planId',
  'compactionId',
  'messageId',
  'sessionId',
  'id',
  'key',
  'tool',
  'data',
  'mimeType',
  'undoId',
  'activity',
  'remedies',
]);

/** The same actions with hostile text appended to every visible field. */
function poisoned<T>(value: T, field = ''): T {
  if (typeof value === 'string') return (WORDS.has(field) ? value : `${EVIL} ${value}`) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => poisoned(item, field)) as T;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, poisoned(item, name)])) as T;
}

const asks: readonly Action[] = [
  {
    type: 'elicitationAsked',
    elicitationId: 'e1',
    agent: 'Claude',
    message: 'Who are you?',
    at,
    question: {
      mode: 'form',
      title: 'About you',
      description: 'All of it',
      fields: [
        { key: 'a', label: 'Name', description: 'Yours', required: true, type: 'text', initial: 'me' },
        {
          key: 'b',
          label: 'One',
          required: false,
          type: 'choice',
          choices: [{ value: 'x', label: 'X', description: 'y' }],
        },
        { key: 'c', label: 'Many', required: false, type: 'choices', choices: [{ value: 'x', label: 'X' }] },
      ],
    },
  },
  {
    type: 'elicitationAsked',
    elicitationId: 'e2',
    agent: 'Claude',
    message: 'Open this',
    at,
    question: { mode: 'url', url: 'https://pay.test/', host: 'pay.test', warning: 'odd' },
  },
  { type: 'planUpdated', plan: { planId: 'p', kind: 'file', uri: 'file:///plan.md' } },
  { type: 'planUpdated', plan: { planId: 'q', kind: 'markdown', text: 'A plan' } },
  { type: 'compactionStarted', compactionId: 'c', patch: { text: 'short', status: 'failed', error: 'no' }, at },
  { type: 'relayStarted', messageId: 'r', patch: { text: 'hello', from: 'one', to: 'two' }, at },
  { type: 'subagentStarted', sessionId: 's', patch: { title: 'Child', description: 'does', canStop: true }, at },
  { type: 'usageChanged', usage: { used: 5, size: 10, cost: { amount: 1, currency: 'EUR' } } },
  { type: 'blockAppended', role: 'agent', block: { type: 'link', uri: 'https://x.test', name: 'n', title: 't' }, at },
  { type: 'blockAppended', role: 'agent', block: { type: 'resource', uri: 'file:///x', text: 'content' }, at },
  {
    type: 'blockAppended',
    role: 'agent',
    block: { type: 'image', data: 'AAAA', mimeType: 'image/svg+xml', uri: 'u' },
    at,
  },
  { type: 'blockAppended', role: 'agent', block: { type: 'raw', value: { a: 'b' } }, at },
  { type: 'rawReceived', label: 'odd', value: { a: ['b'] }, at },
  { type: 'errorShown', message: 'broken', detail: 'why', remedies: ['retry'], at },
];

describe('hostile text in the page', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  async function open(actions: readonly Action[]): Promise<string[]> {
    chat = await ChatPage.open({ width: 700, isJoined: false });
    const asked: string[] = [];
    chat.page.context().on('request', (request) => asked.push(request.url()));
    chat.page.on('websocket', (socket) => asked.push(socket.url()));
    chat.page.context().on('page', (page) => asked.push(`window ${page.url()}`));
    await chat.snapshot([], poisoned(environment));
    await chat.act(...actions);
    return asked;
  }

  /** Nothing was loaded, run, opened or blocked; the page contains no active content. */
  async function assertHarmless(asked: readonly string[]): Promise<void> {
    // Fonts are those of the tests.
    const places = ['/dist/', '/fonts/'].map((folder) => new URL(folder, chat.url).href);
    const own = (url: string): boolean => ['data:', ...places].some((place) => url.startsWith(place));
    assert.deepEqual(
      asked.filter((url) => !own(url)),
      [],
    );
    assert.deepEqual([chat.dialogs, chat.strangers, chat.pageErrors, await chat.violations()], [[], [], [], []]);
    assert.equal(chat.page.url(), chat.url);
    assert.deepEqual(await chat.page.evaluate(activeElements), []);
    await assertWatched(asked);
  }

  /** The observation works: attempts of the page are detected. Otherwise all tests above would pass without detecting anything. */
  async function assertWatched(asked: readonly string[]): Promise<void> {
    await chat.page.evaluate(
      () =>
        new Promise<void>((done) => {
          const image = new Image();
          image.addEventListener('error', () => done());
          image.src = 'https://control.test/beacon.png';
        }),
    );
    const blocked = await chat.violations();
    assert.ok(
      blocked.some((violation) => violation.includes('control.test')) ||
        asked.some((url) => url.includes('control.test')),
    );
  }

  it('is shown as plain text in every name, title, label and value', async () => {
    const actions = [...midTurn(at), ...beside(at), ...reviewed(at), ...asks].map((action) => poisoned(action));
    const asked = await open(actions);
    await chat.page.evaluate(() => {
      for (const folded of document.querySelectorAll<HTMLElement>('#root [aria-expanded="false"]')) folded.click();
    });
    await chat.frame();
    await assertHarmless(asked);
    assert.deepEqual(await chat.page.evaluate(hiddenCharacters), []);
    // It can still be read.
    assert.ok((await chat.log.textContent())?.includes('gnp.exe'));
    const intents = (await chat.intents()).map(({ type }) => type);
    assert.ok(
      !intents.some((type) => ['answerPermission', 'answerElicitation', 'send', 'openElicitation'].includes(type)),
    );
  });

  it('is shown as plain text in requests, lists, completions and sign-in', async () => {
    const asked = await open(
      poisoned([
        { type: 'selectorsChanged', selectors },
        { type: 'commandsChanged', commands },
        { type: 'promptSent', text: 'go', blocks: [], at },
        {
          type: 'toolStarted',
          toolCallId: 't',
          patch: { title: 'Run', tool: 'execute', rawInput: { command: 'ls' } },
          at,
        },
        {
          type: 'permissionAsked',
          permissionId: 'p',
          tool: 1,
          title: 'Run ls',
          why: 'no rule',
          destructive: 'removes',
          options: [{ optionId: 'o', name: 'Allow', kind: 'allow_once' }],
          at,
        },
        ...asks.slice(0, 2),
      ] satisfies Action[]),
    );
    assert.deepEqual(await chat.page.evaluate(hiddenCharacters), []);
    for (const box of await chat.page.getByRole('combobox').all()) {
      await box.click();
      assert.deepEqual(await chat.page.evaluate(hiddenCharacters), []);
      await chat.page.keyboard.press('Escape');
    }
    await chat.box.fill('/');
    await chat.frame();
    assert.deepEqual(await chat.page.evaluate(hiddenCharacters), []);
    await chat.box.fill('');
    const methods = [{ id: 'm', name: 'Log in', description: 'here', type: 'agent' as const }];
    await chat.act(
      poisoned<Action>({
        type: 'connectionChanged',
        connection: { status: 'signIn', message: 'Sign in', methods, detail: 'd', error: 'e' },
      }),
    );
    assert.deepEqual(await chat.page.evaluate(hiddenCharacters), []);
    await chat.act(
      poisoned({ type: 'connectionChanged', connection: { status: 'failed', message: 'Gone', detail: 'd' } }),
    );
    assert.deepEqual(await chat.page.evaluate(hiddenCharacters), []);
    await assertHarmless(asked);
  });

  it('is never cut in a narrow chat where a user makes a decision', async () => {
    const long = `/nowhere/${'workbench.action.files.'.repeat(8)}`;
    chat = await ChatPage.with(
      [
        { type: 'promptSent', text: 'go', blocks: [], at },
        { type: 'noticeShown', severity: 'warning', title: long, text: long, at },
        {
          type: 'toolStarted',
          toolCallId: 't',
          patch: { title: long, tool: 'execute', rawInput: { command: long } },
          at,
        },
        { type: 'permissionAsked', permissionId: 'p', tool: 2, title: long, why: long, options: [], at },
      ],
      { width: 300 },
    );
    await chat.page.locator('.why').waitFor();
    assert.deepEqual(await chat.page.evaluate(cutOff), []);
  });

  it('is sent to the host only as the URL of a link, for any click', async () => {
    const targets = [
      'javascript:alert(1)',
      'command:workbench.action.quit',
      'vscode://x/y',
      'file:///etc/passwd',
      '//evil.test',
      'https://evil.test',
    ];
    const text = targets.map((target, index) => `[link ${index}](${target})`).join('\n\n');
    const asked = await open([
      { type: 'promptSent', text: 'go', blocks: [], at },
      { type: 'textAppended', role: 'agent', text, at },
      { type: 'turnEnded', stopReason: 'end_turn', at },
    ]);
    for (const index of targets.keys()) {
      const link = chat.page.getByText(`link ${index}`, { exact: true });
      await link.click({ button: index % 2 === 0 ? 'left' : 'middle' });
      await link.click({ modifiers: ['ControlOrMeta'] });
    }
    for (const intent of await chat.intents()) assert.ok(intent.type === 'openLink' && targets.includes(intent.href));
    await assertHarmless(asked);
  });

  for (const [name, text] of [
    ['ten thousand quotes inside one another', `${'> '.repeat(10_000)}deep`],
    ['ten thousand lists inside one another', `${'- '.repeat(10_000)}deep`],
    [
      'lists that each begin one step further',
      Array.from({ length: 400 }, (_, level) => `${'  '.repeat(level)}- deep`).join('\n'),
    ],
    ['fifty thousand brackets', `${'['.repeat(50_000)}deep${']'.repeat(50_000)}`],
    ['fifty thousand emphases', `${'*a _b '.repeat(25_000)}deep`],
    [
      'fifty thousand backticks of all lengths',
      `${Array.from({ length: 300 }, (_, length) => `${'`'.repeat(length)} `).join('')}deep`,
    ],
    ['a line of four megabytes', `${'word '.repeat(838_000)}deep`],
    ['a word of four megabytes', `${'x'.repeat(4_190_000)} deep`],
    [
      'a table of 4,000 rows and 50 columns',
      `|${' a |'.repeat(50)}\n|${'-|'.repeat(50)}\n${`|${' b |'.repeat(50)}\n`.repeat(4_000)}\ndeep`,
    ],
    [
      'a hundred thousand definitions',
      `${Array.from({ length: 100_000 }, (_, index) => `[l${index}]: https://x.test/${index}\n`).join('')}\ndeep`,
    ],
  ] as const) {
    it(`does not stop the page: ${name}`, async () => {
      const asked = await open([
        { type: 'promptSent', text: 'go', blocks: [], at },
        { type: 'textAppended', role: 'agent', text, at },
        { type: 'turnEnded', stopReason: 'end_turn', at },
      ]);
      // The page still takes input, and finally renders all of the text.
      await chat.box.fill('still here');
      assert.equal(await chat.box.inputValue(), 'still here');
      // Not in every frame, because the check itself is slow. Without its own timeout: the test's timeout is the limit.
      await chat.page.waitForFunction(
        () => document.querySelector('[role=log]')?.textContent.includes('deep') ?? false,
        undefined,
        { polling: 250, timeout: 0 },
      );
      await assertHarmless(asked);
    });
  }
});

/** Runs in the page: elements that could act without the user. Our forms have role and label; images are data URLs. */
function activeElements(): string[] {
  const forbidden =
    'script, iframe, object, embed, link, meta, base, style, math, foreignObject, a[href], [style*="url"], [srcdoc]';
  return [...document.querySelectorAll('#root *')]
    .filter(
      (element) =>
        element.matches(forbidden) ||
        (element.matches('img, source, video, audio') &&
          !(element.getAttribute('src') ?? 'data:').startsWith('data:')) ||
        (element.matches('form') && element.hasAttribute('action')) ||
        [...element.attributes].some(({ name }) => name.startsWith('on')),
    )
    .map((element) => element.outerHTML.slice(0, 200));
}

/** Runs in the page: texts, labels and titles with bidirectional or invisible characters. */
function hiddenCharacters(): string[] {
  // oxlint-disable-next-line no-control-regex -- the pattern searches for them
  const hidden = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
  const found: string[] = [];
  const describe = (element: Element | null, what: string): number =>
    found.push(`${element?.closest('[class]')?.getAttribute('class') ?? ''} ${what}`);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (hidden.test(node.nodeValue ?? '')) describe(node.parentElement, 'text');
  }
  for (const element of document.querySelectorAll('*')) {
    for (const name of ['aria-label', 'title', 'alt', 'placeholder', 'aria-description']) {
      if (hidden.test(element.getAttribute(name) ?? '')) describe(element, name);
    }
  }
  return [...new Set(found)];
}

/** Runs in the page: notices and reasons whose text is cut off at the side of the conversation. */
function cutOff(): string[] {
  const side = document.querySelector('[role=log]')?.getBoundingClientRect().right ?? 0;
  return [...document.querySelectorAll('.why, .notice, .question-title')].flatMap((element) => {
    const text = document.createRange();
    text.selectNodeContents(element);
    const { right } = text.getBoundingClientRect();
    return right > side + 1 ? [`${element.className} ends at ${right} of ${side}`] : [];
  });
}

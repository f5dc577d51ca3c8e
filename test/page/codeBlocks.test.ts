import assert from 'node:assert/strict';
import { createDeferred } from '../../src/base/async';
import type { Action } from '../../src/shared/state/sessionActions';
import { reduce } from '../../src/shared/state/sessionReducer';
import type { SessionState } from '../../src/shared/state/sessionState';
import { emptySession } from '../../src/shared/state/sessionState';
import { eventually } from '../kit/waiting';
import { ChatPage, environment } from './harness';
import { NOON, diff } from './sample';

const agentTurn = (text: string): readonly Action[] => [
  { type: 'promptSent', text: 'go', blocks: [], at: NOON },
  { type: 'textAppended', role: 'agent', text, at: NOON },
  { type: 'turnEnded', stopReason: 'end_turn', at: NOON },
];

const CODE = '```ts src/a.ts\nexport const a = 1;\n```\n';

declare function idleMoments(count: number): Promise<void>;

/** Runs in the page: idle callbacks run only when the test triggers them. */
function holdIdleMoments(): void {
  let waiting: IdleRequestCallback[] = [];
  const requestIdleCallback = (callback: IdleRequestCallback): number => waiting.push(callback);
  const idleMoments = async (count: number): Promise<void> => {
    for (let moment = 0; moment < count; moment++) {
      const callbacks = waiting;
      waiting = [];
      for (const callback of callbacks) callback({ didTimeout: false, timeRemaining: () => 8 });
      await new Promise((resolve) => setTimeout(resolve));
    }
  };
  Object.assign(globalThis, { requestIdleCallback, idleMoments });
}

/** Including elements that are no longer in a document. */
async function buttonsInMemory({ page }: ChatPage): Promise<number> {
  const client = await page.context().newCDPSession(page);
  await client.send('HeapProfiler.collectGarbage');
  const { result } = await client.send('Runtime.evaluate', { expression: 'HTMLButtonElement.prototype' });
  const { objects } = await client.send('Runtime.queryObjects', { prototypeObjectId: result.objectId ?? '' });
  const functionDeclaration = 'function () { return this.length; }';
  const count = { objectId: objects.objectId ?? '', functionDeclaration, returnByValue: true };
  const counted = await client.send('Runtime.callFunctionOn', count);
  await client.detach();
  return Number(counted.result.value);
}

describe('code blocks', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  it('have a toolbar with one tab stop', async () => {
    chat = await ChatPage.with(agentTurn(CODE));
    const toolbar = chat.page.getByRole('toolbar', { name: 'Code' });
    assert.equal(
      await toolbar.ariaSnapshot(),
      [
        '- toolbar "Code":',
        '  - button "Copy"',
        '  - button "Insert at Cursor": Insert',
        '  - button "Apply to File": Apply',
        '  - button "Open in Editor"',
        '  - button "Wrap Lines"',
      ].join('\n'),
    );
    assert.equal(await toolbar.locator('[tabindex="-1"]').count(), 4);
    await chat.button('Copy').focus();
    for (const name of ['Insert at Cursor', 'Apply to File', 'Open in Editor', 'Wrap Lines', 'Copy']) {
      await chat.page.keyboard.press('ArrowRight');
      assert.equal(await chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label')), name);
    }
    await chat.page.keyboard.press('End');
    await chat.page.keyboard.press('Enter');
    assert.equal(await chat.button('Wrap Lines').getAttribute('aria-pressed'), 'true');
  });

  it('send the action, the code, and the info string of the fence to the host', async () => {
    chat = await ChatPage.with(agentTurn(CODE));
    for (const name of ['Copy', 'Insert at Cursor', 'Apply to File', 'Open in Editor']) await chat.button(name).click();
    const code = 'export const a = 1;\n';
    assert.deepEqual(await chat.intents(), [
      { type: 'copy', text: code },
      { type: 'insertCode', code },
      { type: 'applyCode', code, info: 'ts src/a.ts', links: [] },
      { type: 'openCode', code, info: 'ts src/a.ts' },
    ]);
  });

  it('show a Mermaid diagram where VS Code draws them', async () => {
    const code = 'graph LR; A --> B\n';
    chat = await ChatPage.with(agentTurn(`${CODE}\n\`\`\`mermaid\n${code}\`\`\`\n`));
    await chat.page.locator('.code-block').nth(1).waitFor();
    const show = chat.button('Show Diagram');
    assert.equal(await show.count(), 0);
    await chat.button('Wrap Lines').nth(1).focus();
    await chat.page.keyboard.press('ArrowRight');
    const focused = () => chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    assert.equal(await focused(), 'Copy');
    await chat.post({ type: 'environment', environment: { ...environment, diagrams: true } });
    await show.waitFor();
    assert.equal(await show.count(), 1);
    // Where neither the pointer nor the focus is, only this one is visible.
    await chat.box.focus();
    await chat.page.mouse.move(0, 0);
    const opacities = await show.evaluate((one) =>
      [...one.parentElement!.children].map((each) => getComputedStyle(each).opacity),
    );
    assert.deepEqual(opacities, ['1', '0', '0', '0', '0', '0']);
    assert.equal((await show.innerText()).trim(), 'Show Diagram');
    const [language, button] = [
      await chat.page.getByText('mermaid', { exact: true }).boundingBox(),
      await show.boundingBox(),
    ];
    assert.ok(language && button && button.x - language.x - language.width < 12, 'beside the language');
    await show.focus();
    await chat.page.keyboard.press('Enter');
    assert.deepEqual(await chat.intents(), [{ type: 'showDiagram', code }]);
    await chat.post({ type: 'environment', environment });
    await eventually(async () => assert.equal(await show.count(), 0));
  });

  it('wrap long lines on request', async () => {
    chat = await ChatPage.with(agentTurn(`\`\`\`\n${'word '.repeat(80)}\n\`\`\`\n`));
    const pre = chat.page.locator('.code-block pre');
    const isWide = (): Promise<boolean> => pre.evaluate((element) => element.scrollWidth > element.clientWidth);
    assert.equal(await isWide(), true);
    await chat.button('Wrap Lines').click();
    assert.equal(await isWide(), false);
    await chat.button('Wrap Lines').click();
    assert.equal(await isWide(), true);
  });

  it('are colored in languages whose grammars embed missing ones', async () => {
    chat = await ChatPage.with(agentTurn('```ruby\ndef go\n  a = <<~CPP\n    int main() {}\n  CPP\nend\n```\n'));
    await chat.page.locator('.code-line .tok-keyword', { hasText: 'def' }).waitFor();
    await chat.act(...agentTurn('```jsx\nconst a = <b>{1}</b>;\n```\n'));
    await chat.page.locator('.code-line .tok-keyword', { hasText: 'const' }).waitFor();
    assert.deepEqual(await chat.intents(), []);
  });

  it('are colored when they come near the view, in messages and in diffs', async () => {
    const edit = (at: number) =>
      ({
        type: 'toolStarted',
        toolCallId: `t${at}`,
        patch: { title: 'Edit', tool: 'edit', content: [diff] },
        at: NOON,
      }) as const;
    const turns = Array.from({ length: 30 }, (_, at) => [...agentTurn(CODE), edit(at)]);
    chat = await ChatPage.with(turns.flat());
    const coloured = (): Promise<number[]> =>
      chat.page.evaluate(() => {
        const nodes = [...(CSS.highlights.get('tok-keyword') ?? [])].map(({ startContainer }) => startContainer);
        const all = [...nodes.map((node) => node.parentElement), ...document.querySelectorAll('.tok-keyword')];
        const entries = all.map((element) => Number(element?.closest<HTMLElement>('[data-entry]')?.dataset['entry']));
        return [...new Set(entries)].sort((a, b) => a - b);
      });
    const slots = chat.page.locator('[data-entry]');
    const last = Number(await slots.last().getAttribute('data-entry'));
    await eventually(async () => assert.ok((await coloured()).includes(last), String(await coloured())));
    assert.ok(!(await coloured()).some((entry) => entry < last / 2), String(await coloured()));
    await chat.log.evaluate((log) => log.scrollTo(0, 0));
    await chat.button('Jump to latest').waitFor();
    await slots.first().evaluate((slot) => slot.scrollIntoView());
    for (const entry of [1, 2]) {
      await eventually(async () => assert.ok((await coloured()).includes(entry), String(await coloured())));
    }
  });

  it('do not keep a hidden conversation in memory while they wait for colors', async () => {
    chat = await ChatPage.with([]);
    const session = (id: string, blocks: number): SessionState =>
      agentTurn(CODE.repeat(blocks)).reduce(reduce, emptySession(id, { name: 'demo', title: 'Demo agent' }));
    await chat.post({ type: 'snapshot', seq: 0, state: session('first', 1), environment });
    await chat.page.locator('.tok-keyword').first().waitFor();
    await chat.page.evaluate(holdIdleMoments);
    await chat.post({ type: 'snapshot', seq: 0, state: session('long', 400), environment });
    await chat.page.waitForFunction(() => document.querySelectorAll('code[data-language]').length === 400);
    await chat.post({ type: 'snapshot', seq: 0, state: session('next', 1), environment });
    await chat.page.waitForFunction(() => document.querySelectorAll('code[data-language]').length === 1);
    await chat.page.evaluate(() => idleMoments(10));
    const left = await buttonsInMemory(chat);
    assert.ok(left < 400, `${left} buttons are left`);
  });

  it('are colored by the file name in the fence', async () => {
    chat = await ChatPage.with(agentTurn('```src/a.ts\nexport const a = 1;\n```\n'));
    await chat.page.locator('.code-line .tok-keyword').first().waitFor();
  });
});

describe('file references in texts', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  it('become links if the host finds the file', async () => {
    chat = await ChatPage.with(
      agentTurn(
        'See `src/a.ts:12`, lib/b.ts#L3-L7 and `no/such.ts`.\n\n- in a list: README.md\n\n| x |\n| - |\n| c/d.py |\n',
      ),
    );
    const texts = ['src/a.ts', 'lib/b.ts', 'no/such.ts', 'README.md', 'c/d.py'];
    await eventually(async () => {
      const asked = (await chat.sent()).flatMap((message) => (message.type === 'findPlaces' ? message.texts : []));
      assert.deepEqual(asked, texts);
    });
    const found = texts.filter((text) => text !== 'no/such.ts').map((text) => ({ text, path: `/work/${text}` }));
    await chat.post({ type: 'places', asked: texts, found });
    await eventually(async () => {
      const links = await chat.page.getByRole('link').allInnerTexts();
      assert.deepEqual(links, ['src/a.ts:12', 'lib/b.ts#L3-L7', 'README.md', 'c/d.py']);
    });
    await chat.page.getByRole('link', { name: 'src/a.ts:12' }).click();
    await chat.page.getByRole('link', { name: 'lib/b.ts#L3-L7' }).press('Enter');
    assert.deepEqual(await chat.intents(), [
      { type: 'openFile', path: '/work/src/a.ts', line: 12 },
      { type: 'openFile', path: '/work/lib/b.ts', line: 3, lastLine: 7 },
    ]);
    assert.match(await chat.log.innerText(), /See src\/a\.ts:12, lib\/b\.ts#L3-L7 and no\/such\.ts\./);
  });

  it('are sent to the host once, and again after a turn', async () => {
    chat = await ChatPage.with(agentTurn('Will write `new.ts`.'));
    await chat.sentType('findPlaces');
    await chat.post({ type: 'places', asked: ['new.ts'], found: [] });
    await chat.act(...agentTurn('Wrote `new.ts`.'));
    assert.deepEqual(await chat.sentType('findPlaces', 2), { type: 'findPlaces', texts: ['new.ts'] });
    await chat.post({ type: 'places', asked: ['new.ts'], found: [{ text: 'new.ts', path: '/work/new.ts' }] });
    await eventually(async () => assert.equal(await chat.page.getByRole('link', { name: 'new.ts' }).count(), 2));
  });

  it('are sent to the host in requests that it accepts', async () => {
    const texts = Array.from({ length: 450 }, (_one, index) => `src/f${index}.ts`);
    const paragraphs = texts.map((text, index) => text + (index % 50 === 49 ? '\n\n' : ' '));
    chat = await ChatPage.with(agentTurn(paragraphs.join('')));
    await eventually(async () => {
      const requests = (await chat.sent()).filter(({ type }) => type === 'findPlaces');
      const asked = requests.map((message) => (message.type === 'findPlaces' ? message.texts : []));
      assert.deepEqual(asked.flat(), texts);
      assert.ok(Math.max(...asked.map(({ length }) => length)) <= 200, 'the host refuses longer requests');
    });
  });

  it('belong to the shown session, not to the previous one', async () => {
    chat = await ChatPage.with(agentTurn('See `a.ts`.'));
    await chat.sentType('findPlaces');
    const found = [{ text: 'a.ts', path: '/other/a.ts' }];
    const state = agentTurn('See `b.ts`, not `a.ts`.').reduce<SessionState>(reduce, emptySession('session-2'));
    await chat.post({ type: 'snapshot', seq: 0, state, environment });
    const answer = { type: 'places', asked: ['a.ts'], found } as const;
    // Before its request, and after the request for the same path in the folders of its own session.
    await chat.post(answer);
    assert.deepEqual(await chat.sentType('findPlaces', 2), { type: 'findPlaces', texts: ['b.ts', 'a.ts'] });
    await chat.post(answer);
    await chat.post({ type: 'places', asked: ['b.ts', 'a.ts'], found: [{ text: 'b.ts', path: '/work/b.ts' }] });
    await eventually(async () => assert.deepEqual(await chat.page.getByRole('link').allInnerTexts(), ['b.ts']));
  });

  it('stand in texts that are shown unparsed until the parser is loaded', async () => {
    chat = await ChatPage.open({ isJoined: false });
    const loaded = createDeferred<void>();
    await chat.page.route('**/markdownDocument-*.js', async (route) => {
      await loaded.promise;
      await route.continue();
    });
    await chat.page.reload();
    await chat.sentType('ready');
    await chat.snapshot(agentTurn('See **a** in\n`a.ts`.'));
    const answer = chat.page.getByRole('article', { name: 'Agent' });
    await answer.getByText('See **a** in').waitFor();
    loaded.resolve();
    await answer.locator('strong').waitFor();
    assert.equal((await answer.locator('.markdown').innerText()).replace(/\s/g, ' '), 'See a in a.ts.');
  });

  it('become links in texts that were drawn before the code for links was loaded', async () => {
    chat = await ChatPage.open({ isJoined: false });
    const loaded = createDeferred<void>();
    await chat.page.route('**/fileLinks-*.js', async (route) => {
      await loaded.promise;
      await route.continue();
    });
    await chat.page.reload();
    await chat.sentType('ready');
    await chat.snapshot(agentTurn('See `a.ts`.'));
    await chat.page.locator('code', { hasText: 'a.ts' }).waitFor();
    loaded.resolve();
    assert.deepEqual(await chat.sentType('findPlaces'), { type: 'findPlaces', texts: ['a.ts'] });
  });

  it('are ignored in code blocks and in links', async () => {
    chat = await ChatPage.with(agentTurn('[src/a.ts](https://a.test/)\n\n```\nsrc/b.ts\n```\n\nsrc/c.ts'));
    assert.deepEqual(await chat.sentType('findPlaces'), { type: 'findPlaces', texts: ['src/c.ts'] });
  });
});

describe('theme colors', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  it('apply to code, and to lines of a diff without changing their background', async () => {
    const edit = {
      type: 'toolStarted',
      toolCallId: 't',
      patch: { title: 'Edit', tool: 'edit', content: [diff] },
      at: NOON,
    } as const;
    chat = await ChatPage.open();
    await chat.snapshot([...agentTurn(CODE), edit], { ...environment, tokens: { keyword: '#ff8800' } });
    const keyword = chat.page.locator('.code-line .tok-keyword').first();
    await keyword.waitFor();
    assert.equal(await keyword.evaluate((element) => getComputedStyle(element).color), 'rgb(255, 136, 0)');
    const marked = (): Promise<string[]> =>
      chat.page.evaluate(() =>
        [...(CSS.highlights.get('tok-keyword') ?? [])].map((range) => {
          const { startContainer, startOffset, endOffset } = range;
          return startContainer.textContent?.slice(startOffset, endOffset) ?? '';
        }),
      );
    await eventually(async () => assert.ok((await marked()).includes('await'), String(await marked())));
    assert.equal(await chat.page.locator('.diff-lines [class*="tok-"]').count(), 0);
    await chat.post({ type: 'environment', environment });
    await chat.frame();
    assert.notEqual(await keyword.evaluate((element) => getComputedStyle(element).color), 'rgb(255, 136, 0)');
  });
});

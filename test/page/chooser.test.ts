import assert from 'node:assert/strict';
import { emptySession } from '../../src/shared/state/sessionState';
import { ChatPage, environment } from './harness';

const oneFolder = { roots: [{ path: '/w', name: 'w' }], initial: '/w' };

const found = [
  { name: 'gemini', title: 'Gemini CLI', description: '/opt/tools/bin/gemini --acp', known: 'gemini' },
  { name: 'goose', title: 'goose', description: `/home/me/${'very-long/'.repeat(20)}goose acp` },
];

describe('selecting an agent', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  it('offers configured agents, agents on this machine, and the registry', async () => {
    chat = await ChatPage.open();
    await chat.snapshot([], { ...environment, found: found.slice(0, 1) });
    assert.equal(
      await chat.log.ariaSnapshot(),
      `- log "Conversation":
  - heading "Parley" [level=2]
  - paragraph: Work with any Agent Client Protocol agent in VS Code.
  - paragraph: Review every step. Approve what runs.
  - group "Agents":
    - button "Claude claude-agent-acp"
  - group "Built in":
    - button "Demo agent Scripted. Requires no API key and no network." [pressed]
  - group "Found on this machine":
    - button "Gemini CLI /opt/tools/bin/gemini --acp"
  - button "Install Agent…"
  - button "Get Started"
  - group "Try asking":
    - button "Show me what you can do"`,
    );
    assert.deepEqual(await chat.violations(), []);
  });

  it('sends the selected action, also by keyboard', async () => {
    chat = await ChatPage.open();
    await chat.snapshot([], { ...environment, found });
    await chat.button('Gemini CLI /opt/tools/bin/gemini --acp').press('Enter');
    await chat.button('Install Agent…').click();
    assert.deepEqual(await chat.intents(), [{ type: 'addAgent', name: 'gemini' }, { type: 'installAgent' }]);
  });

  it('suggests prompts for the current editor, which fill the message box without sending', async () => {
    chat = await ChatPage.open();
    chat.state = emptySession('session-1', { name: 'claude', title: 'Claude' });
    const editor = { kind: 'active', uri: 'file:///w/a.ts', label: 'a.ts' } as const;
    const suggestions = (): Promise<string[]> =>
      chat.page.getByRole('group', { name: 'Try asking' }).getByRole('button').allInnerTexts();
    await chat.snapshot([], { ...environment, folders: oneFolder, editor });
    assert.deepEqual(await suggestions(), [
      'Find bugs in the open file',
      'Write tests for the open file',
      'Explain what this project does and how it is built',
    ]);
    const facts = { hasProblems: true, hasChanges: true };
    await chat.snapshot([], { ...environment, folders: oneFolder, editor, facts });
    assert.deepEqual(await suggestions(), [
      'Find and fix the problems reported in the editor',
      'Review my uncommitted changes',
      'Find bugs in the open file',
    ]);
    await chat.snapshot([], environment);
    assert.deepEqual(await suggestions(), ['Show me what you can do'], 'without a folder');
    await chat.snapshot([], { ...environment, folders: oneFolder, editor });
    await chat.button('Write tests for the open file').press('Enter');
    assert.equal(await chat.box.inputValue(), 'Write tests for the open file');
    assert.equal(await chat.box.evaluate((box) => box === document.activeElement), true);
    assert.equal((await chat.sent()).filter(({ type }) => type === 'send').length, 0);
  });

  it('starts scrolled to the top if it is longer than the page', async () => {
    chat = await ChatPage.open({ height: 300 });
    await chat.snapshot([], { ...environment, found });
    assert.equal(await chat.log.evaluate((log) => log.scrollHeight > log.clientHeight), true);
    assert.equal(await chat.log.evaluate((log) => log.scrollTop), 0);
    await chat.log.evaluate((log) => (log.scrollTop = log.scrollHeight));
    await chat.log.evaluate((log) => (log.scrollTop = 10));
    await chat.frame();
    assert.equal(await chat.button('Jump to latest').count(), 0);
  });

  it('offers the newest sessions instead of the introduction, and all of them', async () => {
    chat = await ChatPage.open();
    const recent = [
      { id: 's1', title: 'Retry uploads', agent: 'claude', description: 'Claude · 5 min' },
      { id: 's2', title: 'Of an agent that was removed', agent: 'gone', description: 'Gone · 2 d' },
    ];
    await chat.snapshot([], { ...environment, recent });
    const group = chat.page.getByRole('group', { name: 'Recent sessions' });
    assert.equal(
      await group.ariaSnapshot(),
      `- group "Recent sessions":
  - heading "Recent sessions Show all" [level=2]:
    - text: Recent sessions
    - button "Show all"
  - button "Retry uploads Claude · 5 min"
  - button "Of an agent that was removed Gone · 2 d"`,
    );
    assert.equal(await chat.log.getByText('Work with any Agent Client Protocol agent').count(), 0);
    await group.getByRole('button', { name: 'Retry uploads' }).click();
    await chat.button('Show all').click();
    assert.deepEqual(await chat.intents(), [{ type: 'openSession', id: 's1' }, { type: 'openSession' }]);
  });

  it('shows the whole title of a recent session, and its agent only where it has room', async () => {
    chat = await ChatPage.open({ width: 420 });
    const titled = (id: string, title: string) => ({
      id,
      title,
      agent: 'claude',
      description: 'Claude · 13 min · +5 −0 · Hello, show me',
    });
    const recent = [
      titled('s1', 'Tour of the demo'),
      titled('s2', 'Hello, show me what you can do with parley please'),
    ];
    await chat.snapshot([], { ...environment, recent });
    const rows = chat.page.getByRole('group', { name: 'Recent sessions' }).locator('.agent-choice');
    const shown = await rows.evaluateAll((all) =>
      all.map((row) => {
        const [title, note] = [row.querySelector('bdi')!, row.querySelector('.agent-choice-note')!];
        const text = document.createRange();
        text.selectNodeContents(title);
        return {
          // A fraction of a pixel less, and the browser shortens the text.
          isWhole: text.getBoundingClientRect().width <= title.getBoundingClientRect().width,
          hasNote: note.getBoundingClientRect().top < row.getBoundingClientRect().bottom,
        };
      }),
    );
    assert.deepEqual(shown, [
      { isWhole: true, hasNote: true },
      { isWhole: true, hasNote: false },
    ]);
  });

  it('offers presets before agents, and shows the selected one', async () => {
    chat = await ChatPage.open();
    const presets = [
      { name: '<b>Deep</b> work\u202e', agent: 'claude' },
      { name: 'Demo agent', agent: 'gone' },
    ];
    await chat.snapshot([], { ...environment, presets });
    const group = chat.page.getByRole('group', { name: 'Presets' });
    assert.deepEqual(await group.getByRole('button').allInnerTexts(), [
      '<b>Deep</b> work\\u{202e}\nClaude',
      'Demo agent\ngone (not available)',
    ]);
    const groups = await chat.log.getByRole('group').evaluateAll((all) => all.map((one) => one.ariaLabel));
    assert.deepEqual(groups, ['Presets', 'Agents', 'Built in', 'Try asking']);
    await group.getByRole('button', { name: 'Deep' }).press('Enter');
    await chat.act({ type: 'agentNamed', agent: { name: 'claude', title: 'Claude' } });
    await chat.act({ type: 'presetChosen', preset: { ...presets[0]! } });
    const pressed = chat.log.locator('[aria-pressed=true]');
    assert.deepEqual(await pressed.allInnerTexts(), ['<b>Deep</b> work\\u{202e}\nClaude']);
    assert.deepEqual(await chat.intents(), [{ type: 'choosePreset', name: presets[0]!.name }]);
    assert.deepEqual(await chat.violations(), []);
  });

  it('lists five presets, and all of them elsewhere', async () => {
    chat = await ChatPage.open();
    const presets = Array.from({ length: 6 }, (_, at) => ({ name: `Preset ${at}`, agent: 'claude' }));
    await chat.snapshot([], { ...environment, presets });
    const group = chat.page.getByRole('group', { name: 'Presets' });
    assert.equal(await group.getByRole('button', { name: 'Preset' }).count(), 5);
    await group.getByRole('button', { name: 'Show all' }).click();
    assert.deepEqual(await chat.intents(), [{ type: 'choosePreset' }]);
  });

  it('shows the icons of known agents, and a common one for the others', async () => {
    chat = await ChatPage.open();
    const agents = [...environment.agents, { name: 'mine', title: 'Mine', description: 'node mine.js' }];
    await chat.snapshot([], { ...environment, agents, found: [{ ...found[0]!, known: 'constructor' }] });
    const icons = chat.page.locator('.agent-choice .agent-icon');
    await icons.locator('svg path').waitFor();
    const kinds = await icons.evaluateAll((all) =>
      all.map((one) => (one.querySelector('svg') ? 'own' : (one.querySelector('.codicon') ?? one).className)),
    );
    assert.deepEqual(kinds, [
      'own',
      'codicon codicon-robot agent-icon',
      'codicon codicon-comment-discussion agent-icon',
      'codicon codicon-robot',
    ]);
    assert.deepEqual(await chat.violations(), []);
  });

  it('shows a line for each agent, with its command in the tooltip, and the whole sentence of the built-in one', async () => {
    for (const width of [300, 450, 900]) {
      chat = await ChatPage.open({ width });
      await chat.snapshot([], { ...environment, found });
      const choices = chat.page.locator('.agent-choice');
      const heights = await choices.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
      assert.deepEqual(heights.toSpliced(1, 1), [28, 28, 28], `${width}`);
      const sentence = chat.page.locator('.agent-choice-sentence');
      assert.equal(await sentence.evaluate((one) => one.scrollWidth <= one.clientWidth + 1), true, `${width}`);
      assert.equal((heights[1] ?? 0) > 28, width === 300, `${width}`);
      const titles = await choices.evaluateAll((all) => all.map((one) => one.getAttribute('title')));
      assert.deepEqual(titles.slice(2), [found[0]?.description, found[1]?.description]);
      assert.equal(titles[0], 'claude-agent-acp');
      if (width < 900) await chat.close();
    }
  });

  it('fits in a page of 900 by 600', async () => {
    chat = await ChatPage.open({ width: 900, height: 600 });
    chat.state = emptySession('session-1', { name: 'claude', title: 'Claude' });
    const editor = { kind: 'lines', uri: 'file:///w/a.ts', label: 'a.ts', lines: { first: 1, last: 9 } } as const;
    const more = ['codex', 'opencode', 'qwen'].map((name) => ({ name, title: name, description: `/opt/${name}` }));
    await chat.snapshot([], {
      ...environment,
      agents: [...environment.agents, { name: 'other', title: 'Other agent', description: 'other-acp' }],
      found: [...found, ...more],
      editor,
      trusted: false,
      whatsNew: '0.2',
    });
    for (const button of await chat.log.getByRole('button').all()) assert.equal(await button.isVisible(), true);
    const [high, seen] = await chat.log.evaluate((log) => [log.scrollHeight, log.clientHeight]);
    assert.ok(high !== undefined && seen !== undefined && high <= seen, `${high} pixels in ${seen}`);
  });

  it('says why the agent of the settings cannot be used, and when the demo agent answers, until an agent is selected', async () => {
    chat = await ChatPage.open();
    chat.state = emptySession('session-1');
    await chat.snapshot([], { ...environment, noAgent: { reason: 'The agent “tilde” cannot be used. No such path' } });
    const alert = chat.log.getByRole('alert');
    await alert.getByText('The agent “tilde” cannot be used. No such path').waitFor();
    await alert.getByRole('button', { name: 'Open Settings' }).click();
    assert.deepEqual(await chat.intents(), [{ type: 'openSettings' }]);
    await chat.snapshot([], { ...environment, noAgent: 'demo' });
    await chat.log.getByText('The demo agent, which is scripted, answers your messages.').waitFor();
    assert.equal(await alert.count(), 0);
    await chat.button('Show me what you can do').waitFor();
    chat.state = emptySession('session-1', { name: 'claude', title: 'Claude' });
    await chat.snapshot([], { ...environment, noAgent: 'demo' });
    await chat.log.getByText('demo agent, which is scripted').waitFor({ state: 'detached' });
  });

  it('keeps the order of agents after one is selected', async () => {
    chat = await ChatPage.open();
    chat.state = emptySession('session-1');
    await chat.snapshot();
    const places = () =>
      chat.page.locator('.agent-choice').evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().top));
    const before = await places();
    chat.state = emptySession('session-1', { name: 'claude', title: 'Claude' });
    await chat.snapshot();
    await chat.page.getByRole('group', { name: 'Try asking' }).waitFor();
    assert.deepEqual(await places(), before);
  });

  it('suggests nothing before an agent is selected', async () => {
    chat = await ChatPage.open();
    chat.state = emptySession('session-1');
    await chat.snapshot();
    assert.equal(await chat.page.getByRole('group', { name: 'Try asking' }).count(), 0);
  });

  it('shows a new version in one line until it is opened or closed, and links to the first steps', async () => {
    chat = await ChatPage.open();
    await chat.snapshot([], { ...environment, whatsNew: '0.2' });
    const note = chat.page.getByRole('note', { name: 'Update' });
    assert.equal(
      await note.ariaSnapshot(),
      '- note "Update":\n  - text: Parley was updated to 0.2.\n  - button "What’s new"\n  - button "Dismiss"',
    );
    await chat.button('What’s new').click();
    await chat.button('Dismiss').click();
    await chat.button('Get Started').click();
    assert.deepEqual(await chat.intents(), [
      { type: 'showNews' },
      { type: 'dismissNews' },
      { type: 'openWalkthrough' },
    ]);
    await chat.post({ type: 'environment', environment });
    await note.waitFor({ state: 'detached' });
  });

  it('adds agents as they are found, and keeps long paths within the page', async () => {
    chat = await ChatPage.open({ width: 260 });
    await chat.snapshot();
    const group = chat.page.getByRole('group', { name: 'Found on this machine' });
    assert.equal(await group.count(), 0);
    await chat.post({ type: 'environment', environment: { ...environment, found } });
    await group.waitFor();
    assert.equal(await group.getByRole('button').count(), 2);
    const wide = await chat.page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    assert.equal(wide, false);
    assert.equal(await group.getByRole('button').nth(1).getAttribute('title'), found[1]?.description);
  });
});

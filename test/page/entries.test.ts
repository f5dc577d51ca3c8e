import assert from 'node:assert/strict';
import type { ToolKind } from '../../src/shared/state/contentBlocks';
import type { Action } from '../../src/shared/state/sessionActions';
import type { ToolPatch } from '../../src/shared/state/toolCallState';
import { until } from '../kit/waiting';
import { ChatPage } from './harness';
import { NOON, diff, midTurn } from './sample';
import { calls } from './toolSample';

const prompt = { type: 'promptSent', text: 'go', blocks: [], at: NOON } as const;
const tool = (patch: ToolPatch): Action => ({ type: 'toolStarted', toolCallId: 't', patch, at: NOON });

describe('entries', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  it('shrink an error that was overcome to one line with the reason', async () => {
    const message = 'Fake stopped unexpectedly (exit code 7). Restart the agent.';
    chat = await ChatPage.with([
      prompt,
      { type: 'turnEnded', stopReason: 'error', at: NOON },
      { type: 'connectionChanged', connection: { status: 'exited' } },
      { type: 'errorShown', message, detail: 'boom', remedies: ['retry', 'restart', 'showLog'], at: NOON },
    ]);
    assert.equal(await chat.page.getByRole('alert').count(), 1);
    await chat.act({ type: 'connectionChanged', connection: { status: 'ready' } });
    assert.equal(await chat.page.getByRole('alert').count(), 0);
    const line = chat.page.getByRole('article', { name: 'Error' });
    await line.getByText('Fake stopped unexpectedly (exit code 7), restarted', { exact: true }).waitFor();
    assert.ok(((await line.boundingBox())?.height ?? 99) <= 28);
    await line.getByRole('button', { name: 'Retry' }).click();
    assert.deepEqual(await chat.intents(), [{ type: 'retry' }]);
    await line.locator('summary').click();
    await line.getByText('boom').waitFor();
    assert.equal(await line.getByRole('button', { name: 'Show Log' }).isVisible(), true);
  });

  it('open the error of a failed call, never its input, and say what a crash cut off', async () => {
    const failed = { tool: 'edit', status: 'failed', rawInput: { path: 'a' } } as const;
    chat = await ChatPage.with([
      prompt,
      { type: 'toolStarted', toolCallId: 'a', patch: { ...failed, title: 'One', rawOutput: 'No such text' }, at: NOON },
      {
        type: 'toolStarted',
        toolCallId: 'b',
        patch: { title: 'Two', tool: 'execute', status: 'running', rawInput: { command: 'npm test' } },
        at: NOON,
      },
      { type: 'turnEnded', stopReason: 'error', at: NOON },
    ]);
    const one = chat.page.getByRole('group', { name: 'Tool: One' });
    await one.getByText('No such text').waitFor();
    assert.equal(await one.locator('details', { hasText: 'Input' }).getAttribute('open'), null);
    const two = chat.page.getByRole('group', { name: 'Tool: Two' });
    assert.equal(await two.getByRole('status').innerText(), 'Interrupted');
    assert.equal(await two.getByText('Input').count(), 0);
  });

  it('say in one line when a turn was canceled', async () => {
    chat = await ChatPage.with([
      prompt,
      tool({ title: 'Read a.ts', tool: 'read', status: 'done' }),
      { type: 'turnEnded', stopReason: 'cancelled', at: NOON + 14_000 },
      // Stored while VS Code had another language.
      { type: 'noticeShown', severity: 'info', title: 'Abgebrochen', at: NOON + 14_000 },
    ]);
    const notice = chat.page.getByRole('article', { name: 'Notice' });
    assert.equal(await notice.innerText(), 'Canceled after 14 s\n1 tool call');
    assert.equal(await chat.page.getByText('14 s').count(), 1);
    assert.equal(await chat.page.getByRole('note', { name: 'Turn summary' }).count(), 0);
  });
  const aria = () => chat.log.ariaSnapshot();

  it('show a complete turn', async () => {
    chat = await ChatPage.with(midTurn(NOON));
    await chat.page.locator('.question .button:not([aria-disabled="true"])').first().waitFor();
    await chat.page.getByText('gives up after the deadline').waitFor();
    const text = (await aria()).replace(/(- text: )\d+ (?:h|min|s)\b.*$/m, '$1…').replaceAll(/\d\d:\d\d/g, 'hh:mm');
    assert.equal(text, MID_TURN);
    assert.deepEqual(await chat.violations(), []);
  });

  it('collapse long parts of a message, also by keyboard, and show them on request', async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`);
    const short = lines.slice(0, 15).join('\n');
    chat = await ChatPage.with([
      { ...prompt, text: short },
      { type: 'turnEnded', stopReason: 'end_turn', at: NOON },
      { ...prompt, text: lines.join('\n') },
      { type: 'turnEnded', stopReason: 'end_turn', at: NOON },
      { ...prompt, text: 'word '.repeat(1000) },
    ]);
    const [all, folded, words] = await chat.page.locator('.bubble').allInnerTexts();
    assert.equal(all, short);
    assert.equal(folded?.replaceAll(/\n+/g, '\n'), `${lines.slice(0, 12).join('\n')}…\nShow all`);
    assert.ok(words && words.length < 1300 && words.includes('…'), words);
    await chat.box.focus();
    for (let up = 0; up < 2; up++) await chat.page.keyboard.press('Shift+Alt+ArrowUp');
    await chat.page.keyboard.press('ArrowRight');
    const message = chat.page.locator('.bubble').nth(1);
    await message.getByRole('button', { name: 'Show less', expanded: true }).waitFor();
    assert.equal(await message.locator('p').innerText(), lines.join('\n'));
    await chat.page.keyboard.press('ArrowLeft');
    await message.getByRole('button', { name: 'Show all', expanded: false }).waitFor();
  });

  it('of the user are as wide as their text, at the end of the line', async () => {
    chat = await ChatPage.with([
      { ...prompt, text: 'edit' },
      { type: 'turnEnded', stopReason: 'end_turn', at: NOON },
      { ...prompt, text: 'word '.repeat(100) },
    ]);
    const [short, long] = await chat.page
      .locator('.bubble')
      .evaluateAll((all) =>
        all.map((each) => each.getBoundingClientRect()).map(({ width, right }) => ({ width, right })),
      );
    assert.ok(short && long && short.width < 80 && long.width > 300, JSON.stringify({ short, long }));
    assert.equal(short.right, long.right);
  });

  it('collapse a thought when it ends, and expand it by a click', async () => {
    const thought = { type: 'textAppended', role: 'thought', text: 'Hm, let me see.', at: NOON } as const;
    chat = await ChatPage.with([prompt, thought]);
    assert.equal(
      await chat.page.getByRole('article', { name: 'Thought' }).ariaSnapshot(),
      '- article "Thought":\n  - button "Thinking…" [expanded]\n  - paragraph: Hm, let me see.',
    );
    await chat.act({ type: 'textAppended', role: 'agent', text: 'Yes.', at: NOON + 6000 });
    assert.equal(
      await chat.page.getByRole('article', { name: 'Thought' }).ariaSnapshot(),
      '- article "Thought":\n  - button "Thought for 6 s"',
    );
    await chat.button('Thought for 6 s').click();
    assert.match(await chat.page.getByRole('article', { name: 'Thought' }).innerText(), /let me see/);
  });

  it('show the location of a call once, and only the line if the title contains the file', async () => {
    const locations = [{ path: '/workspace/a.ts', label: 'a.ts', line: 7 }];
    chat = await ChatPage.with([
      prompt,
      tool({ title: 'Read a.ts', tool: 'read', locations }),
      tool({ title: 'Read', tool: 'read', locations }),
    ]);
    await chat.page.getByRole('group', { name: 'Tool: Read a.ts' }).getByRole('button', { name: 'line 7' }).waitFor();
    await chat.page
      .getByRole('group', { name: 'Tool: Read', exact: true })
      .getByRole('button', { name: 'a.ts:7' })
      .waitFor();
  });

  it('show names first: titles relative to the workspace, the folder after the name', async () => {
    const locations = [{ path: '/workspace/src/deep/a.ts', label: 'src/deep/a.ts', line: 7 }];
    chat = await ChatPage.with([prompt, tool({ title: 'Read /workspace/src/deep/a.ts', tool: 'read', locations })]);
    const row = chat.page.getByRole('group', { name: 'Tool: Read src/deep/a.ts', exact: true });
    assert.deepEqual((await row.locator('.tool-row').innerText()).split(/\s*\n\s*/).slice(0, 2), [
      'Read a.ts',
      'line 7 · src/deep',
    ]);
  });

  describe('of consecutive reads', () => {
    const reads = (count: number, from = 0): Action[] =>
      Array.from({ length: count }, (_, at) => {
        const label = `src/file${from + at}.ts`;
        const locations = [{ path: `/work/${label}`, label }];
        const patch = { title: `Read ${label}`, tool: 'read', status: 'done', locations, rawInput: { label } } as const;
        return { type: 'toolStarted', toolCallId: `r${from + at}`, patch, at: NOON };
      });
    const running: Action = {
      type: 'toolStarted',
      toolCallId: 'running',
      patch: { title: 'Read last.ts', tool: 'read', status: 'running' },
      at: NOON,
    };
    const group = () => chat.page.getByRole('group', { name: /^Read \d+ files$/ });
    const tools = () => chat.page.getByRole('group', { name: /^Tool: Read / });

    it('become one that expands to all of them', async () => {
      chat = await ChatPage.with([prompt, ...reads(8), running]);
      assert.equal(await group().getAttribute('aria-label'), 'Read 8 files');
      assert.equal(await tools().count(), 1);
      await chat.act({ type: 'toolChanged', entry: 9, patch: { status: 'done' }, at: NOON });
      assert.equal(await group().getAttribute('aria-label'), 'Read 9 files');
      assert.equal(await tools().count(), 0);
      await chat.button('Read 9 files').press('Enter');
      assert.equal(await tools().count(), 9);
      await chat.page.getByRole('group', { name: 'Tool: Read src/file3.ts' }).waitFor();
      await chat.button('Read 9 files').press('Enter');
      assert.equal(await tools().count(), 0);
    });

    it('stay separate if they are few, failed, pending, or focused', async () => {
      const failed = { ...running, patch: { ...(running as { patch: ToolPatch }).patch, status: 'failed' } } as Action;
      chat = await ChatPage.with([prompt, ...reads(2), failed, ...reads(2, 2)]);
      assert.equal(await group().count(), 0);
      assert.equal(await tools().count(), 5);
      await chat.button('Read file3.ts').focus();
      await chat.act(...reads(1, 4));
      assert.equal(await chat.button('Read file3.ts').evaluate((button) => button === document.activeElement), true);
    });

    it('expand when one is revealed, and the turn summary follows them', async () => {
      chat = await ChatPage.with([prompt, ...reads(3), { type: 'turnEnded', stopReason: 'end_turn', at: NOON + 9000 }]);
      await chat.page.getByRole('note', { name: 'Turn summary' }).waitFor();
      assert.equal(await tools().count(), 0);
      await chat.post({ type: 'reveal', entry: 2 });
      await chat.page.locator('[data-entry="2"] .entry:focus').waitFor();
      assert.equal(await tools().count(), 3);
    });
  });

  it('name every kind and status of a tool call', async () => {
    const kinds = Object.keys(calls) as ToolKind[];
    const states = ['pending', 'running', 'done', 'failed', 'rejected', 'canceled'] as const;
    chat = await ChatPage.with([
      prompt,
      ...kinds.map((kind) => tool({ title: `Kind ${kind}`, tool: kind })),
      ...states.map((status) => tool({ title: `State ${status}`, status })),
      tool({ title: 'Kind of a later version', tool: 'dance' as ToolKind }),
    ]);
    const words = await chat.page.locator('.tool:has-text("State") [role=status]').allTextContents();
    assert.deepEqual(words, ['Pending', 'Running', 'Done', 'Failed', 'Rejected', 'Canceled']);
    const icons = await chat.page.locator('.tool-icon').evaluateAll((all) => all.map((icon) => icon.className));
    assert.equal(new Set(icons.slice(0, kinds.length)).size, kinds.length);
    assert.equal(icons.at(-1), icons[kinds.length - 1]);
  });

  it('show the output of a command in its card, without an empty first line', async () => {
    const told = { type: 'block', block: { type: 'text', text: 'It broke' } } as const;
    chat = await ChatPage.with([prompt, tool({ title: 'npm test', tool: 'execute', status: 'done', content: [told] })]);
    const card = chat.page.getByRole('group', { name: 'Output' });
    await card.getByText('It broke').waitFor();
    const outer = await card.boundingBox();
    const line = await card.locator('.ansi-line').boundingBox();
    assert.ok(outer && line && outer.height < 45);
    const above = line.y - outer.y;
    const below = outer.y + outer.height - line.y - line.height;
    assert.ok(Math.abs(above - below) <= 1, `${above} px above, ${below} px below`);
  });

  it('expand the input and output of a tool call', async () => {
    chat = await ChatPage.with([
      prompt,
      tool({
        title: 'Look',
        status: 'done',
        content: [
          { type: 'block', block: { type: 'text', text: 'Found **two**' } },
          { type: 'block', block: { type: 'raw', value: { type: 'hologram', size: 3 } } },
          { type: 'raw', value: { type: 'unheard-of' } },
        ],
        rawInput: { query: 'x' },
        rawOutput: ['a', 'b'],
      }),
    ]);
    const row = chat.page.getByRole('group', { name: 'Tool: Look' });
    assert.equal(await row.ariaSnapshot(), '- \'group "Tool: Look"\':\n  - button "Look"\n  - status: Done');
    await row.getByRole('button', { name: 'Look' }).click();
    await row.getByText('Found two').waitFor();
    const text = await row.innerText();
    for (const part of ['Found two', '"hologram"', '"unheard-of"', '"query": "x"', '"b"']) {
      assert.ok(text.includes(part), `${part} is missing in ${text}`);
    }
  });

  it('expand automatically when a tool call failed', async () => {
    chat = await ChatPage.with([
      prompt,
      tool({
        title: 'Try',
        status: 'failed',
        content: [{ type: 'block', block: { type: 'text', text: 'No such file' } }],
      }),
    ]);
    await chat.page.getByRole('group', { name: 'Tool: Try' }).getByText('No such file').waitFor();
  });

  it('show a diff, and open it and its file', async () => {
    chat = await ChatPage.with([prompt, tool({ title: 'Edit', tool: 'edit', status: 'done', content: [diff] })]);
    const card = chat.page.getByRole('group', { name: 'Diff: src/upload.ts' });
    assert.equal(await card.locator('ins mark').innerText(), 'retry(() => ');
    await card.getByRole('button', { name: 'Open Diff' }).click();
    await card.getByRole('button', { name: 'src/upload.ts' }).click();
    assert.deepEqual(await chat.intents(), [
      { type: 'openDiff', diffId: 'diff-1' },
      { type: 'openFile', path: '/work/src/upload.ts' },
    ]);
  });

  it('open the diff instead of a missing file when the name of a new file is clicked', async () => {
    const content = [{ ...diff, isNew: true }];
    const asked = tool({ title: 'Create', tool: 'edit', status: 'pending', content });
    chat = await ChatPage.with([prompt, asked, tool({ title: 'Created', tool: 'edit', status: 'done', content })]);
    for (const name of ['Create', 'Created']) {
      const card = chat.page.getByRole('group', { name: `Tool: ${name}`, exact: true });
      await card.getByRole('button', { name: 'src/upload.ts' }).click();
    }
    assert.deepEqual(await chat.intents(), [
      { type: 'openDiff', diffId: 'diff-1' },
      { type: 'openFile', path: '/work/src/upload.ts' },
    ]);
  });

  it('show the complete name of a new file at 300 pixels', async () => {
    const content = [{ ...diff, path: '/work/settings.md', label: 'settings.md', isNew: true }];
    const done = tool({ title: 'Create', tool: 'edit', status: 'done', content });
    const changed = {
      path: '/work/settings.md',
      label: 'settings.md',
      status: 'created',
      added: 3,
      removed: 0,
    } as const;
    const files = [{ ...changed, binary: false }];
    chat = await ChatPage.with([prompt, done, { type: 'changesChanged', changed: files, removed: [] }], { width: 300 });
    const card = chat.page.getByRole('group', { name: 'Diff: settings.md' });
    await card.getByRole('button', { name: 'Keep' }).waitFor();
    assert.equal(await card.locator('.path-name').evaluate((name) => name.scrollWidth > name.clientWidth), false);
  });

  it('show signs, edges and whole lines of a diff, before and after the answer', async () => {
    const text = 'The scripted demo agent wrote this file. Nothing needs it: it may be deleted at any time.';
    const long = { ...diff, hunks: [{ oldStart: 1, newStart: 1, lines: [{ type: 'added', text } as const] }] };
    chat = await ChatPage.with([prompt, tool({ title: 'Edit', status: 'done', content: [long] })], { width: 420 });
    const { cut, sign, words } = await chat.page.locator('.diff-lines').evaluate((lines) => {
      const left = (name: string): number =>
        lines.querySelector(name)!.getBoundingClientRect().left - lines.getBoundingClientRect().left;
      return { cut: lines.scrollWidth - lines.clientWidth, sign: left('.sign'), words: left('.line-text') };
    });
    assert.ok(cut <= 0 && sign >= 10 && words >= sign, `${cut}, ${sign}, ${words}`);
  });

  it('show all lines of a long diff on request', async () => {
    const lines = Array.from({ length: 90 }, (_, index) => ({ type: 'added', text: `line ${index}` }) as const);
    const long = { ...diff, hunks: [{ oldStart: 1, newStart: 1, lines }], added: 90, removed: 0 };
    chat = await ChatPage.with([prompt, tool({ title: 'Edit', content: [long] })]);
    assert.equal(await chat.page.locator('ins').count(), 40);
    await chat.button('Show all 90 lines').click();
    assert.equal(await chat.page.locator('ins').count(), 90);
  });

  it('show the number of a footnote before its first line', async () => {
    const text = 'Known[^1].\n\n[^1]: From the manual.\n';
    chat = await ChatPage.with([prompt, { type: 'textAppended', role: 'agent', text, at: NOON }]);
    const footnote = chat.page.locator('.md-footnote');
    const [number, line] = [await footnote.locator('sup').boundingBox(), await footnote.locator('p').boundingBox()];
    assert.ok(number && line && number.y < line.y + line.height && number.y + number.height > line.y);
  });

  it('show black terminal output in dark themes, unless it has a background', async () => {
    chat = await ChatPage.with([
      prompt,
      { type: 'terminalCreated', terminalId: 'x', command: 'make all', at: NOON },
      tool({ title: 'Build', tool: 'execute', status: 'running', content: [{ type: 'terminal', terminalId: 'x' }] }),
      { type: 'terminalOutput', terminalId: 'x', data: '\u001b[30mplain\u001b[42m label \u001b[0m\r\n' },
    ]);
    const color = (text: string) =>
      chat.page.getByText(text, { exact: true }).evaluate((span) => getComputedStyle(span).color);
    assert.notEqual(await color('plain'), 'rgb(0, 0, 0)');
    assert.equal(await color('label'), 'rgb(0, 0, 0)');
  });

  it('show a terminal while it runs, and its exit', async () => {
    chat = await ChatPage.with([
      prompt,
      { type: 'terminalCreated', terminalId: 'x', command: 'make all', at: Date.now() },
      tool({ title: 'Build', tool: 'execute', status: 'running', content: [{ type: 'terminal', terminalId: 'x' }] }),
      { type: 'terminalOutput', terminalId: 'x', data: 'cc a.c\r\n' },
    ]);
    const card = chat.page.getByRole('group', { name: 'Terminal: make all' });
    await card.getByText('cc a.c').waitFor();
    await card.getByRole('button', { name: 'Stop command' }).click();
    await card.getByRole('button', { name: 'Show in Terminal' }).click();
    assert.deepEqual(await chat.intents(), [
      { type: 'stopCommand', terminalId: 'x' },
      { type: 'showTerminal', terminalId: 'x' },
    ]);
    await chat.act(
      { type: 'terminalOutput', terminalId: 'x', data: 'cc b.c\r\n' },
      { type: 'terminalExited', terminalId: 'x', code: 2, at: Date.now() },
    );
    await card.getByText('cc b.c').waitFor();
    assert.match(await card.innerText(), /exit code 2[\s\S]*cc a\.c\s+cc b\.c/);
    const height = (): Promise<number> => card.evaluate((element) => element.clientHeight);
    const before = await height();
    await chat.act({ type: 'terminalOutput', terminalId: 'x', data: '\r\n \u001b[0m\r\n\r\n' });
    await card.locator('.ansi-end').nth(1).waitFor({ state: 'attached' });
    await card.getByRole('button', { name: 'Copy Output' }).click();
    await until(async () => (await chat.intents()).at(-1)?.type === 'copy');
    assert.deepEqual((await chat.intents()).at(-1), { type: 'copy', text: 'cc a.c\ncc b.c' });
    assert.equal(await height(), before, 'no empty lines at the end');
    await chat.act({ type: 'terminalOutput', terminalId: 'x', data: 'done\r\n' });
    await card.getByText('done').waitFor();
    assert.ok((await height()) > before + 50, 'empty lines in between');
    assert.equal(await card.getByRole('button', { name: 'Stop command' }).count(), 0);
  });

  it('show notices, errors with their actions, and unknown entries', async () => {
    chat = await ChatPage.with([
      prompt,
      { type: 'noticeShown', severity: 'info', title: 'Canceled', at: NOON },
      {
        type: 'errorShown',
        message: 'It broke',
        detail: 'stack',
        remedies: ['retry', 'restart', 'showLog', 'openSettings'],
        at: NOON,
      },
      { type: 'rawReceived', label: 'session/update: dance', value: { step: 1 }, at: NOON },
      { type: 'turnEnded', stopReason: 'end_turn', at: NOON },
    ]);
    await chat.page.getByRole('article', { name: 'Raw update' }).waitFor();
    assert.equal(await aria(), NOTICES);
    for (const name of ['Retry', 'Restart Agent', 'Show Log', 'Open Settings']) await chat.button(name).click();
    assert.deepEqual(
      (await chat.intents()).map((message) => message.type),
      ['retry', 'restartAgent', 'showLog', 'openSettings'],
    );
  });

  it('show the files of a notice one a line', async () => {
    const text = 'Why.\n\na file.txt\nb.txt';
    chat = await ChatPage.with([prompt, { type: 'noticeShown', severity: 'info', title: 'Git', text, at: NOON }]);
    assert.equal(await chat.page.getByText('a file.txt').innerText(), text);
  });

  it('offer Restart Agent only until the agent runs again', async () => {
    chat = await ChatPage.with([
      prompt,
      { type: 'connectionChanged', connection: { status: 'exited', code: 1 } },
      { type: 'errorShown', message: 'Fake exited (code 1).', remedies: ['restart', 'showLog'], at: NOON },
    ]);
    await chat.button('Restart Agent').waitFor();
    await chat.act({ type: 'connectionChanged', connection: { status: 'ready' } });
    assert.equal(await chat.button('Restart Agent').count(), 0);
    await chat.page.getByText('Fake exited (code 1).').click();
    await chat.button('Show Log').waitFor();
  });

  it('show images with embedded data, and chips for other images', async () => {
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    chat = await ChatPage.with([
      prompt,
      { type: 'blockAppended', role: 'agent', block: { type: 'image', data: pixel, mimeType: 'image/png' }, at: NOON },
      { type: 'blockAppended', role: 'agent', block: { type: 'image', data: 'x', mimeType: 'text/html' }, at: NOON },
      { type: 'blockAppended', role: 'agent', block: { type: 'audio', data: 'UklG', mimeType: 'audio/wav' }, at: NOON },
      { type: 'blockAppended', role: 'agent', block: { type: 'link', uri: 'https://a.test/b', name: 'b' }, at: NOON },
      {
        type: 'blockAppended',
        role: 'agent',
        block: { type: 'resource', uri: 'file:///a/b.txt', text: 'inside' },
        at: NOON,
      },
    ]);
    assert.equal(await chat.page.locator('article img').count(), 1);
    assert.equal(await chat.page.locator('article img').evaluate((img) => (img as HTMLImageElement).naturalWidth), 1);
    assert.match(await chat.page.getByRole('article', { name: 'Agent' }).innerText(), /inside/);
    await chat.button('b').click();
    assert.deepEqual(await chat.intents(), [{ type: 'openLink', href: 'https://a.test/b' }]);
    assert.deepEqual([chat.strangers, await chat.violations()], [[], []]);
  });

  it('copy code and open links by click and by Enter', async () => {
    chat = await ChatPage.with([
      prompt,
      { type: 'textAppended', role: 'agent', text: '[site](https://a.test/)\n\n```js\nlet a = 1;\n```\n', at: NOON },
      { type: 'turnEnded', stopReason: 'end_turn', at: NOON },
    ]);
    await chat.page.getByRole('link', { name: 'site' }).click();
    await chat.page.getByRole('link', { name: 'site' }).press('Enter');
    await chat.button('Copy').click();
    const link = { type: 'openLink', href: 'https://a.test/' };
    const [first, second, third] = await chat.intents();
    assert.deepEqual([first, second], [link, link]);
    assert.equal(third?.type === 'copy' && third.text.trim(), 'let a = 1;');
  });
});

const NOTICES = `- log "Conversation":
  - article "You":
    - paragraph: go
    - button "Edit"
    - button "Actions for your message"
    - time: 14:02
  - article "Notice":
    - strong: Canceled
  - article "Error":
    - alert:
      - paragraph: It broke
      - group: Details
      - button "Retry"
      - button "Restart Agent"
      - button "Show Log"
      - button "Open Settings"
  - article "Raw update":
    - group: "session/update: dance"`;

const MID_TURN = `- log "Conversation":
  - article "You":
    - button "upload.ts:40-88"
    - paragraph: Uploads fail on a flaky network. Retry transient errors, keep the API, and add tests.
    - button "Edit"
    - button "Actions for your message"
    - time: hh:mm
  - article "Thought":
    - button "Thought for 6 s"
  - article "Agent":
    - paragraph:
      - text: The client throws on the first
      - code: ECONNRESET
      - text: . I will wrap the request in a bounded retry with jitter in
      - link "src/upload.ts:52":
        - code: src/upload.ts:52
      - text: and leave 4xx answers alone.
    - button "Actions for this answer"
  - 'group "Tool: Read upload.ts"':
    - button "Read upload.ts"
    - button "line 40 · src"
    - status: Done
  - 'group "Tool: Find uses of send"':
    - button "Find uses of send"
    - status: Done
  - 'group "Tool: Edit upload.ts"':
    - text: Edit upload.ts
    - button "line 52 · src"
    - status: Done
    - 'group "Diff: src/upload.ts"':
      - button "src/upload.ts"
      - img "3 added": "+3"
      - img "1 removed": −1
      - button "Open Diff"
      - text: "line 51 async send(chunk: Uint8Array) {"
      - deletion: "- return await this.http.put(this.url, chunk);"
      - insertion:
        - text: + return await
        - mark: retry(() =>
        - text: "this.http.put(this.url, chunk), {"
      - insertion: "+ attempts: 4, jitter: true, when: isTransient,"
      - insertion: "+ });"
      - text: "}"
  - 'group "Tool: npm test -- upload"':
    - text: npm test -- upload
    - status: Running
    - 'group "Terminal: npm test -- upload"':
      - text: …
      - button "Stop command"
      - button "Show in Terminal"
      - button "Copy Output"
      - text: ✔ retries ECONNRESET up to four times (41 ms) ✔ does not retry 403 (3 ms) ● gives up after the deadline…
  - 'group "Tool: Install a package"':
    - button "Install a package"
    - status: Waiting for you
  - 'group "Permission: Install a package"':
    - paragraph: Install a package
    - code: npm install --save-dev nock@14
    - paragraph: Asked because no rule allows it. Runs in the workspace folder.
    - button "Allow once"
    - button "Always allow…"
    - button "Reject"
    - button "Reject and Explain…"
  - status:
    - button "Waiting for you"`;

import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { Action } from '../../src/shared/state/sessionActions';
import type { ToolPatch } from '../../src/shared/state/toolCallState';
import { ChatPage, environment } from './harness';
import { NOON, midTurn } from './sample';

const prompt = { type: 'promptSent', text: 'go', blocks: [], at: NOON } as const;
const tool = (patch: ToolPatch): Action => ({ type: 'toolStarted', toolCallId: 't', patch, at: NOON });

describe('frame', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  it('introduces Parley before the first message and offers the agents', async () => {
    chat = await ChatPage.open();
    await chat.snapshot([], { ...environment, trusted: false });
    assert.equal(await chat.log.ariaSnapshot(), EMPTY);
    await chat.button('Claude claude-agent-acp').click();
    assert.deepEqual(await chat.intents(), [{ type: 'chooseAgent', name: 'claude' }]);
  });

  it('shows placeholders while it waits for the session, with the reason', async () => {
    chat = await ChatPage.open();
    assert.equal(await chat.page.locator('#root').innerText(), 'Opening the conversation…');
    const lines = chat.page.locator('.line-to-come');
    assert.equal(await lines.count(), 3);
    assert.ok(((await lines.first().boundingBox())?.height ?? 0) >= 8);
    await chat.snapshot();
    assert.equal(await lines.count(), 0);
  });

  it('shows a running turn where the answer appears, also to a user who reads earlier messages', async () => {
    const text = Array.from({ length: 80 }, (_each, index) => `Paragraph ${index}`).join('\n\n');
    chat = await ChatPage.with([{ ...prompt, at: Date.now() }], { width: 300 });
    const sign = chat.log.getByRole('status').filter({ hasText: 'Working…' });
    const place = async (locator: Locator): Promise<{ y: number; height: number; width: number }> =>
      (await locator.boundingBox()) ?? { y: NaN, height: NaN, width: NaN };
    const before = await place(sign);
    assert.ok(before.width >= 24);
    await chat.act({ type: 'textAppended', role: 'agent', text: 'Here', at: NOON });
    const answer = await place(chat.page.getByText('Here', { exact: true }));
    assert.ok(
      Math.abs(answer.y + answer.height / 2 - (before.y + before.height / 2 - 2)) <= 2,
      'in the place of the sign',
    );
    assert.ok((await place(sign)).y >= answer.y + answer.height);
    await chat.act({ type: 'textAppended', role: 'agent', text: `\n\n${text}`, at: NOON });
    const atEnd = await place(sign);
    await chat.log.hover();
    await chat.page.mouse.wheel(0, -900);
    await chat.button('Jump to latest').waitFor();
    assert.ok(Math.abs((await place(sign)).y - atEnd.y) <= 1);
    await chat.act({ type: 'turnEnded', stopReason: 'end_turn', at: NOON });
    assert.equal(await sign.count(), 0);
  });

  it('shows in a conversation that the workspace is not trusted, until it is', async () => {
    chat = await ChatPage.open();
    await chat.snapshot([prompt], { ...environment, trusted: false });
    await chat.button('Restricted Mode').click();
    assert.deepEqual(await chat.intents(), [{ type: 'manageTrust' }]);
    await chat.snapshot([prompt], environment);
    assert.equal(await chat.button('Restricted Mode').count(), 0);
  });

  it('shows the status of the agent', async () => {
    chat = await ChatPage.with([]);
    const status = chat.page.getByRole('status', { name: 'Agent' });
    const text = async () => (await status.textContent()) ?? '';
    assert.equal(await text(), 'Demo agent: not started');
    await chat.act({ type: 'connectionChanged', connection: { status: 'starting' } });
    assert.equal(await text(), 'Starting Demo agent…');
    await chat.act({ type: 'connectionChanged', connection: { status: 'ready' } });
    assert.equal(await text(), 'Demo agent: ready');
  });

  it('has the title beside the agent in the view, where the conversation starts after 28 pixels', async () => {
    chat = await ChatPage.with(midTurn(NOON), { width: 300 });
    await chat.snapshot([], { ...environment, follow: 'following' });
    const top = (await chat.log.boundingBox())?.y ?? Infinity;
    assert.ok(top <= 28, `${top}`);
    const heading = chat.page.getByRole('heading', { level: 1 });
    assert.equal(await heading.innerText(), chat.state.title);
    assert.ok(((await heading.boundingBox())?.width ?? 0) > 80);
    for (const name of ['Tools', 'Follow']) assert.ok(await chat.button(name).isVisible(), name);
    assert.ok(await chat.page.getByRole('status', { name: 'Agent' }).isVisible());
  });

  it('continues the placeholder lines of its document, until the conversation is there', async () => {
    chat = await ChatPage.open();
    const opening = chat.page.locator('.opening');
    assert.equal(await opening.count(), 1);
    assert.equal(await opening.locator('.line-to-come').count(), 3);
    await chat.snapshot();
    assert.equal(await opening.count(), 0);
  });

  it('has a header with the title in an editor tab', async () => {
    chat = await ChatPage.with(midTurn(NOON), { location: 'editor' });
    const heading = chat.page.getByRole('heading', { level: 1 });
    assert.equal(await heading.innerText(), chat.state.title);
    assert.ok(((await heading.boundingBox())?.width ?? 0) > 100);
  });

  it('reports once that an agent has exited', async () => {
    const detail = 'Error: no';
    chat = await ChatPage.with([{ type: 'connectionChanged', connection: { status: 'exited', code: 3, detail } }]);
    const alert = chat.page.getByRole('alert');
    assert.match(await alert.innerText(), /Demo agent: exited \(code 3\)/);
    await alert.getByText('Details').click();
    assert.match(await alert.innerText(), /Error: no/);
    await alert.getByRole('button', { name: 'Restart Agent' }).click();
    await alert.getByRole('button', { name: 'Show Log' }).click();
    assert.deepEqual(
      (await chat.intents()).map((message) => message.type),
      ['restartAgent', 'showLog'],
    );
    await chat.act({ type: 'errorShown', message: 'It is gone', remedies: ['restart'], at: NOON });
    assert.equal(await alert.count(), 1);
  });

  it('shows the current step of the plan, and every step by name', async () => {
    chat = await ChatPage.with(midTurn(NOON));
    const plan = chat.page.getByRole('region', { name: 'Plan' });
    assert.equal(await plan.getByRole('listitem', { name: 'Cover the deadline with a test: in progress' }).count(), 1);
    assert.equal(await plan.getByRole('listitem', { name: 'Run all tests: pending' }).count(), 1);
    assert.equal(await plan.getByRole('listitem', { name: /: completed$/ }).count(), 1);
    const bar = plan.getByRole('button', { name: 'Cover the deadline with a test 2 of 5' });
    const before = await bar.boundingBox();
    await bar.click();
    const [opened, steps] = [await bar.boundingBox(), await plan.getByRole('list').boundingBox()];
    assert.ok(before && steps && steps.y < before.y - 60, 'the steps open upward');
    assert.ok(opened && Math.abs(before.y - opened.y) < 1, 'the bar stays where it is');
  });

  it('announces finished messages, requests and ends of turns, and nothing else', async () => {
    chat = await ChatPage.with([prompt]);
    const said = () => chat.page.locator('[data-part=announcer]').innerText();
    await chat.act({ type: 'textAppended', role: 'agent', text: 'I look ', at: NOON });
    await chat.act({ type: 'textAppended', role: 'agent', text: 'into it.', at: NOON });
    assert.equal(await said(), '');
    await chat.act(tool({ title: 'Look', status: 'running' }));
    assert.equal(await said(), 'I look into it.');
    await chat.act({
      type: 'permissionAsked',
      permissionId: 'p',
      tool: 2,
      title: 'Look deeper',
      options: [],
      at: NOON,
    });
    assert.equal(await said(), 'Waiting for you: Look deeper');
    await chat.act({ type: 'turnEnded', stopReason: 'cancelled', at: NOON });
    assert.equal(await said(), 'Canceled');
  });

  it('cuts nothing at 300 pixels and does not scroll horizontally', async () => {
    chat = await ChatPage.with(midTurn(NOON), { width: 300, height: 1600 });
    const sideways = await chat.page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    assert.equal(sideways, false);
    const outside = await chat.page.getByRole('button').evaluateAll((buttons) =>
      buttons
        .filter((button) => {
          const { left, right, width } = button.getBoundingClientRect();
          return width > 0 && (left < 0 || right > window.innerWidth);
        })
        .map((button) => button.textContent),
    );
    assert.deepEqual(outside, []);
  });

  it('runs no animations and no timers while idle', async () => {
    chat = await ChatPage.with([
      ...midTurn(NOON),
      { type: 'turnEnded', stopReason: 'end_turn', at: NOON },
      { type: 'terminalExited', terminalId: 'term-1', code: 0, at: NOON },
    ]);
    const moving = await chat.page.evaluate(
      () =>
        document.getAnimations().filter((each) => each.playState === 'running' && each instanceof CSSAnimation).length,
    );
    assert.equal(moving, 0);
    const session = await chat.page.context().newCDPSession(chat.page);
    await session.send('Performance.enable');
    const scripts = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find((metric) => metric.name === 'LayoutCount')?.value;
    };
    const before = await scripts();
    // A ticking clock would need a layout each second.
    await chat.page.evaluate(() => new Promise((done) => setTimeout(done, 1500)));
    assert.equal(await scripts(), before);
  });
});

const EMPTY = `- log "Conversation":
  - heading "Parley" [level=2]
  - paragraph: Work with any Agent Client Protocol agent in VS Code.
  - paragraph: Review every step. Approve what runs.
  - group "Agents":
    - button "Claude claude-agent-acp"
  - group "Built in":
    - button "Demo agent Scripted. Requires no API key and no network." [pressed]
  - paragraph:
    - text: This workspace is not trusted. You can use your own agents, without tool servers. The workspace configuration is ignored.
    - button "Manage Trust"
  - button "Install Agent…"
  - button "Get Started"
  - group "Try asking":
    - button "Show me what you can do"`;

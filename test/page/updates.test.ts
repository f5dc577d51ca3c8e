import assert from 'node:assert/strict';
import type { Action } from '../../src/shared/state/sessionActions';
import { ChatPage } from './harness';
import { NOON, beside } from './sample';

/** Nine entries before the child session, as `beside` counts. */
const before: Action[] = Array.from({ length: 9 }, (_, index) => ({
  type: 'noticeShown',
  severity: 'info',
  title: `Notice ${index}`,
  at: NOON,
}));

describe('updates beside the answer', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  it('show a child session as a row with its own transcript, and Stop if the agent supports it', async () => {
    chat = await ChatPage.with([...before, ...beside(NOON)]);
    const row = chat.page.getByRole('group', { name: 'Subagent: Check the docs' });
    await chat.button('Check the docs').click();
    await row.getByText('that page has to change').waitFor();
    assert.equal(
      await row.ariaSnapshot(),
      [
        `- 'group "Subagent: Check the docs"':`,
        '  - button "Check the docs" [expanded]',
        '  - button "Stop subagent"',
        '  - status: Running',
        '  - text: Reads the docs for what they say of retries',
        `  - 'group "Tool: Read docs/network.md"':`,
        '    - text: Read docs/network.md',
        '    - status: Done',
        '  - article "Agent":',
        '    - paragraph:',
        '      - text: The docs promise',
        '      - strong: "no"',
        '      - text: retries; that page has to change.',
      ].join('\n'),
    );
    await row.getByRole('button', { name: 'Stop subagent' }).click();
    assert.deepEqual(await chat.intents(), [{ type: 'stopSubagent', sessionId: 'child-1' }]);
    await chat.act({
      type: 'subagentChanged',
      entry: 9,
      patch: { activity: 'idle', stopReason: 'end_turn' },
      at: NOON,
    });
    assert.equal(await chat.button('Stop subagent').count(), 0);
    assert.equal(await row.getByRole('status').first().textContent(), 'Done');
  });

  it('open the session that a notice links to', async () => {
    const title = 'Continued with Other';
    chat = await ChatPage.with([{ type: 'noticeShown', severity: 'info', title, session: 's2', at: NOON }]);
    const notice = chat.page.getByRole('article', { name: 'Notice' });
    await notice.getByRole('button', { name: 'Open Session' }).press('Enter');
    assert.deepEqual(await chat.intents(), [{ type: 'openSession', id: 's2' }]);
  });

  it('show calls that ran without a request, in their details and in the turn summary', async () => {
    chat = await ChatPage.with([
      { type: 'promptSent', text: 'go', blocks: [], at: NOON },
      { type: 'toolStarted', toolCallId: 'e', patch: { title: 'Write notes', tool: 'edit', status: 'done' }, at: NOON },
      { type: 'turnEnded', stopReason: 'end_turn', at: NOON + 9_000 },
    ]);
    const line = chat.page.getByRole('note', { name: 'Turn summary' });
    assert.doesNotMatch(await line.innerText(), /without asking/);
    await chat.act({ type: 'toolsUnasked', entries: [1] });
    await line.getByText('1 ran without asking').waitFor();
    await chat.button('Write notes').click();
    const call = chat.page.getByRole('group', { name: 'Tool: Write notes' });
    const text = call.getByText('ran without asking');
    const [row, icon] = [await text.boundingBox(), await text.locator('.codicon').boundingBox()];
    assert.ok(
      row && icon && Math.abs(row.y + row.height / 2 - icon.y - icon.height / 2) <= 1,
      'the icon is beside its text',
    );
  });

  it('append the text of a child session', async () => {
    chat = await ChatPage.with([...before, ...beside(NOON)]);
    await chat.button('Check the docs').click();
    await chat.act({
      type: 'subagentActed',
      entry: 9,
      action: { type: 'textAppended', role: 'agent', text: ' Today.', at: NOON },
    });
    assert.match((await chat.page.getByRole('article', { name: 'Agent' }).textContent()) ?? '', /change\. Today\.$/);
  });

  it('collapse the summary of a compaction to one line', async () => {
    chat = await ChatPage.with([...before, ...beside(NOON)]);
    const article = chat.page.getByRole('article', { name: 'Compaction' });
    assert.equal(await article.ariaSnapshot(), '- article "Compaction":\n  - button "Conversation compacted"');
    await chat.button('Conversation compacted').click();
    assert.match((await article.textContent()) ?? '', /Retries are wanted for ECONNRESET only\./);
  });

  it('show the result of a compaction without a summary', async () => {
    chat = await ChatPage.with([
      { type: 'compactionStarted', compactionId: 'k', patch: { status: 'failed', error: 'No room' }, at: NOON },
    ]);
    assert.equal(
      await chat.page.getByRole('article', { name: 'Compaction' }).textContent(),
      'Compaction failed: No room',
    );
  });

  it('show several plans: steps, prose, a file', async () => {
    chat = await ChatPage.with([
      { type: 'planChanged', items: [{ content: 'One', priority: 'high', status: 'in_progress' }] },
      { type: 'planUpdated', plan: { planId: 'a', kind: 'markdown', text: '# Rollout\n\nShip it' } },
      { type: 'planUpdated', plan: { planId: 'b', kind: 'file', uri: 'file:///work/my%20plan.md' } },
    ]);
    const names = await chat.page
      .getByRole('region')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
    assert.deepEqual(names, ['Plan', 'Plan 2', 'Plan 3']);
    assert.equal(await chat.page.getByRole('listitem').getAttribute('aria-label'), 'One: in progress');
    await chat.button('Rollout').click();
    assert.match((await chat.page.getByRole('region', { name: 'Plan 2' }).textContent()) ?? '', /Ship it/);
    await chat.button('my plan.md').click();
    assert.deepEqual(await chat.intents(), [{ type: 'openLink', href: 'file:///work/my%20plan.md' }]);
    await chat.act({ type: 'planRemoved', planId: 'a' }, { type: 'planRemoved', planId: 'b' });
    assert.equal(await chat.page.getByRole('region').count(), 1);
  });

  it('show a message between sessions', async () => {
    chat = await ChatPage.with([
      { type: 'relayStarted', messageId: 'm', patch: { from: 'Agent', to: 'Docs', text: 'Read it' }, at: NOON },
    ]);
    assert.equal(
      await chat.page.getByRole('article', { name: 'Message between agents' }).textContent(),
      ' Message from Agent to DocsRead it',
    );
  });
});

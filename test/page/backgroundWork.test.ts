import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { Action } from '../../src/shared/state/sessionActions';
import { ChatPage } from './harness';
import { NOON } from './sample';

const prompt: Action = { type: 'promptSent', text: 'Start the server', blocks: [], at: NOON };
const end: Action = { type: 'turnEnded', stopReason: 'end_turn', at: NOON + 2 };
const server: Action = { type: 'terminalCreated', terminalId: 't1', command: 'npm run dev', at: NOON + 1 };
const child: Action = {
  type: 'subagentStarted',
  sessionId: 'child',
  patch: { title: 'Look for callers', activity: 'running', canStop: true },
  at: NOON + 1,
};
const tasks: Action = {
  type: 'backgroundTasksChanged',
  tasks: [{ taskId: 'a', kind: 'command', title: 'sleep 60 \u202e' }],
};

describe('background work', () => {
  let chat: ChatPage;
  afterEach(() => chat.close());

  const region = (): Locator => chat.page.getByRole('region', { name: 'Background work' });

  it('is listed above the message box after the turn, with Stop if it can be stopped', async () => {
    chat = await ChatPage.with([prompt, server, child]);
    assert.equal(await region().count(), 0);
    await chat.act(end, tasks);
    const items = region().getByRole('listitem');
    await items.nth(2).waitFor();
    assert.deepEqual(
      (await items.allInnerTexts()).map((text) =>
        text
          .replaceAll(/\s+/g, ' ')
          .replace(/\d+ ?(s|min|h).*/, '')
          .trim(),
      ),
      ['npm run dev', 'Look for callers', 'sleep 60 \\u{202e} Cannot be stopped'],
    );
    await items.nth(0).getByRole('button', { name: 'Stop command' }).click();
    await items.nth(1).getByRole('button', { name: 'Stop subagent' }).click();
    assert.equal(await items.nth(2).getByRole('button').count(), 0);
    assert.deepEqual(await chat.intents(), [
      { type: 'stopCommand', terminalId: 't1' },
      { type: 'stopSubagent', sessionId: 'child' },
    ]);
    await chat.act(
      { type: 'terminalExited', terminalId: 't1', signal: 'SIGTERM', at: NOON + 3 },
      { type: 'subagentChanged', entry: 1, patch: { activity: 'idle' }, at: NOON + 3 },
      { type: 'backgroundTasksChanged', tasks: [] },
    );
    await region().waitFor({ state: 'detached' });
  });

  it('is shown after a reload, and a permission request outside a turn can be answered', async () => {
    chat = await ChatPage.with([
      prompt,
      server,
      end,
      { type: 'toolStarted', toolCallId: 'c', patch: { title: 'Write a.ts', tool: 'edit' }, at: NOON + 3 },
      {
        type: 'permissionAsked',
        permissionId: 'p1',
        tool: 1,
        title: 'Write a.ts',
        options: [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' }],
        at: NOON + 3,
      },
    ]);
    await region().getByText('npm run dev').waitFor();
    const allow = chat.page
      .getByRole('group', { name: 'Permission: Write a.ts' })
      .getByRole('button', { name: 'Allow' });
    await chat.page.locator('.question [aria-keyshortcuts]:not([aria-disabled="true"])').first().waitFor();
    await allow.click();
    const answer = await chat.sentType('answerPermission');
    assert.deepEqual(answer, { type: 'answerPermission', permissionId: 'p1', optionId: 'yes' });
  });
});

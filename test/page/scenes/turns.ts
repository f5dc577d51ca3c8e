import type { Action } from '../../../src/shared/state/sessionActions';
import type { UsageLimit } from '../../../src/shared/state/usageState';
import type { ChatPage } from '../harness';
import { mentions } from '../mentionSample';
import { railTurns } from '../railSample';
import { changedFiles } from '../sample';
import type { ChatScene } from './scene';
import { scenesOf } from './scene';

/** Queued messages, edited messages, and results of turns. */
export const turnScenes = scenesOf({
  background: async (page) => {
    const at = Date.now();
    await page.act(
      { type: 'promptSent', text: 'Start the server and look for callers.', blocks: [], at: at - 90_000 },
      { type: 'terminalCreated', terminalId: 't1', command: 'npm run dev -- --host', at: at - 80_000 },
      {
        type: 'subagentStarted',
        sessionId: 'child',
        patch: { title: 'Look for callers of upload()', activity: 'running', canStop: true },
        at: at - 40_000,
      },
      { type: 'textAppended', role: 'agent', text: 'The server runs; I look for callers meanwhile.', at },
      { type: 'turnEnded', stopReason: 'end_turn', at },
      {
        type: 'backgroundTasksChanged',
        tasks: [{ taskId: 'a', kind: 'command', title: 'tail -f logs/server.log | grep -i error --line-buffered' }],
      },
    );
    await page.page.getByRole('region', { name: page.say('Background work') }).waitFor();
  },
  queue: async (page) => {
    await page.act(...ended(Date.now()), ...waiting(Date.now()));
    await item(page, 1).hover();
  },
  'queue-paused': async (page) => {
    await page.act(...ended(Date.now()), ...waiting(Date.now()));
    await page.act({ type: 'queuePaused', pause: { why: 'turn', stopReason: 'cancelled' } });
    await item(page, 1).hover();
    await item(page, 1)
      .getByRole('button', { name: page.say('Edit') })
      .click();
    await page.page.getByRole('textbox', { name: page.say('Edit queued message') }).waitFor();
  },
  find: async (page) => {
    // The box covers the beginning, which has nothing to click here.
    const text = 'Retry transient errors, keep the API, and record each retry.\n'.repeat(3);
    await page.act({ type: 'promptSent', text, blocks: [], at: Date.now() });
    await page.page.keyboard.press('Control+f');
    await page.page.getByRole('searchbox').fill('re');
    await page.page.getByRole('search').getByRole('status').filter({ hasText: /1/ }).waitFor();
  },
  'message-menu': async (page) => {
    await page.act(...ended(Date.now()));
    await menuButton(page).click();
    await page.page.getByRole('menu').waitFor();
  },
  'message-actions': async (page) => {
    await page.act(...ended(Date.now()));
    await page.page.getByRole('article', { name: page.say('You') }).hover();
  },
  'message-edited': async (page) => {
    await page.act(...ended(Date.now()));
    await menuButton(page).focus();
    await page.page.keyboard.press('F2');
    await page.page.getByRole('textbox', { name: page.say('Edit message') }).waitFor();
    const problem = 'An agent is working on the files. Stop the agent, or wait until it finishes.';
    await page.page.keyboard.press('Enter');
    await page.post({ type: 'resendEnded', session: page.state.id, entry: 0, problem });
    await page.page.getByText(problem).waitFor();
  },
  'message-completed': async (page) => {
    await page.act(...ended(Date.now()));
    await menuButton(page).focus();
    await page.page.keyboard.press('F2');
    const box = page.page.getByRole('textbox', { name: page.say('Edit message') });
    await box.fill('Compare with ');
    await box.pressSequentially('@');
    const asked = await page.sentType('findMentions');
    if (asked.type !== 'findMentions') throw new Error('The page did not ask');
    await page.post({ type: 'mentions', id: asked.id, mentions });
    await page.page.getByRole('listbox').waitFor();
  },
  suggestion: async (page) => {
    await page.act(...ended(Date.now()), { type: 'promptSuggested', text: 'Run the tests of the whole project again' });
    await page.box.focus();
  },
  'ran-unasked': async (page) => {
    const at = Date.now();
    const write = { title: 'Write docs/upload.md', tool: 'edit', status: 'done' } as const;
    await page.act(
      { type: 'promptSent', text: 'Document the retry.', blocks: [], at },
      { type: 'toolStarted', toolCallId: 'w', patch: write, at },
      { type: 'textAppended', role: 'agent', text: 'The retry is documented.', at },
      { type: 'turnEnded', stopReason: 'end_turn', at: at + 14_000 },
      { type: 'toolsUnasked', entries: [1] },
    );
    await page.button(write.title).click();
    await page.page.getByText(page.say('ran without asking'), { exact: true }).waitFor();
  },
  notice: async (page) => {
    await page.act(...ended(Date.now()), { type: 'changesChanged', changed: changedFiles.slice(0, 2), removed: [] });
    const details = ['src/very/long/path/of/uploadClient.ts: You changed it too after the agent did.'];
    const notice = { id: 'n', text: 'Undid changes in 3 files', details, isWarning: true, button: 'Redo' };
    await page.post({ type: 'notice', notice });
    await page.page.getByRole('status', { name: page.say('Notice'), exact: true }).waitFor();
  },
  'notice-row': async (page) => {
    await page.act(...ended(Date.now()));
    const notice = { id: 'n', text: 'Undid changes in 3 files', details: [], isWarning: false, button: 'Redo' };
    await page.post({ type: 'notice', notice });
    await page.page.getByRole('status', { name: page.say('Notice'), exact: true }).waitFor();
  },
  usage: async (page) => {
    await page.act(...ended(Date.now()));
    await page.page.getByRole('button', { name: page.say('Context details') }).click();
    await page.page.getByRole('dialog', { name: page.say('Context used') }).waitFor();
  },
  'usage-limits': async (page) => {
    await page.act(...ended(Date.now()), { type: 'limitsChanged', limits: limits() });
    await page.page.getByRole('button', { name: page.say('Context details') }).click();
    await page.page.getByRole('list', { name: page.say('Limits') }).waitFor();
  },
  'budget-used': async (page) => {
    const at = Date.now();
    const title = page.say('Budget');
    const text = 'This session has used 84% of its budget: 4.20 USD of 5.00 USD.';
    await page.act(
      ...ended(at),
      { type: 'noticeShown', severity: 'warning', title, text, at },
      { type: 'messageQueued', message: { id: 'q', text: 'Go on with the next file', attachments: [], at } },
      { type: 'queuePaused', pause: { why: 'budget', scope: 'day', spent: 20.06, limit: 20, currency: 'USD' } },
    );
    await page.page.getByRole('button', { name: page.say('Continue') }).waitFor();
  },
  'limit-reached': async (page) => {
    await page.act(...failedForLimit());
    await page.log.locator('.alert .buttons .button').nth(2).waitFor();
  },
  'limit-retry': async (page) => {
    await page.act(...failedForLimit(), { type: 'retryScheduled', retryAt: resetAt() });
    await page.log.locator('.retry-later').waitFor();
  },
});

/** At 14:30, today or tomorrow. */
function resetAt(): number {
  const at = new Date();
  at.setHours(14, 30, 0, 0);
  return at.getTime() > Date.now() ? at.getTime() : at.getTime() + 86_400_000;
}

function limits(): UsageLimit[] {
  return [
    { id: 'five_hour', minutes: 300, used: 0.47, resetsAt: resetAt() },
    { id: 'seven_day_opus', minutes: 10_080, isReached: true, resetsAt: Date.now() + 3 * 86_400_000 },
    { id: 'a_limit_of_another_agent_with_a_long_nam', used: 0.08 },
  ];
}

function failedForLimit(): Action[] {
  const at = Date.now();
  return [
    ...ended(at),
    { type: 'promptSent', text: 'Go on with the next file', blocks: [], at },
    { type: 'turnEnded', stopReason: 'error', at },
    {
      type: 'errorShown',
      message: 'You have hit your session limit.',
      remedies: ['retry', 'showLog'],
      retryAt: resetAt(),
      at,
    },
  ];
}

/** Below 600 px the conversation has no rail. */
export const railScene: ChatScene = {
  name: 'message-rail',
  options: { width: 900, height: 700 },
  prepare: async (page) => {
    await page.act(...railTurns(7));
    if ((page.page.viewportSize()?.width ?? 0) < 600) return;
    const rail = page.page.getByRole('toolbar', { name: page.say('Turn timeline') });
    await rail.getByRole('button').nth(3).focus();
    await page.log.locator('.rail-preview').waitFor();
  },
};

const item = (page: ChatPage, at: number) =>
  page.page
    .getByRole('list', { name: page.say('Queued messages') })
    .locator(':scope > li')
    .nth(at);
const menuButton = (page: ChatPage) =>
  page.page.getByRole('button', { name: page.say('Actions for your message') }).first();

/** A finished turn with a checkpoint. */
export function ended(at: number): Action[] {
  const ask = 'Uploads fail on a flaky network. Retry transient errors, keep the API, and add tests.';
  const said = 'I wrapped the request in a bounded retry with jitter and added tests for it. All of them pass.';
  const changed = { status: 'changed', added: 24, removed: 6 } as const;
  return [
    { type: 'promptSent', text: ask, blocks: [{ type: 'resource', uri: 'file:///w/a.ts#L40-L88', text: 'x' }], at },
    { type: 'toolStarted', toolCallId: 't', patch: { title: 'Read a.ts', tool: 'read', status: 'done' }, at },
    { type: 'textAppended', role: 'agent', text: said, at },
    { type: 'turnEnded', stopReason: 'end_turn', tokens: TOKENS, at: at + 134_000 },
    { type: 'turnFilesTold', entry: 0, files: [{ path: '/w/a.ts', label: 'a.ts', ...changed }] },
    {
      type: 'checkpointsChanged',
      checkpoints: [{ entry: 0, checkpointId: 'c', at, coverage: 'workspace', skipped: 0 }],
    },
    { type: 'usageChanged', usage: { used: 172_000, size: 200_000, cost: { amount: 0.42, currency: 'USD' } } },
    { type: 'commandsChanged', commands: [{ name: 'compact', description: 'Shorten the context' }] },
  ];
}

const TOKENS = { total: 61_200, input: 51_000, output: 10_200, cachedRead: 48_000 };

/** A running turn, and queued messages. */
export function waiting(at: number): Action[] {
  const texts = ['Use tabs in the examples, as everywhere else in this repository', 'Then run the tests', 'And commit'];
  const note = { kind: 'text', label: 'log', text: 'x' } as const;
  return [
    { type: 'promptSent', text: 'Now the docs', blocks: [], at },
    ...texts.map((text, place): Action => {
      const attachments = place === 1 ? [note] : [];
      return { type: 'messageQueued', message: { id: `q${place}`, text, attachments, at } };
    }),
  ];
}

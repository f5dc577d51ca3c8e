import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { fakeAgent } from '../fakeAgent/definition';
import { makeTemporaryFolder, removeFolder } from '../host/workspace.mjs';
import { becomes } from '../kit/waiting';
import type { PageWindow } from '../page/pageWindow';
import { shareWorkbench } from './sharedWorkbench';
import { chooseRow } from './steps';
import type { Workbench } from './workbench';

/** Permission requests of several agents while the user works elsewhere. */
describe('permissions in the workbench', () => {
  let workbench: Workbench;
  let logs: string;

  before(async () => {
    logs = await makeTemporaryFolder('agent-logs');
  });

  shareWorkbench(
    (opened) => (workbench = opened),
    () => {
      const agent = (name: string): object => {
        const { command, args, env } = fakeAgent({ FAKE_LOG: join(logs, `${name}.jsonl`) });
        return { command, args, env };
      };
      return { settings: { 'parley.agents': { One: agent('one'), Two: agent('two') }, 'parley.defaultAgent': 'One' } };
    },
  );

  beforeEach(() => {
    for (const name of ['one', 'two']) earlier[name] = allAnswers(name).length;
  });

  after(async () => {
    if (logs) await removeFolder(logs);
  });

  /** Number of responses before the test, by agent. */
  const earlier: Record<string, number> = {};

  function allAnswers(name: string): unknown[] {
    const log = join(logs, `${name}.jsonl`);
    if (!existsSync(log)) return [];
    return readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { result?: { outcome?: { optionId?: string; outcome: string } } })
      .flatMap(({ result }) => result?.outcome ?? []);
  }

  /** The responses to an agent's permission requests in this test, in order. */
  const answers = (name: string): unknown[] => allAnswers(name).slice(earlier[name]);

  const conversation = (): Locator => workbench.chat().getByRole('log', { name: 'Conversation' });
  const status = (): Locator => workbench.page.locator('#parley\\.parley\\.parley\\.status');

  async function send(...script: string[]): Promise<void> {
    const message = workbench.chat().getByRole('textbox', { name: 'Message' });
    await message.fill(script.join('\n'));
    await message.press('Enter');
    await conversation().getByRole('article', { name: 'You' }).waitFor();
  }

  async function newChatWith(agent: string): Promise<void> {
    await workbench.runCommand('Parley: New Chat');
    await conversation().getByRole('article', { name: 'You' }).waitFor({ state: 'detached' });
    await workbench.runCommand('Parley: Select Agent');
    await chooseRow(workbench.page, agent);
    await workbench.chat().getByRole('status', { name: 'Agent' }).getByText(`${agent}: ready`).waitFor();
    const hasFocus = (box: Element): boolean => document.hasFocus() && box === document.activeElement;
    await becomes(() => workbench.chat().getByRole('textbox', { name: 'Message' }).evaluate(hasFocus), true);
  }

  const hideChat = async (): Promise<void> => {
    await workbench.runCommand('View: Hide Secondary Side Bar');
    await workbench.chat().locator('body').waitFor({ state: 'hidden' });
    // The extension host receives this event before any later command.
    const rows = workbench.page.locator('.quick-input-list .monaco-list-row');
    await workbench.runCommand('Parley: Select Agent');
    await rows.first().waitFor();
    await workbench.page.keyboard.press('Escape');
    await rows.first().waitFor({ state: 'hidden' });
  };

  /** Releases the agents that wait for this file. */
  const go = (file: string): void => writeFileSync(join(workbench.folder, file), '');
  const deploy = ['tool t1 execute Deploy', 'permission t1 allow_once:Ship_it reject_once:Keep_it_back'];

  it('two hidden sessions ask, and each answer from a notification reaches its own agent', async () => {
    await send('until-file go', ...deploy);
    await newChatWith('Two');
    await send('until-file go', ...deploy);
    await hideChat();
    go('go');
    const [one, two] = [workbench.toast(/One.*Deploy/), workbench.toast(/Two.*Deploy/)];
    await one.waitFor();
    await two.waitFor();
    await status().getByText('2 waiting').waitFor();
    await workbench.screenshot('e2e-permissions');
    await workbench.press(/Two.*Deploy/, 'Keep it back');
    await status().getByText('1 waiting').waitFor();
    await workbench.press(/One.*Deploy/, 'Ship it');
    await status().getByText('waiting').waitFor({ state: 'detached' });
    await workbench.focusChat();
    await conversation().getByText('[permission t1: reject_once]').waitFor();
    await becomes(() => answers('one'), [{ outcome: 'selected', optionId: 'allow_once' }]);
    await becomes(() => answers('two'), [{ outcome: 'selected', optionId: 'reject_once' }]);

    await hideChat();
    await workbench.runCommand('Parley: Show Audit Log');
    const audit = workbench.tab();
    const decisions = audit.getByRole('grid', { name: 'Decisions' });
    await decisions.getByRole('row', { name: /Allowed You One Deploy/ }).waitFor();
    await decisions.getByRole('row', { name: /Rejected You Two Deploy/ }).click();
    await audit.getByRole('region', { name: 'Decision' }).getByText('Keep it back').waitFor();
    await workbench.screenshot('e2e-audit');
  });

  it('closing a notification does not answer; one answered elsewhere disappears; Show reveals the request', async () => {
    await send('until-file first', ...deploy, 'until-file second', ...deploy, 'until-file third', ...deploy);
    await hideChat();
    const toast = workbench.toast('Deploy');
    go('first');
    await toast.hover();
    await toast.getByRole('button', { name: /^Clear Notification/ }).click();
    await toast.waitFor({ state: 'detached' });
    await status().getByText('1 waiting').waitFor();
    assert.deepEqual(answers('one'), []);
    await workbench.runCommand('Parley: Reject');
    await status().getByText('waiting').waitFor({ state: 'detached' });

    go('second');
    await toast.waitFor();
    await workbench.runCommand('Parley: Approve');
    await toast.waitFor({ state: 'detached' });
    await becomes(
      () => answers('one').map((answer) => (answer as { optionId: string }).optionId),
      ['reject_once', 'allow_once'],
    );

    go('third');
    await toast.waitFor();
    await workbench.press('Deploy', 'Show');
    await workbench
      .chat()
      .getByRole('group', { name: 'Permission: Deploy' })
      .getByRole('button', { name: 'Ship it' })
      .waitFor();
    await toast.waitFor({ state: 'detached' });
    assert.equal(answers('one').length, 2, 'nothing was answered by looking at it');
  });

  it('a window without focus shows one system notification of a request, whose click reveals the session', async () => {
    // Applies to documents loaded from now on, so the window is reloaded.
    await workbench.page.addInitScript(() => {
      const shown: unknown[] = [];
      class Spy extends EventTarget {
        static permission = 'granted';
        constructor(title: string, { body }: NotificationOptions) {
          super();
          shown.push({ title, body });
          Object.assign(window, { last: this });
        }
        close(): void {}
      }
      Object.assign(window, { shown, Notification: Spy });
    });
    await workbench.reload();
    await workbench.focusChat();
    const page = workbench.chat().locator('body');
    const shown = (): Promise<unknown> => page.evaluate(() => (window as PageWindow<{ shown: unknown }>).shown);
    const setFocus = (focused: boolean): Promise<void> =>
      workbench.page.evaluate((focused) => {
        document.hasFocus = () => focused;
        // VS Code reads the focus then; it ignores the blur of a window whose frame had the focus.
        document.dispatchEvent(new Event('visibilitychange'));
      }, focused);

    await send('until-file seen', ...deploy, 'until-file unseen', ...deploy);
    go('seen');
    const question = workbench.chat().getByRole('group', { name: 'Permission: Deploy' });
    await question.getByRole('button', { name: 'Ship it' }).click();
    await conversation().getByText('[permission t1: allow_once]').waitFor();
    assert.deepEqual(await shown(), [], 'nothing while the window has the focus');

    // Before the new chat: the extension host opens it, so by then it knows that the window has no focus.
    await setFocus(false);
    await workbench.runCommand('Parley: New Chat');
    await question.waitFor({ state: 'detached' });
    go('unseen');
    await becomes(shown, [{ title: 'until-file seen', body: 'One asks: Deploy' }]);
    await setFocus(true);
    await page.evaluate(() => (window as PageWindow<{ last: EventTarget }>).last.dispatchEvent(new Event('click')));
    await question.getByRole('button', { name: 'Ship it' }).waitFor();
    assert.equal(((await shown()) as unknown[]).length, 1);
  });
});

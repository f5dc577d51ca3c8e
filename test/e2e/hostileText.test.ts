import assert from 'node:assert/strict';
import { fakeAgent } from '../fakeAgent/definition';
import type { PageWindow } from '../page/pageWindow';
import { shareAmongSuites } from './sharedWorkbench';
import type { Workbench } from './workbench';

/** Would open an editor if VS Code followed it, and would load a picture. */
const EVIL =
  'evil\u202e [run](command:workbench.action.files.newUntitledFile) ![p](https://evil.test/p.png) <img src="https://evil.test/i.png" onerror="fetch(\'https://evil.test/js\')"> $(trash)';
const MARKDOWN = [
  '<script src="https://evil.test/s.js"></script>',
  '<style>@import url(https://evil.test/s.css); body { background: url(https://evil.test/b.png) }</style>',
  '<iframe src="https://evil.test/frame"></iframe><meta http-equiv="refresh" content="0;url=https://evil.test/">',
  '<base href="https://evil.test/"><link rel="stylesheet" href="https://evil.test/l.css"><svg onload="alert(1)">',
  '![beacon](https://evil.test/beacon.png) ![local](file:///etc/passwd) ![cmd](command:workbench.action.files.newUntitledFile)',
  '[click](command:workbench.action.files.newUntitledFile) [js](javascript:alert(1)) [other](vscode://parley.parley/new?prompt=x)',
  EVIL,
].join('\n\n');

const update = (fields: object): string =>
  `raw ${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: '$SESSION', update: fields } })}`;
const text = (value: string): object => ({ type: 'content', content: { type: 'text', text: value } });
const choices = [{ value: 'a', name: EVIL, description: EVIL }];

/** A program of the workspace that writes terminal control sequences. */
const PROGRAM = String.raw`process.stdout.write('\x1b]8;;https://evil.test/osc\x07link\x1b]8;;\x07\x1b]52;c;ZXZpbA==\x07\x1b]0;title\x07\x1bP+q544e\x1b\\done\n')`;

const SCRIPT = [
  update({ sessionUpdate: 'session_info_update', title: EVIL }),
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: MARKDOWN } }),
  update({ sessionUpdate: 'plan', entries: [{ content: EVIL, priority: 'high', status: 'pending' }] }),
  update({
    sessionUpdate: 'available_commands_update',
    availableCommands: [{ name: EVIL, description: EVIL, input: { hint: EVIL } }],
  }),
  update({
    sessionUpdate: 'config_option_update',
    configOptions: [{ id: 'm', name: EVIL, description: EVIL, type: 'select', currentValue: 'a', options: choices }],
  }),
  update({
    sessionUpdate: 'tool_call',
    toolCallId: 't',
    title: EVIL,
    kind: 'execute',
    status: 'in_progress',
    rawInput: { command: `echo hi\u0007\u202e${EVIL}` },
    locations: [{ path: `/nowhere/${EVIL}` }],
    content: [text(MARKDOWN), { type: 'diff', path: `/nowhere/${EVIL}`, oldText: 'a', newText: EVIL }],
  }),
  update({ sessionUpdate: 'notice', severity: 'warning', title: EVIL, description: MARKDOWN }),
  'show-terminal t node evil.cjs',
  `permission t allow_once:Yes reject_once:${EVIL.replaceAll(' ', '_')}`,
  'text The_end.',
];

/** Hostile text in every field that an agent can send, in the real window: none of it is loaded, run or followed. */
describe('hostile text in the workbench', () => {
  let workbench: Workbench;

  shareAmongSuites(
    (opened) => (workbench = opened),
    () => {
      const { command, args, env } = fakeAgent();
      return {
        workspaceFiles: { 'evil.cjs': PROGRAM },
        settings: {
          'parley.agents': { Fake: { command, args, env } },
          'parley.defaultAgent': 'Fake',
          'parley.permissions.notify': 'always',
        },
      };
    },
  );

  it('is shown as text: it causes no request, command, icon or link', async () => {
    const { page } = workbench;
    const strangers: string[] = [];
    page.context().on('request', (request) => {
      if (!ownOrigin(request.url(), page.url())) strangers.push(request.url());
    });
    page.context().on('page', (opened) => strangers.push(`window ${opened.url()}`));
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await page.evaluate(() => navigator.clipboard.writeText('mine'));
    const chat = workbench.chat();
    await chat.locator('body').evaluate(watchPolicy);
    await chat.getByRole('textbox', { name: 'Message' }).fill(SCRIPT.join('\n'));
    await chat.getByRole('textbox', { name: 'Message' }).press('Enter');
    // Checked first: the notification disappears after a while.
    const toast = workbench.toast('evil').first();
    await toast.waitFor();
    assert.equal(await toast.locator('.notification-list-item-message a').count(), 0, 'a notification has a link');
    assert.equal(await toast.locator('.notification-list-item-message .codicon').count(), 0);
    // The permission request shows the command with its hidden characters.
    const question = chat.locator('.question').first();
    await question.getByText('\\u{202e}').first().waitFor();
    await question.getByText('\\u{7}').first().waitFor();
    await page.locator('#parley\\.parley\\.parley\\.status').getByText('1 waiting').waitFor();
    await workbench.screenshot('e2e-hostile-question');

    await workbench.runCommand('Parley: Show Waiting');
    await chat.locator('.question:focus').waitFor();
    const rows = page.locator('.quick-input-list .monaco-list-row');
    await workbench.runCommand('Parley: Open Session');
    await rows.filter({ hasText: 'evil' }).first().waitFor();
    assert.equal(await page.locator('.quick-input-list .label-name .codicon-trash').count(), 0);
    await page.keyboard.press('Escape');
    await workbench.focusChat();
    await question.getByRole('button', { name: 'Yes', disabled: false }).click();
    await chat.getByRole('article', { name: 'Agent' }).getByText('The_end.').last().waitFor();
    await chat.getByText('click', { exact: true }).first().click();
    const notice = chat.getByRole('status', { name: 'Notice', exact: true });
    await notice.getByText('Parley did not open').waitFor();
    assert.equal(await notice.locator('a[href], .codicon-trash').count(), 0);
    await workbench.screenshot('e2e-hostile');

    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'mine', 'OSC 52 sets no clipboard');
    assert.equal(await page.locator('.tab', { hasText: 'Untitled' }).count(), 0, 'a command link was followed');
    assert.deepEqual([strangers, dialogs, await chat.locator('body').evaluate(blocked)], [[], [], []]);
    // The observation works: what the chat is made to try is detected, in its own frame.
    await chat.locator('body').evaluate(tryBeacon);
    assert.match((await chat.locator('body').evaluate(blocked)).join(), /control\.test/);
  });
});

/** Allowed: the server's own origin, its webviews (a separate host name), and resources inside the document. */
function ownOrigin(url: string, window: string): boolean {
  if (/^(?:data|blob|vscode-\w+):/.test(url)) return true;
  const { hostname } = new URL(url);
  return hostname === new URL(window).hostname || /(?:^|\.)vscode-(?:cdn|resource)\.net$/.test(hostname);
}

/** Run in the chat's document: a CSP violation shows what the document tried. */
function watchPolicy(): void {
  const found: string[] = [];
  Object.assign(window, { blockedHere: found });
  document.addEventListener('securitypolicyviolation', (event) =>
    found.push(`${event.violatedDirective} ${event.blockedURI}`),
  );
}

function blocked(): string[] {
  return (window as PageWindow<{ blockedHere: string[] }>).blockedHere;
}

function tryBeacon(): Promise<void> {
  return new Promise((done) => {
    document.addEventListener('securitypolicyviolation', () => done(), { once: true });
    new Image().src = 'https://control.test/beacon.png';
  });
}

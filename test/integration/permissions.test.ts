import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import type { LiveSession } from '../../src/session/liveSession';
import { entriesFrom } from '../../src/shared/state/entryPages';
import type { PermissionEntry } from '../../src/shared/state/toolCallState';
import { PlanEditor } from '../../src/ui/chat/content/planEditor';
import { fakeAgent } from '../fakeAgent/definition';
import { becomes, untilEvent } from '../kit/waiting';
import { render } from '../replay/render';

/** The complete extension with rules from real settings, and Parley's own permission requests. */
describe('permissions', () => {
  let api: TestApi;
  let session: LiveSession;
  const folder = (): string => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const set = async (key: string, value: unknown, target = vscode.ConfigurationTarget.Global): Promise<void> =>
    vscode.workspace.getConfiguration('parley').update(key, value, target);

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    const { command, args, env } = fakeAgent();
    await set('agents', { Fake: { command, args, env } });
    await set('permissions.rules', [
      { decision: 'allow', command: 'npm test' },
      { decision: 'deny', command: 'rm **' },
    ]);
  });

  after(async () => {
    for (const key of ['agents', 'permissions.rules']) await set(key, undefined);
    await rm(join(folder(), '.parley-test'), { recursive: true, force: true });
  });

  beforeEach(async () => {
    session = api.sessions.newChat();
    await session.chooseAgent('Fake');
  });

  const send = (...script: string[]): Promise<void> => session.send(script.join('\n'));
  const text = (): string => render(session.state);
  const questions = (): PermissionEntry[] =>
    Array.from(entriesFrom(session.state.entries), ([, entry]) => entry).filter((entry) => entry.kind === 'permission');

  async function answer(optionId: string): Promise<void> {
    await untilEvent(session.onDidDispatch, () => session.state.waiting.length > 0);
    session.userRequests.answer(questions().at(-1)?.permissionId ?? '', optionId);
  }

  const run = (id: string, command: string): string[] => [
    `tool ${id} execute Run`,
    `fields ${id} ${JSON.stringify({ rawInput: { command } })}`,
    `permission ${id} allow_once:Yes reject_once:No`,
  ];

  it('are decided by rules of the settings without a request, and the transcript shows the reason', async () => {
    await send(...run('t1', 'npm test'), ...run('t2', 'npm test && rm -rf src'));
    assert.match(text(), /\[permission t1: allow_once\][^]*\[permission t2: reject_once\]/);
    assert.deepEqual(
      questions().map(({ outcome }) => outcome?.reason),
      ['allowed by your rule “command npm test”', 'denied by your rule “command rm **”'],
    );
    const records = (await api.policy.audit.entries()).filter((record) => record.session === session.id);
    assert.deepEqual(
      records.map(({ decision, by, command }) => [decision, by, command]),
      [
        ['allowed', 'rule', 'npm test'],
        ['denied', 'rule', 'npm test && rm -rf src'],
      ],
    );
  });

  it('of a workspace may deny but not allow', async () => {
    const rules = [{ decision: 'allow' }, { decision: 'deny', command: 'git push **' }];
    await set('permissions.rules', rules, vscode.ConfigurationTarget.Workspace);
    try {
      const turn = send(...run('t1', 'git push origin'), ...run('t2', 'ls'));
      await answer('reject_once');
      await turn;
      assert.match(questions()[0]?.outcome?.reason ?? '', /^denied by a workspace rule/);
      assert.equal(questions()[1]?.outcome?.reason, undefined);
    } finally {
      await set('permissions.rules', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });

  it('are requested by Parley for files outside the workspace and for protected ones', async () => {
    const refused = send('read /etc/passwd');
    await answer('reject');
    await refused;
    assert.match(text(), /\/etc\/passwd was not read: the user rejected it/);
    assert.doesNotMatch(text(), /root:/);
    const written = send('write .parley-test/.vscode/settings.json {}');
    await answer('allowOnce');
    await written;
    assert.equal(await readFile(join(folder(), '.parley-test/.vscode/settings.json'), 'utf8'), '{}');
    assert.match(questions()[1]?.why ?? '', /is read by a tool that can run code from it/);
  });

  it('reject a terminal command that a rule denies', async () => {
    await send('terminal rm -rf nothing');
    assert.match(text(), /The command "rm -rf nothing" was not run: denied by your rule/);
  });

  it('of a plan reject it after an edit, which becomes the next message', async () => {
    const plan = { rawInput: { plan: '# Plan\n\n1. Do it' } };
    const options = 'permission p allow_once:Yes reject_once:No';
    const first = send(
      'tool p switch_mode Ready to code?',
      `fields p ${JSON.stringify(plan)}`,
      options,
      'text First end',
    );
    await untilEvent(session.onDidDispatch, () => session.state.waiting.length > 0);
    const plans = new PlanEditor(() => undefined);
    try {
      await plans.open(session, questions().at(-1)?.permissionId ?? '');
      const editor = vscode.window.activeTextEditor;
      assert.equal(editor?.document.getText(), '# Plan\n\n1. Do it');
      const name = editor?.document.uri.toString();
      const showsPlan = ({ input }: vscode.Tab): boolean =>
        input instanceof vscode.TabInputText && input.uri.toString() === name;
      await plans.send();
      assert.equal(session.state.waiting.length, 1, 'an unchanged plan is not sent');
      await editor?.edit((edit) => edit.insert(new vscode.Position(2, 0), '1. Test it\n'));
      await plans.send();
      await first;
      // The queue prepares the message after the turn has ended.
      await untilEvent(session.onDidDispatch, () => text().includes('Follow this plan instead:'));
      assert.match(text(), /\[permission p: reject_once\][^]*First end[^]*Follow this plan instead:[^]*1\. Test it\n/);
      // VS Code may keep the empty document without an editor.
      await becomes(() => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).some(showsPlan), false);
      await assert.rejects(plans.open(session, 'p'), /already answered or withdrawn/);
    } finally {
      plans.dispose();
    }
  });
});

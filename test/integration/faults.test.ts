import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/testApi';
import type { Session } from '../../src/session/session';
import { entriesFrom, entryAt, lastEntry } from '../../src/shared/state/entryPages';
import type { Entry, SessionState } from '../../src/shared/state/sessionState';
import { fakeAgent } from '../fakeAgent/definition';
import { render } from '../replay/render';

/** The complete extension with a misbehaving agent: real processes, real files, the real composition root. */
describe('a faulty agent', () => {
  let api: TestApi;
  let session: Session;

  before(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('parley.parley');
    assert.ok(extension);
    api = await extension.activate();
    const { command, args, env } = fakeAgent();
    const gemini = { command, args, env: { ...env, FAKE_NAME: 'gemini-cli' } };
    const agents = { Fake: { command, args, env }, Gemini: gemini };
    await vscode.workspace.getConfiguration('parley').update('agents', agents, vscode.ConfigurationTarget.Global);
  });

  after(async () => {
    await vscode.workspace.getConfiguration('parley').update('agents', undefined, vscode.ConfigurationTarget.Global);
  });

  beforeEach(async () => {
    session = api.sessions.newChat();
    await session.chooseAgent('Fake');
  });

  const send = (...script: string[]): Promise<void> => session.send(script.join('\n'));
  const entries = (): Entry[] => Array.from(entriesFrom(session.state.entries), ([, entry]) => entry);
  const text = (): string => render(session.state);

  function until(wished: (state: SessionState) => boolean): Promise<void> {
    if (wished(session.state)) return Promise.resolve();
    return new Promise((resolve) => {
      const subscription = session.onDidDispatch(() => {
        if (!wished(session.state)) return;
        subscription.dispose();
        resolve();
      });
    });
  }

  it('is killed during a turn: the end of stderr is shown, and Restart Agent continues', async () => {
    await send('text half', 'stderr Segmentation fault in module 7', 'kill');
    const error = entries().find((entry) => entry.kind === 'error');
    assert.ok(error?.kind === 'error');
    assert.match(error.detail ?? '', /Segmentation fault in module 7/);
    assert.equal(session.state.connection.status, 'exited');
    assert.equal(session.state.turn.status, 'idle');
    await vscode.commands.executeCommand('parley.restartAgent');
    assert.equal(session.state.connection.status, 'ready');
    await send('text alive');
    assert.match(text(), /alive/);
  });

  it('writes other text on stdout: it is ignored', async () => {
    await send('noise npm WARN deprecated', 'text one ', 'noise {"half": ', 'noise [1,2]', 'text two');
    assert.match(text(), /\[agent\]\n {2}one ?two/);
    const answers = entries().filter((entry) => entry.kind !== 'user');
    assert.doesNotMatch(JSON.stringify(answers), /WARN|half/);
  });

  it('sends a line of 4 MiB: it arrives completely', async () => {
    await send(`bigline ${4 * 1024 * 1024}`, 'text END');
    const answer = entries().find((entry) => entry.kind === 'agent');
    assert.ok(answer?.kind === 'agent');
    assert.ok(answer.text.length >= 4 * 1024 * 1024, `${answer.text.length} characters`);
    assert.ok(answer.text.endsWith('END'));
  });

  it('sends an unknown update: it is kept and shown as JSON', async () => {
    await send('session-update {"sessionUpdate":"hologram","angle":42}', 'text on');
    const raw = entries().find((entry) => entry.kind === 'raw');
    assert.deepEqual(raw?.kind === 'raw' && [raw.label, raw.value], ['hologram', { angle: 42 }]);
    assert.match(text(), /on/);
  });

  it('offers a permission option of an unknown kind: it can be selected, and is returned unchanged', async () => {
    const turn = send('permission t1 allow_once:Yes delegate:Ask_my_mother');
    await until((state) => state.waiting.length > 0);
    const asked = entryAt(session.state.entries, session.state.waiting[0] ?? -1);
    assert.ok(asked?.kind === 'permission');
    assert.deepEqual(
      asked.options.map((option) => option.name),
      ['Yes', 'Ask my mother'],
    );
    session.userRequests.answer(asked.permissionId, 'delegate');
    await turn;
    assert.match(text(), /\[permission t1: delegate\]/);
  });

  it('reads unsaved text of the editor, and writes to disk through the editor', async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    const document = await vscode.workspace.openTextDocument(join(folder, 'README.md'));
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'UNSAVED LINE\n'));
    await send('read README.md 1 1', 'write made/by/agent.txt content');
    await vscode.commands.executeCommand('workbench.action.files.revert');
    assert.match(text(), /UNSAVED LINE/);
    assert.equal(await readFile(join(folder, 'made/by/agent.txt'), 'utf8'), 'content');
  });

  it('reads a missing file: -32002 with the path, and empty text only for Gemini', async () => {
    await send('read nowhere.txt');
    assert.match(text(), /read nowhere\.txt: .*-32002/);
    session = api.sessions.newChat();
    await session.chooseAgent('Gemini');
    await send('read nowhere.txt');
    assert.match(text(), /\[read nowhere\.txt: \]/);
  });

  it('runs a command: its output and exit are in the transcript', async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    await writeFile(join(folder.uri.fsPath, 'product.cjs'), 'console.log(6*7)');
    await send('show-terminal t1 node product.cjs');
    const [terminal] = Object.values(session.state.terminals);
    assert.ok(terminal);
    assert.match(terminal.output, /42/);
    assert.equal(terminal.exit?.code, 0);
  });

  it('does not stop: after the time limit, Force Stop ends it', async () => {
    const turn = send('ignore-cancel', 'text busy', 'hang');
    await until((state) => lastEntry(state.entries)?.kind === 'agent');
    const restore = skipWait(10_000);
    try {
      await vscode.commands.executeCommand('parley.stop');
      await until(({ turn: running }) => running.status === 'running' && running.overdue === true);
    } finally {
      restore();
    }
    await vscode.commands.executeCommand('parley.forceStop');
    await turn;
    assert.match(text(), /turn: idle cancelled/);
    assert.equal(session.state.connection.status, 'idle');
  });
});

/**
 * The next timer of exactly this many milliseconds fires at once.
 * @returns restores timers
 */
function skipWait(ms: number): () => void {
  const original = globalThis.setTimeout;
  const restore = (): void => {
    globalThis.setTimeout = original;
  };
  const replacement = (callback: () => void, after?: number, ...args: []): NodeJS.Timeout => {
    if (after !== ms) return original(callback, after, ...args);
    restore();
    return original(callback, 0);
  };
  globalThis.setTimeout = Object.assign(replacement, original);
  return restore;
}

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/app';
import type { LiveSession } from '../../src/session/liveSession';
import { entriesFrom, lastEntry } from '../../src/shared/state/entryPages';
import type { Entry } from '../../src/shared/state/sessionState';
import { fakeAgent } from '../fakeAgent/definition';
import { untilEvent } from '../kit/waiting';
import { render } from '../replay/render';

/** The complete extension with a misbehaving agent: real processes, real files, the real composition root. */
describe('a faulty agent', () => {
  let api: TestApi;
  let session: LiveSession;

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

  it('reads a missing file: -32002 with the path, and empty text only for Gemini', async () => {
    await send('read nowhere.txt');
    assert.match(text(), /read nowhere\.txt: .*-32002/);
    session = api.sessions.newChat();
    await session.chooseAgent('Gemini');
    await send('read nowhere.txt');
    assert.match(text(), /\[read nowhere\.txt: \]/);
  });

  it('does not stop: after the time limit, Force Stop ends it', async () => {
    const turn = send('ignore-cancel', 'text busy', 'hang');
    await untilEvent(session.onDidDispatch, () => lastEntry(session.state.entries)?.kind === 'agent');
    const restore = skipWait(10_000);
    try {
      await vscode.commands.executeCommand('parley.stop');
      await untilEvent(session.onDidDispatch, () => {
        const { turn: running } = session.state;
        return running.status === 'running' && running.overdue === true;
      });
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

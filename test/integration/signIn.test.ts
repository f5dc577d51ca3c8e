import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TerminalLaunch } from '../../src/agent/connection/authMethods';
import { ParleyError } from '../../src/base/errors';
import { runInTerminal } from '../../src/client/terminal/runInTerminal';
import { fakeAgent } from '../fakeAgent/definition';
import { temporaryFolder } from '../kit/temporaryFolder';
import { untilEvent } from '../kit/waiting';

describe('signing in by a command in a terminal', () => {
  let folder: string;
  const running = new AbortController();

  beforeEach(() => (folder = temporaryFolder()));

  function launch(env: Record<string, string> = {}): TerminalLaunch {
    const agent = fakeAgent({ FAKE_AUTH_FILE: join(folder, 'token'), ...env });
    return {
      agent: 'fake',
      title: 'Fake login',
      command: agent.command,
      args: [...agent.args, '--login'],
      env: agent.env,
      cwd: folder,
    };
  }

  /** The terminal of the command, once it exists. */
  async function opened(): Promise<vscode.Terminal> {
    const found = (): vscode.Terminal | undefined => vscode.window.terminals.find(({ name }) => name === 'Fake login');
    await untilEvent(vscode.window.onDidOpenTerminal, () => found() !== undefined);
    return found() ?? assert.fail();
  }

  it('returns the exit code of a command that receives user input', async () => {
    const code = runInTerminal(launch({ FAKE_AUTH_ASK: '1' }), running.signal);
    const terminal = await opened();
    await terminal.processId;
    terminal.sendText('the code');
    assert.equal(await code, 0);
    assert.ok(existsSync(join(folder, 'token')));
  });

  it('reports a command that fails', async () => {
    assert.equal(await runInTerminal(launch({ FAKE_AUTH_EXIT: '3' }), running.signal), 3);
    assert.ok(!existsSync(join(folder, 'token')));
  });

  it('closes the terminal when the sign-in is canceled', async () => {
    const abort = new AbortController();
    const code = runInTerminal(launch({ FAKE_AUTH_ASK: '1' }), abort.signal);
    const terminal = await opened();
    await terminal.processId;
    abort.abort();
    await assert.rejects(code, (error) => ParleyError.is(error, 'canceled'));
    await untilEvent(vscode.window.onDidCloseTerminal, () => !vscode.window.terminals.includes(terminal));
    assert.ok(!existsSync(join(folder, 'token')));
  });
});

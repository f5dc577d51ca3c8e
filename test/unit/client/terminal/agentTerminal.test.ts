import assert from 'node:assert/strict';
import { nullLogger } from '../../../../src/base/logger';
import { AgentTerminal } from '../../../../src/client/terminal/agentTerminal';
import { PipedCommand } from '../../../../src/client/terminal/pipedCommand';
import type { SessionHandle } from '../../../../src/session/sessionHandle';
import type { Action } from '../../../../src/shared/state/sessionActions';
import { emptySession } from '../../../../src/shared/state/sessionState';
import { until } from '../../../kit/waiting';

describe('client/terminal/agentTerminal', () => {
  const actions: Action[] = [];
  const session: SessionHandle = {
    id: 's',
    cwd: '/',
    folders: [],
    state: emptySession('s'),
    dispatch: (action) => void actions.push(action),
    userRequests: {
      requestPermission: () => Promise.reject(new Error('not asked here')),
      authorize: () => assert.fail('not asked here'),
      judge: () => assert.fail('not asked here'),
      elicit: () => assert.fail('not asked here'),
    },
  };
  const options = { terminalId: 't', agentSessionId: 'a', session, limit: 1000, agentLimit: 1000, isScreen: false };
  const where = { cwd: '/', env: { PATH: process.env['PATH'] ?? '' } };
  const start = async (terminal: AgentTerminal, file: string, args: string[]): Promise<void> => {
    const plan = { file, args, isVerbatim: false };
    terminal.attach(await PipedCommand.start(plan, where, nullLogger, terminal.onData), 'x', '/');
  };

  beforeEach(() => void actions.splice(0));

  it('adds the start, the whole output and the end to the transcript, in this order', async () => {
    const terminal = new AgentTerminal(options);
    await start(terminal, process.execPath, ['-e', 'console.log("!"); process.exit(4)']);
    await terminal.done;
    assert.deepEqual(
      actions.map(({ type }) => type),
      ['terminalCreated', 'terminalOutput', 'terminalExited'],
    );
    assert.deepEqual(terminal.read(), { output: '!\n', truncated: false, exitStatus: { exitCode: 4, signal: null } });
    terminal.dispose();
  });

  it('I5: ends background processes of an exited command on disposal', async function () {
    if (process.platform === 'win32') this.skip();
    const terminal = new AgentTerminal(options);
    await start(terminal, '/bin/sh', ['-c', 'sleep 1000 >/dev/null 2>&1 & echo $!']);
    await terminal.done;
    const left = Number(terminal.read().output);
    assert.ok(isRunning(left));
    terminal.dispose();
    await until(() => !isRunning(left));
  });

  it('returns rendered output of a terminal, and raw output of a pipe', () => {
    const output = '\u001b[32mok\u001b[0m\r\n10%\r\u001b[K100%\r\n';
    const read = (isScreen: boolean): string => {
      const terminal = new AgentTerminal({ ...options, isScreen });
      terminal.onData(output);
      terminal.dispose();
      return terminal.read().output;
    };
    assert.equal(read(true), 'ok\n100%\n');
    assert.equal(read(false), output);
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

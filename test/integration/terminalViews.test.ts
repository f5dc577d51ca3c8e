import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Emitter } from '../../src/base/event';
import { NodePtyLoader } from '../../src/client/terminal/nodePty';
import { TerminalFeature } from '../../src/client/terminal/terminalFeature';
import { TerminalMirrors } from '../../src/client/terminal/terminalMirrors';
import type { Session } from '../../src/session/session';
import type { Dispatched } from '../../src/session/sessionModel';
import type { Action } from '../../src/shared/state/sessionActions';
import { stubOf } from '../kit/stubOf';
import { untilEvent } from '../kit/waiting';
import { AGENT_SESSION, call, RecordingSession, nullLogger, workspaceFolder } from './clientHelp';

class TerminalSession extends RecordingSession {
  readonly #dispatched = new Emitter<Dispatched>();
  readonly onDidDispatch = this.#dispatched.event;

  override dispatch(action: Action): void {
    super.dispatch(action);
    this.#dispatched.fire({ seq: 1, action });
  }
}

describe('"Show in Terminal"', () => {
  const source = new NodePtyLoader(vscode.env.appRoot, nullLogger);
  let session: TerminalSession;
  let shownSession: Session;
  let terminals: TerminalFeature;
  let views: TerminalMirrors;
  let before: readonly vscode.Terminal[];

  beforeEach(() => {
    before = vscode.window.terminals;
    session = new TerminalSession([workspaceFolder()]);
    shownSession = stubOf<Session>(session);
    // Loops and reads from the terminal require permission, which these tests do not cover.
    session.ownAnswer = true;
    const outputLimit = () => 1024 * 1024;
    terminals = new TerminalFeature(session.lookup(), nullLogger, outputLimit, source);
    views = new TerminalMirrors((terminalId) => terminals.tty(terminalId));
  });

  afterEach(async () => {
    await terminals.releaseAll(AGENT_SESSION);
    terminals.dispose();
    const closed = untilEvent(vscode.window.onDidCloseTerminal, () => opened().length === 0);
    views.dispose();
    await closed;
  });

  const opened = (): vscode.Terminal[] => vscode.window.terminals.filter((terminal) => !before.includes(terminal));
  const show = async (terminalId: string): Promise<vscode.Terminal> => {
    const open = untilEvent(vscode.window.onDidOpenTerminal, () => opened().length === 1);
    assert(views.show(shownSession, terminalId));
    await open;
    const [terminal] = opened();
    assert(terminal);
    return terminal;
  };
  const create = async (script: string): Promise<string> => {
    const params = { command: 'sh', args: ['-c', script] };
    return ((await call(terminals, 'terminal/create', params)) as { terminalId: string }).terminalId;
  };
  const shown = (terminalId: string): string => session.state.terminals[terminalId]?.output ?? '';
  const exit = (terminalId: string) => call(terminals, 'terminal/wait_for_exit', { terminalId });

  /** Content of the terminal, through its own "select all" and "copy". */
  const textOf = async (terminal: vscode.Terminal, pattern: RegExp): Promise<string> => {
    for (;;) {
      terminal.show();
      await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
      await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
      const text = await vscode.env.clipboard.readText();
      if (pattern.test(text)) return text;
    }
  };

  it('passes user input to the command', async () => {
    const terminalId = await create('printf "Name? "; read name; echo "Hello $name"');
    await session.until(() => shown(terminalId).includes('Name? '));
    const terminal = await show(terminalId);
    terminal.sendText('Ada');
    assert.deepEqual(await exit(terminalId), { exitCode: 0, signal: null });
    assert.match(shown(terminalId), /Hello Ada/);
    assert.match(await textOf(terminal, /ended/), /Name\? Ada\s+Hello Ada\s+The command has ended: code 0/);
  });

  it('sends nothing that the user has not typed, whatever the command writes', async () => {
    const queries = String.raw`\033[6n\033[c\033]52;c;?\007\033]11;?\007\033[?1004h`;
    const terminalId = await create(
      `stty -echo; printf '${queries}first '; read x; printf '${queries}second '; read -r line; echo "got $line"`,
    );
    await session.until(() => shown(terminalId).includes('first'));
    const terminal = await show(terminalId);
    await textOf(terminal, /first/);
    terminal.sendText('');
    await textOf(terminal, /second/);
    terminal.sendText('typed');
    await exit(terminalId);
    assert.match(shown(terminalId), /got typed/);
  });

  it('passes its size to the command, and again after it was closed', async () => {
    const terminalId = await create(`trap 'stty size' WINCH; echo ready; while :; do sleep 1000 & wait $!; done`);
    await session.until(() => shown(terminalId).includes('ready'));
    const terminal = await show(terminalId);
    await session.until(() => /ready\r\n\d+ \d+\r\n/.test(shown(terminalId)));
    const closed = untilEvent(vscode.window.onDidCloseTerminal, () => opened().length === 0);
    terminal.dispose();
    await closed;
    await session.until(() => shown(terminalId).endsWith('30 120\r\n'));
    assert.equal(session.state.terminals[terminalId]?.exit, undefined, 'closing it does not stop the command');
  });

  it('opens one terminal for a command, and a new one after it was closed, also after release', async () => {
    const terminalId = await create('echo kept');
    await exit(terminalId);
    await show(terminalId);
    assert(views.show(shownSession, terminalId));
    assert.equal(opened().length, 1);
    const closed = untilEvent(vscode.window.onDidCloseTerminal, () => opened().length === 0);
    opened()[0]?.dispose();
    await closed;
    await call(terminals, 'terminal/release', { terminalId });
    await textOf(await show(terminalId), /kept\s+The command has ended: code 0/);
  });

  it('shows stored output of an earlier window, and of commands that the agent ran itself', async () => {
    const at = Date.now();
    session.dispatch({ type: 'terminalCreated', terminalId: 'own', command: 'make', foreign: true, at });
    session.dispatch({ type: 'terminalOutput', terminalId: 'own', data: 'cc a.c\ncc b.c\n' });
    const terminal = await show('own');
    await textOf(terminal, /Read-only: input is not sent[^]*cc a\.c\s+cc b\.c/);
    terminal.sendText('nobody reads this');
    session.dispatch({ type: 'terminalOutput', terminalId: 'own', data: 'ld\n' });
    session.dispatch({ type: 'terminalExited', terminalId: 'own', signal: 'window reloaded', at });
    const text = await textOf(terminal, /window reloaded/);
    assert.match(text, /cc b\.c\s+ld\s+The command has ended: window reloaded/);
    assert.doesNotMatch(text, /nobody/);
    assert(!views.show(shownSession, 'unknown'));
  });
});

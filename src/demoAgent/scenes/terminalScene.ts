import type { CreateTerminalRequest, CreateTerminalResponse } from '@agentclientprotocol/sdk/unstable';
import { methods } from '@agentclientprotocol/sdk/unstable';
import { CanceledError } from '../../base/errors';
import { asObject, asNumber, asString } from '../../base/json';
import type { DemoToolCall } from '../demoToolCall';
import { runDemoTool } from '../demoToolCall';
import type { DemoTurn } from '../demoTurn';
import type { Scene } from './scene';

/** Runs a harmless command in a client terminal with live output. */
export const run: Scene = {
  step: 'Run a harmless command',
  needs: 'terminal',
  isActing: true,
  async play(turn) {
    const command = process.execPath;
    const args = ['-e', listing(turn.pace.ms * 6)];
    const start = { title: 'List the files of this folder', kind: 'execute', rawInput: { command, args } } as const;
    return runDemoTool(turn, start, (tool) => execute(turn, tool, command, args));
  },
};

async function execute(turn: DemoTurn, tool: DemoToolCall, command: string, args: string[]): Promise<string> {
  // Uses our own executable, so that node need not be on PATH; the variable makes Electron run as Node.
  const env = [{ name: 'ELECTRON_RUN_AS_NODE', value: '1' }];
  const params = { sessionId: turn.session.id, command, args, env, cwd: turn.session.cwd, outputByteLimit: 65_536 };
  return withTerminal(turn, params, async ({ terminalId, finish }) => {
    await tool.change({ status: 'in_progress', content: [{ type: 'terminal', terminalId }] });
    const { exit, hasSucceeded, output } = await finish();
    await tool.change({ status: hasSucceeded ? 'completed' : 'failed', rawOutput: { exit } });
    const lines = output.split('\n').filter((line) => line.trim() !== '').length;
    await turn.streamMessage(
      `The command ended with ${exit} after ${lines} ${lines === 1 ? 'line' : 'lines'} of output.`,
    );
    return exit;
  });
}

/** A program that lists up to eight files of its folder, one every `ms` milliseconds, in color. */
function listing(ms: number): string {
  return [
    `const names = require('node:fs').readdirSync('.').sort();`,
    `let next = 0;`,
    `const timer = setInterval(() => {`,
    `  const name = next < 8 ? names[next++] : undefined;`,
    `  if (name !== undefined) return console.log('\\x1b[32m✔\\x1b[0m ' + name);`,
    `  console.log('\\x1b[1m' + names.length + '\\x1b[0m entries, seen by Node ' + process.version);`,
    `  clearInterval(timer);`,
    `}, ${Math.round(ms)});`,
  ].join('\n');
}

/** A command that the client runs for the demo agent. */
interface RunningCommand {
  readonly terminalId: string;
  /** Waits for the command's end; resolves with its exit code or signal and the complete output. */
  readonly finish: () => Promise<{ readonly exit: string; readonly hasSucceeded: boolean; readonly output: string }>;
}

/**
 * Runs a command in a client terminal during `work`. The terminal is always released, and a running command is killed
 * before, even when the cancellation arrives while the terminal is being created.
 */
async function withTerminal<T>(
  turn: DemoTurn,
  params: CreateTerminalRequest,
  work: (command: RunningCommand) => Promise<T>,
): Promise<T> {
  if (turn.signal.aborted) throw new CanceledError();
  const creating = turn.client.request(methods.client.terminal.create, params);
  const { terminalId } = await killIfCanceled(turn, creating);
  let hasExited = false;
  const finish: RunningCommand['finish'] = async () => {
    const request = { sessionId: turn.session.id, terminalId };
    const exit = asObject(await turn.request(methods.client.terminal.waitForExit, request)) ?? {};
    hasExited = true;
    const { output } = await turn.request(methods.client.terminal.output, request);
    const code = asNumber(exit['exitCode']);
    const signal = asString(exit['signal']);
    return { exit: signal ? `signal ${signal}` : `exit code ${code ?? 'unknown'}`, hasSucceeded: code === 0, output };
  };
  try {
    return await work({ terminalId, finish });
  } finally {
    endTerminal(turn, terminalId, !hasExited);
  }
}

/**
 * The new terminal.
 * @throws CanceledError immediately on cancellation; a terminal created later is then released
 */
async function killIfCanceled(
  turn: DemoTurn,
  creating: Promise<CreateTerminalResponse>,
): Promise<CreateTerminalResponse> {
  const canceled = new Promise<never>((_resolve, reject) => {
    turn.signal.addEventListener('abort', () => reject(new CanceledError()), { once: true });
  });
  try {
    return await Promise.race([creating, canceled]);
  } catch (error) {
    creating.then(
      ({ terminalId }) => endTerminal(turn, terminalId, true),
      () => undefined,
    );
    throw error;
  }
}

/** Not awaited: the requests keep their order on the wire, and the end of a turn must not wait for a slow client. */
function endTerminal(turn: DemoTurn, terminalId: string, shouldKill: boolean): void {
  const request = { sessionId: turn.session.id, terminalId };
  const { terminal } = methods.client;
  if (shouldKill) turn.client.request(terminal.kill, request).catch(() => undefined);
  turn.client.request(terminal.release, request).catch(() => undefined);
}

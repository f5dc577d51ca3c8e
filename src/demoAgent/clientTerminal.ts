import type { CreateTerminalRequest, CreateTerminalResponse } from '@agentclientprotocol/sdk';
import { methods } from '@agentclientprotocol/sdk';
import { CanceledError } from '../base/errors';
import { asObject, asNumber, asString } from '../base/json';
import type { Turn } from './demoTurn';

/** A command that the client runs for the demo agent. */
interface RunningCommand {
  readonly terminalId: string;
  /** Waits for the command's end; resolves with its exit code or signal and the complete output. */
  readonly finish: () => Promise<{ readonly exit: string; readonly succeeded: boolean; readonly output: string }>;
}

/**
 * Runs a command in a client terminal during `work`. The terminal is always released, and a running command is killed
 * before, even when the cancellation arrives while the terminal is being created.
 */
export async function withTerminal<T>(
  turn: Turn,
  params: CreateTerminalRequest,
  work: (command: RunningCommand) => Promise<T>,
): Promise<T> {
  if (turn.signal.aborted) throw new CanceledError();
  const creating = turn.client.request(methods.client.terminal.create, params);
  const { terminalId } = await orKillLater(turn, creating);
  let exited = false;
  const finish: RunningCommand['finish'] = async () => {
    const request = { sessionId: turn.session.id, terminalId };
    const exit = asObject(await turn.request(methods.client.terminal.waitForExit, request)) ?? {};
    exited = true;
    const { output } = await turn.request(methods.client.terminal.output, request);
    const code = asNumber(exit['exitCode']);
    const signal = asString(exit['signal']);
    return { exit: signal ? `signal ${signal}` : `exit code ${code ?? 'unknown'}`, succeeded: code === 0, output };
  };
  try {
    return await work({ terminalId, finish });
  } finally {
    end(turn, terminalId, !exited);
  }
}

/**
 * The new terminal.
 * @throws CanceledError immediately on cancellation; a terminal created later is then released
 */
async function orKillLater(turn: Turn, creating: Promise<CreateTerminalResponse>): Promise<CreateTerminalResponse> {
  const canceled = new Promise<never>((_resolve, reject) => {
    turn.signal.addEventListener('abort', () => reject(new CanceledError()), { once: true });
  });
  try {
    return await Promise.race([creating, canceled]);
  } catch (error) {
    creating.then(
      ({ terminalId }) => end(turn, terminalId, true),
      () => undefined,
    );
    throw error;
  }
}

/** Not awaited: the requests keep their order on the wire, and the end of a turn must not wait for a slow client. */
function end(turn: Turn, terminalId: string, kill: boolean): void {
  const request = { sessionId: turn.session.id, terminalId };
  const { terminal } = methods.client;
  if (kill) turn.client.request(terminal.kill, request).catch(() => undefined);
  turn.client.request(terminal.release, request).catch(() => undefined);
}

import { errorMessage, systemErrorCode } from '../../base/errors';
import type { Logger } from '../../base/logger';
import { RpcError, rpcCodes } from '../../base/jsonRpc';
import type { SpawnPlan } from './commandLine';
import { fitsArgumentLimit, requireProgram } from './commandLine';
import { PipedCommand } from './pipedCommand';
import type { PtyModule } from './nodePty';
import { PtyCommand } from './ptyCommand';
import type { CommandEnvironment, OnData, RunningCommand } from './commandHandle';

interface CommandStart {
  readonly plan: SpawnPlan;
  readonly environment: CommandEnvironment;
  /** As written by the agent, for errors. */
  readonly command: string;
  readonly log: Logger;
  readonly onData: OnData;
}

/**
 * Starts a command in a pseudo-terminal if available, else on pipes.
 * @throws RpcError that names the command and the reason
 */
export async function startCommand(start: CommandStart, pty: PtyModule | undefined): Promise<RunningCommand> {
  const { plan, environment, log, onData } = start;
  try {
    const terminal = pty && fitsArgumentLimit(plan, environment.env) ? await startInPty(start, pty) : undefined;
    return terminal ?? (await PipedCommand.start(plan, environment, log, onData));
  } catch (error) {
    throw cannotStart(start.command, error);
  }
}

/** Undefined when the system has no free pseudo-terminal: the command can still run on pipes. */
async function startInPty(start: CommandStart, pty: PtyModule): Promise<RunningCommand | undefined> {
  const { plan, environment, log, onData } = start;
  await requireProgram(plan.file, environment.cwd, environment.env);
  try {
    return PtyCommand.start(pty, plan, environment, log, onData);
  } catch (error) {
    log.warn(
      'client',
      `Failed to open a pseudo-terminal for "${start.command}", ran it on pipes: ${errorMessage(error)}`,
    );
    return undefined;
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'was not found',
  EACCES: 'is not executable',
  E2BIG: 'has more arguments and variables than the system allows',
};

export function cannotStart(command: string, error: unknown): RpcError {
  const reason = reasons[systemErrorCode(error) ?? ''] ?? `could not be started: ${errorMessage(error)}`;
  return new RpcError(rpcCodes.internalError, `The command "${command}" ${reason}`, { command });
}

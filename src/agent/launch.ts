import type { SpawnOptions } from 'node:child_process';
import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ParleyError, messageOf } from '../base/errors';
import type { Log } from '../base/log';
import type { AgentDefinition } from './definition';
import { agentEnvironment, withLoginPath } from './environment';
import { batchCommandLine, isBatchFile, resolveOnWindows } from './windows';

/** What to give to `spawn`. */
export interface LaunchPlan {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
}

/** Works out how to start an agent here, without a shell. @throws ParleyError when the folder or (on Windows) the command is missing. */
export async function planLaunch(definition: AgentDefinition, folder: string, log: Log): Promise<LaunchPlan> {
  const cwd = definition.cwd ?? folder;
  const isFolder = await stat(cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw noFolder(definition, cwd);
  const windows = process.platform === 'win32';
  const own = agentEnvironment(process.env, definition.env, windows);
  const env = 'PATH' in definition.env ? own : await withLoginPath(own, log);
  const options: SpawnOptions = { cwd, env, stdio: 'pipe', detached: !windows, windowsHide: true, shell: false };
  if (!windows) return { file: definition.command, args: definition.args, options };
  return planOnWindows(definition, cwd, env, options);
}

function planOnWindows(
  definition: AgentDefinition,
  cwd: string,
  env: Record<string, string>,
  options: SpawnOptions,
): LaunchPlan {
  const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  const file = resolveOnWindows(definition.command, cwd, env, isFile);
  if (file === undefined) throw cannotStart(definition, { code: 'ENOENT' });
  if (!isBatchFile(file)) return { file, args: definition.args, options };
  try {
    const args = batchCommandLine(file, definition.args);
    const shell = env['ComSpec'] ?? env['COMSPEC'] ?? 'cmd.exe';
    return { file: shell, args, options: { ...options, windowsVerbatimArguments: true } };
  } catch (error) {
    throw cannotStart(definition, error);
  }
}

/** The error for the person when `spawn` failed. */
export function cannotStart(definition: AgentDefinition, error: unknown): ParleyError {
  const code = (error as { code?: unknown }).code;
  const reasons: Record<string, string> = { ENOENT: 'was not found', EACCES: 'may not be executed' };
  const reason = reasons[String(code)] ?? `could not be run: ${messageOf(error)}`;
  return new ParleyError(
    'agentNotFound',
    `Cannot start ${definition.title}: command "${definition.command}" ${reason}`,
    {
      nextStep: `Install it, or correct "command" of "${definition.name}" in the setting parley.agents.`,
      cause: error,
    },
  );
}

function noFolder(definition: AgentDefinition, cwd: string): ParleyError {
  return new ParleyError('agentNotFound', `Cannot start ${definition.title}: the folder ${cwd} does not exist`, {
    nextStep: definition.cwd
      ? `Correct "cwd" of "${definition.name}" in the setting parley.agents.`
      : 'Open a folder that exists.',
  });
}

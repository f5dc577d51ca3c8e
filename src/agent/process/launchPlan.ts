import type { SpawnOptions } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { ParleyError, errorMessage } from '../../base/errors';
import { t } from '../../base/l10n';
import type { Logger } from '../../base/logger';
import { resolveWindowsCommand } from '../../node/fs/resolveWindowsCommand';
import { processEnvironment, pathKey, withLoginShellPath, withSafePath } from '../../node/process/processEnvironment';
import { batchCommandLine, isBatchFile } from '../../node/process/windowsCommand';
import type { AgentDefinition } from '../config/agentDefinition';
import type { LaunchDiagnosis } from './launchDiagnostics';
import { explainCommandNotFound, installHint } from './launchDiagnostics';

/** Arguments for `spawn`. */
export interface LaunchPlan {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
}

/**
 * Plans the start of a local agent, without a shell.
 * @param cwd absolute
 * @param isExcluded folders of PATH where programs are not searched; relative folders are always excluded
 * @throws ParleyError when the folder or (on Windows) the command is missing
 */
export async function planLaunch(
  definition: AgentDefinition,
  cwd: string,
  log: Logger,
  isExcluded: (folder: string) => Promise<boolean> = () => Promise.resolve(false),
): Promise<LaunchPlan> {
  const isFolder = await stat(cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw noFolder(definition, cwd);
  const isWindows = process.platform === 'win32';
  const own = processEnvironment(process.env, definition.env, isWindows);
  const full = 'PATH' in definition.env ? own : await withLoginShellPath(own, log);
  const env = await withSafePath(full, isExcluded);
  // Some programs trust PWD more than the system's working folder.
  if (!isWindows) env['PWD'] = cwd;
  const options: SpawnOptions = { cwd, env, stdio: 'pipe', detached: !isWindows, windowsHide: true, shell: false };
  if (!isWindows) return { file: definition.command, args: definition.args, options };
  return planOnWindows(definition, cwd, env, options);
}

function planOnWindows(
  definition: AgentDefinition,
  cwd: string,
  env: Record<string, string>,
  options: SpawnOptions,
): LaunchPlan {
  const file = resolveWindowsCommand(definition.command, cwd, env);
  if (file === undefined) throw launchError(definition, { code: 'ENOENT' }, env);
  if (!isBatchFile(file)) return { file, args: definition.args, options };
  try {
    const args = batchCommandLine(file, definition.args);
    const shell = env['ComSpec'] ?? env['COMSPEC'] ?? 'cmd.exe';
    return { file: shell, args, options: { ...options, windowsVerbatimArguments: true } };
  } catch (error) {
    throw launchError(definition, error);
  }
}

/**
 * The user's error after a failed `spawn`.
 * @param env the environment of the attempt
 */
export function launchError(
  definition: AgentDefinition,
  error: unknown,
  env: Readonly<Record<string, string | undefined>> = {},
): ParleyError {
  const { reason, nextStep, detail } = whyNot(definition, error, env);
  const sentence = t('Cannot start {0}: command "{1}" {2}', definition.title, definition.command, reason);
  return new ParleyError('agentNotFound', sentence, {
    nextStep,
    cause: error,
    ...(detail !== undefined && { detail }),
  });
}

function whyNot(
  definition: AgentDefinition,
  error: unknown,
  env: Readonly<Record<string, string | undefined>>,
): LaunchDiagnosis {
  switch ((error as { code?: unknown }).code) {
    case 'ENOENT':
      return explainCommandNotFound(definition, env[pathKey(env)]);
    case 'EACCES':
      return {
        reason: t('is not executable'),
        nextStep: t('Make it executable (chmod +x). {0}', installHint(definition)),
      };
    case 'ENOEXEC':
      return { reason: t('cannot run on this machine'), nextStep: installHint(definition) };
    default:
      return { reason: t('could not be run: {0}', errorMessage(error)), nextStep: installHint(definition) };
  }
}

function noFolder(definition: AgentDefinition, cwd: string): ParleyError {
  return new ParleyError('agentNotFound', t('Cannot start {0}: the folder {1} does not exist', definition.title, cwd), {
    nextStep: definition.cwd
      ? t('Correct "cwd" of "{0}" in the setting parley.agents.', definition.name)
      : t('Open an existing folder.'),
  });
}

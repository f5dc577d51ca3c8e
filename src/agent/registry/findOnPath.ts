import { constants, accessSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Logger } from '../../base/logger';
import { isFileSync } from '../../node/fs/realPaths';
import { resolveWindowsCommand } from '../../node/fs/resolveWindowsCommand';
import type { Env } from '../../node/process/processEnvironment';
import { processEnvironment, pathKey, withLoginShellPath } from '../../node/process/processEnvironment';
import type { KnownAgent } from './knownAgents';
import { KNOWN_AGENTS } from './knownAgents';

/** An agent found on PATH. It was not run. */
export interface DetectedAgent extends KnownAgent {
  /** Absolute. */
  readonly path: string;
}

/** The environment that an agent gets at its start; its PATH is searched for programs. */
export function searchEnvironment(log: Logger): Promise<Env> {
  return withLoginShellPath(processEnvironment(process.env, {}), log);
}

/** Common install folders of agents outside PATH: a desktop start has a minimal PATH. */
const USUAL_FOLDERS = ['.local/bin', '.npm-global/bin', '.bun/bin', '.cargo/bin', '.opencode/bin'];

/**
 * As {@link searchEnvironment} without running the login shell, for searches that the user did not request; common
 * install folders replace its PATH.
 */
export function knownFoldersEnvironment(): Env {
  const env = processEnvironment(process.env, {});
  if (process.platform === 'win32') return env;
  const usual = ['/usr/local/bin', '/opt/homebrew/bin', ...USUAL_FOLDERS.map((folder) => join(homedir(), folder))];
  return { ...env, PATH: [env['PATH'] ?? '', ...usual].join(delimiter) };
}

/** The absolute path of a program as the system would find it; undefined when it is not on PATH. */
export function findOnPath(command: string, env: Readonly<Env>): string | undefined {
  if (process.platform === 'win32') return resolveWindowsCommand(command, '.', env);
  // A relative folder in PATH would search programs in the workspace.
  const folders = (env[pathKey(env)] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, command)).find(isProgram);
}

/** Finds the known agents on PATH; runs nothing. */
export function detectAgents(env: Readonly<Env>): readonly DetectedAgent[] {
  return KNOWN_AGENTS.flatMap((agent) => {
    const path = findOnPath(agent.command, env);
    return path === undefined ? [] : [{ ...agent, path }];
  });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return isFileSync(path);
  } catch {
    return false;
  }
}

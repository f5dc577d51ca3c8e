import { constants, accessSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Logger } from '../../base/logger';
import type { Env } from '../../node/process/processEnvironment';
import { processEnvironment, pathKey, withLoginShellPath } from '../../node/process/processEnvironment';
import { resolveWindowsCommand } from '../../node/process/windowsCommand';
import type { KnownAgent } from './knownAgents';
import { KNOWN_AGENTS } from './knownAgents';

/** An agent that lies on PATH. It was seen, not run. */
export interface DetectedAgent extends KnownAgent {
  /** Absolute. */
  readonly path: string;
}

/** The environment that an agent would be started in; the one PATH that counts. */
export function searchEnvironment(log: Logger): Promise<Env> {
  return withLoginShellPath(processEnvironment(process.env, {}, process.platform === 'win32'), log);
}

/** Where installers of agents put them, beside PATH: a desktop start has only a bare one. */
const USUAL_FOLDERS = ['.local/bin', '.npm-global/bin', '.bun/bin', '.cargo/bin', '.opencode/bin'];

/** The same without asking the login shell, for a look that the user did not ask for; the usual folders stand in for its PATH. */
export function knownFoldersEnvironment(): Env {
  const env = processEnvironment(process.env, {}, process.platform === 'win32');
  if (process.platform === 'win32') return env;
  const usual = ['/usr/local/bin', '/opt/homebrew/bin', ...USUAL_FOLDERS.map((folder) => join(homedir(), folder))];
  return { ...env, PATH: [env['PATH'] ?? '', ...usual].join(delimiter) };
}

/** The absolute path of a program as the system would find it; undefined when it is not on PATH. */
export function findOnPath(command: string, env: Readonly<Env>): string | undefined {
  if (process.platform === 'win32') return resolveWindowsCommand(command, '.', env, isFile);
  // A relative folder in PATH would make the workspace a place to look for programs.
  const folders = (env[pathKey(env)] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, command)).find(isProgram);
}

/** Looks for the agents that are known; nothing is run. */
export function detectAgents(env: Readonly<Env>): readonly DetectedAgent[] {
  return KNOWN_AGENTS.flatMap((agent) => {
    const path = findOnPath(agent.command, env);
    return path === undefined ? [] : [{ ...agent, path }];
  });
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return isFile(path);
  } catch {
    return false;
  }
}

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { Logger } from '../../../base/logger';
import { processEnvironment, pathKey, withLoginShellPath } from '../../../node/process/processEnvironment';
import { resolveWindowsCommand } from '../../../node/process/windowsCommand';
import { statSync } from 'node:fs';

interface CommandPlace {
  /** Variables of the entry, maybe with a PATH. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute; base of relative commands. */
  readonly folder: string;
  readonly log: Logger;
}

/** The absolute path of a command, since the agent that starts it may have another PATH. Undefined when there is no such program. */
export async function resolveCommand(command: string, { env, folder, log }: CommandPlace): Promise<string | undefined> {
  const isWindows = process.platform === 'win32';
  const own = processEnvironment(process.env, env, isWindows);
  const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  if (isWindows) return resolveWindowsCommand(command, folder, own, isFile);
  if (command.includes('/')) {
    const path = isAbsolute(command) ? command : resolve(folder, command);
    return (await isProgram(path)) ? path : undefined;
  }
  const all = 'PATH' in env ? own : await withLoginShellPath(own, log);
  for (const place of (all[pathKey(all)] ?? '').split(delimiter).filter(isAbsolute)) {
    const path = join(place, command);
    if (await isProgram(path)) return path;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

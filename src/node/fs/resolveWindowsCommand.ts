import { win32 } from 'node:path';
import type { Env } from '../process/processEnvironment';
import { pathKey } from '../process/processEnvironment';
import { isFileSync } from './realPaths';

/** Finds a command as Windows does: along PATH, with the extensions in PATHEXT. */
export function resolveWindowsCommand(
  command: string,
  cwd: string,
  env: Readonly<Env>,
  exists: (path: string) => boolean = isFileSync,
): string | undefined {
  const pathExt = env[Object.keys(env).find((name) => name.toUpperCase() === 'PATHEXT') ?? ''];
  const endings = (pathExt ?? '.COM;.EXE;.BAT;.CMD').split(';').filter(Boolean);
  const folders = /[\\/]/.test(command) ? [cwd] : (env[pathKey(env)] ?? '').split(';').filter(isFixed);
  const hasEnding = endings.some((ending) => command.toLowerCase().endsWith(ending.toLowerCase()));
  const names = [...(hasEnding ? [command] : []), ...endings.map((ending) => command + ending.toLowerCase())];
  return folders.flatMap((folder) => names.map((name) => win32.resolve(folder, name))).find(exists);
}

/** Whether a folder is absolute and names its drive: others in PATH would depend on the workspace. */
function isFixed(folder: string): boolean {
  return win32.isAbsolute(folder) && win32.parse(folder).root.length > 1;
}

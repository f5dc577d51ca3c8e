import { win32 } from 'node:path';
import type { Env } from './processEnvironment';
import { pathKey } from './processEnvironment';

/** Finds a command as the Windows command line does: along PATH, with the endings of PATHEXT. `exists` is asked for files only. */
export function resolveWindowsCommand(
  command: string,
  cwd: string,
  env: Readonly<Env>,
  exists: (path: string) => boolean,
): string | undefined {
  const pathExt = env[Object.keys(env).find((name) => name.toUpperCase() === 'PATHEXT') ?? ''];
  const endings = (pathExt ?? '.COM;.EXE;.BAT;.CMD').split(';').filter(Boolean);
  const folders = /[\\/]/.test(command) ? [cwd] : (env[pathKey(env)] ?? '').split(';').filter(isFixed);
  const hasEnding = endings.some((ending) => command.toLowerCase().endsWith(ending.toLowerCase()));
  const names = [...(hasEnding ? [command] : []), ...endings.map((ending) => command + ending.toLowerCase())];
  return folders.flatMap((folder) => names.map((name) => win32.resolve(folder, name))).find(exists);
}

/** Neither relative nor on whatever drive is current: such a folder of PATH would be one of the workspace. */
function isFixed(folder: string): boolean {
  return win32.isAbsolute(folder) && win32.parse(folder).root.length > 1;
}

/** Whether the file has to be run by cmd.exe: CreateProcess does not start scripts, and Node refuses to (CVE-2024-27980). */
export function isBatchFile(path: string): boolean {
  return /\.(cmd|bat)$/i.test(path);
}

/**
 * The arguments for cmd.exe that run a batch file with exactly these arguments (to be passed verbatim). A batch file hands its
 * arguments to another command line, so what cmd.exe would read as its own is escaped twice.
 * @throws when an argument holds a line break, which cmd.exe cannot pass on.
 */
export function batchCommandLine(file: string, args: readonly string[]): string[] {
  const broken = args.find((arg) => /[\r\n\0]/.test(arg));
  if (broken !== undefined) throw new Error(`the argument ${JSON.stringify(broken)} has a line break`);
  const quotedArgs = args.map((arg) => escapeMeta(escapeMeta(quoteArgument(arg))));
  return ['/d', '/s', '/c', `"${[escapeMeta(quoteArgument(file)), ...quotedArgs].join(' ')}"`];
}

/** Quotes for CommandLineToArgvW: backslashes count only before a quote. */
function quoteArgument(arg: string): string {
  return `"${arg.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\*)$/, '$1$1')}"`;
}

function escapeMeta(text: string): string {
  return text.replaceAll(/[()[\]%!^"`<>&|;, *?]/g, '^$&');
}

import { statSync } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import type { Env } from '../../node/process/processEnvironment';
import { processEnvironment } from '../../node/process/processEnvironment';
import { batchCommandLine, isBatchFile, resolveWindowsCommand } from '../../node/process/windowsCommand';

/** What is handed to the operating system. */
export interface SpawnPlan {
  readonly file: string;
  readonly args: readonly string[];
  /** Windows: the arguments are passed as they are, `cmd.exe` has its own quoting. */
  readonly verbatim: boolean;
}

/**
 * Decides how `command` and `args` of `terminal/create` are started. With arguments, or when the command is one word or names
 * a file: as they are, without a shell. A command without arguments that is a whole command line ("npm test && echo ok")
 * goes to a shell as one argument: the schema wants program and arguments, yet several agents send their model's line
 * (can1357/oh-my-pi#4333, openclaw/acpx#313, MoonshotAI/kimi-cli#2113), and as the name of a program it could only fail.
 * @throws an error with the code ENOENT when there is no such program on Windows
 */
export async function planSpawn(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Env>,
): Promise<SpawnPlan> {
  const whole = args.length === 0 && isCommandLine(command) && !(await isFile(resolve(cwd, command)));
  if (process.platform === 'win32') return planOnWindows(command, args, cwd, env, whole);
  if (!whole) return { file: command, args, verbatim: false };
  // Lines written by models are bash more often than not.
  return { file: (await findOnPath('bash', env)) ?? '/bin/sh', args: ['-c', command], verbatim: false };
}

function planOnWindows(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Env>,
  whole: boolean,
): SpawnPlan {
  const shell = env['ComSpec'] ?? env['COMSPEC'] ?? 'cmd.exe';
  if (whole) return { file: shell, args: ['/d', '/s', '/c', `"${command}"`], verbatim: true };
  const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  const file = resolveWindowsCommand(command, cwd, env, isThere);
  // A bare name would be looked for in the current folder first: in the workspace.
  if (file === undefined) throw Object.assign(new Error(`ENOENT: ${command}`), { code: 'ENOENT' });
  if (!isBatchFile(file)) return { file, args, verbatim: false };
  return { file: shell, args: batchCommandLine(file, args), verbatim: true };
}

/** True when the text has blanks or syntax of a shell, which names of programs do not have. */
export function isCommandLine(command: string): boolean {
  return /[\s|&;<>()$`"'*?~]/.test(command.trim());
}

async function findOnPath(name: string, env: Readonly<Env>): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(':')) {
    if (isAbsolute(folder) && (await isFile(join(folder, name)))) return join(folder, name);
  }
  return undefined;
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** The command line as people read it: words with blanks or special characters in quotes. For show, never for a shell. */
export function displayCommand(command: string, args: readonly string[]): string {
  return args.length === 0 ? command : [command, ...args].map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * The environment of a command: the user's without what belongs to the editor and to the terminal it was started in, then what
 * suits output that nobody pages through and that the agent reads as well, then what the agent wants. Without a terminal also no
 * colours are asked for.
 */
export function commandEnvironment(
  person: NodeJS.ProcessEnv,
  agent: Readonly<Env>,
  has: { readonly windows: boolean; readonly tty: boolean },
): Env {
  const { COLUMNS: _columns, LINES: _lines, TERMCAP: _capabilities, ...rest } = person;
  const terminal = has.tty ? { TERM: 'xterm-256color', COLORTERM: 'truecolor' } : { TERM: 'dumb' };
  const env = processEnvironment(rest, { ...terminal, PAGER: 'cat', GIT_PAGER: 'cat' }, has.windows);
  return processEnvironment(env, agent, has.windows);
}

/** Bytes of arguments and variables that every system takes, and of one of them. */
const MAX_PASSED = 128 * 1024;

/** False when the system may refuse so much: a pseudo-terminal would tell of that only as output of the command. */
export function fitsArgumentLimit({ args }: SpawnPlan, env: Readonly<Env>): boolean {
  const all = [...args, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  return all.reduce((sum, each) => sum + Buffer.byteLength(each) + 1, 0) < MAX_PASSED;
}

/**
 * Looks for the program as the system would (POSIX, environment variables, PATH). For pseudo-terminals, which tell only in the
 * output of the command that there is none; Windows has its own search.
 * @throws an error with the system's code: ENOENT, EACCES
 */
export async function requireProgram(file: string, cwd: string, env: Readonly<Env>): Promise<void> {
  if (process.platform === 'win32') return;
  const folders = file.includes('/') ? [''] : (env['PATH'] ?? '/usr/bin:/bin').split(':');
  let code = 'ENOENT';
  for (const folder of folders) {
    const path = resolve(cwd, folder, file);
    const found = await stat(path).catch(() => undefined);
    if (!found) continue;
    code = 'EACCES';
    if (found.isFile() && (await mayRun(path))) return;
  }
  throw Object.assign(new Error(`${code}: ${file}`), { code });
}

async function mayRun(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

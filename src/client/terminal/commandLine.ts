import { access, constants, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { resolveWindowsCommand } from '../../node/fs/resolveWindowsCommand';
import type { Env } from '../../node/process/processEnvironment';
import { processEnvironment } from '../../node/process/processEnvironment';
import { batchCommandLine, isBatchFile } from '../../node/process/windowsCommand';
import { commandText } from '../../shared/text/toolInput';

export interface SpawnPlan {
  readonly file: string;
  readonly args: readonly string[];
  /** Windows: arguments are passed unchanged, since `cmd.exe` has its own quoting. */
  readonly isVerbatim: boolean;
}

/**
 * Whether `terminal/create` gives a whole command line without arguments ("npm test && echo ok"), and no file has that name. It goes to a
 * shell: the schema wants program and arguments, but several agents send their model's line (can1357/oh-my-pi#4333, openclaw/acpx#313,
 * MoonshotAI/kimi-cli#2113), which could only fail as a program name.
 */
export async function isWholeLine(command: string, args: readonly string[], cwd: string): Promise<boolean> {
  return args.length === 0 && isCommandLine(command) && !(await isFile(resolve(cwd, command)));
}

/** The program of `terminal/create`, or its line as {@link isWholeLine} found it. */
interface CommandToStart {
  readonly command: string;
  readonly args: readonly string[];
  /** Decided once: a file created later must not turn an approved line into a program. */
  readonly isLine: boolean;
}

/**
 * Plans how `command` and `args` of `terminal/create` are started: directly, or a line by a shell.
 * @throws Error with code ENOENT when there is no such program on Windows
 */
export async function planSpawn(start: CommandToStart, cwd: string, env: Readonly<Env>): Promise<SpawnPlan> {
  const { command, args, isLine } = start;
  if (process.platform === 'win32') return planOnWindows(start, cwd, env);
  if (!isLine) return { file: command, args, isVerbatim: false };
  // Models mostly write bash.
  return { file: (await findOnPath('bash', env)) ?? '/bin/sh', args: ['-c', command], isVerbatim: false };
}

function planOnWindows({ command, args, isLine }: CommandToStart, cwd: string, env: Readonly<Env>): SpawnPlan {
  const shell = env['ComSpec'] ?? env['COMSPEC'] ?? 'cmd.exe';
  if (isLine) return { file: shell, args: ['/d', '/s', '/c', `"${command}"`], isVerbatim: true };
  const file = resolveWindowsCommand(command, cwd, env);
  // A bare name would be searched in the current folder first, which is the workspace.
  if (file === undefined) throw Object.assign(new Error(`ENOENT: ${command}`), { code: 'ENOENT' });
  if (!isBatchFile(file)) return { file, args, isVerbatim: false };
  return { file: shell, args: batchCommandLine(file, args), isVerbatim: true };
}

/** Whether the text has blanks or shell syntax, which program names do not have. */
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

/** For display, as the request to run it shows it; never for a shell. */
export function displayCommand(command: string, args: readonly string[]): string {
  return args.length === 0 ? command : commandText({ argv: [command, ...args] });
}

/** A word in quotes where it needs them. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Nobody can type into the terminal of an agent: pagers, editors and questions of these programs would wait there for ever. */
const WITHOUT_INPUT = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
  DEBIAN_FRONTEND: 'noninteractive',
};

/**
 * The environment of a command: the user's without variables of the editor and its terminal, then settings for programs without input,
 * then the agent's variables. Without a terminal, colors are disabled.
 */
export function commandEnvironment(
  userEnv: NodeJS.ProcessEnv,
  agent: Readonly<Env>,
  has: { readonly isWindows: boolean; readonly hasTty: boolean },
): Env {
  const { COLUMNS: _columns, LINES: _lines, TERMCAP: _capabilities, ...rest } = userEnv;
  const terminal = has.hasTty ? { TERM: 'xterm-256color', COLORTERM: 'truecolor' } : { TERM: 'dumb' };
  const env = processEnvironment(rest, { ...terminal, ...WITHOUT_INPUT }, has.isWindows);
  return processEnvironment(env, agent, has.isWindows);
}

/** Maximum bytes of all arguments and variables. Every system accepts this size, even for a single argument. */
const MAX_PASSED = 128 * 1024;

/** Whether every system accepts the arguments and variables: a pseudo-terminal reports a refusal only as output. */
export function fitsArgumentLimit({ args }: SpawnPlan, env: Readonly<Env>): boolean {
  const all = [...args, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  return all.reduce((sum, each) => sum + Buffer.byteLength(each) + 1, 0) < MAX_PASSED;
}

/**
 * Searches the program like the system (POSIX, PATH), since pseudo-terminals report a missing program only as output; Windows has its own
 * search.
 * @throws Error with the system's code: ENOENT, EACCES
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

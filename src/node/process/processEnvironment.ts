import { execFile } from 'node:child_process';
import { homedir, userInfo } from 'node:os';
import { basename, delimiter, isAbsolute } from 'node:path';
import type { Logger } from '../../base/logger';

export type Env = Record<string, string>;

/** Variables that VS Code sets for itself: with them a Node program would behave differently, or attach to VS Code. */
const HOST_ONLY = /^(NODE_OPTIONS|NODE_CHANNEL_.*|ELECTRON_.*|VSCODE_.*)$/i;
/** The folders in PATH of a program started from a desktop instead of a shell. */
const DESKTOP_PATHS = new Set(['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']);
for (const path of ['/usr/games', '/usr/local/games', '/snap/bin']) DESKTOP_PATHS.add(path);
const SHELL_DEADLINE_MS = 4_000;
const MARK = '__parley_path__';

/** The environment of an agent: ours without VS Code's own variables, plus those of its definition. */
export function processEnvironment(
  base: NodeJS.ProcessEnv,
  added: Readonly<Env>,
  isWindows = process.platform === 'win32',
): Env {
  const env: Env = {};
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined && !HOST_ONLY.test(name)) env[name] = value;
  }
  for (const [name, value] of Object.entries(added)) {
    const old = isWindows ? Object.keys(env).find((key) => key.toLowerCase() === name.toLowerCase()) : undefined;
    if (old !== undefined) delete env[old];
    env[name] = value;
  }
  return env;
}

/** The name of PATH in this environment; `Path` on Windows. */
export function pathKey(env: Readonly<Record<string, string | undefined>>): string {
  return Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
}

/**
 * Removes folders from PATH that could hold programs of the workspace: relative and empty entries, which mean the
 * current folder, and those for which `isExcluded` is true.
 */
export async function withSafePath(env: Env, isExcluded: (folder: string) => Promise<boolean>): Promise<Env> {
  const key = pathKey(env);
  const { [key]: path, ...rest } = env;
  if (path === undefined) return env;
  const folders: string[] = [];
  for (const folder of path.split(delimiter)) {
    if (isAbsolute(folder) && !(await isExcluded(folder))) folders.push(folder);
  }
  return folders.length === 0 ? rest : { ...env, [key]: folders.join(delimiter) };
}

let loginPath: Promise<string | undefined> | undefined;

/**
 * Uses the PATH of the user's login shell when ours is the minimal one of a desktop start, which lacks `npx`, `node`
 * and most agents. The shell runs once per window.
 */
export async function withLoginShellPath(env: Env, log: Logger): Promise<Env> {
  if (process.platform === 'win32' || !isDesktopPath(env['PATH'])) return env;
  loginPath ??= readLoginShellPath(log);
  const found = await loginPath;
  if (found === undefined) return env;
  const all = [...found.split(delimiter), ...(env['PATH'] ?? '').split(delimiter)];
  return { ...env, PATH: [...new Set(all.filter(Boolean))].join(delimiter) };
}

export function isDesktopPath(path: string | undefined): boolean {
  return (path ?? '')
    .split(':')
    .filter(Boolean)
    .every((part) => DESKTOP_PATHS.has(part));
}

/**
 * PATH of a login shell; undefined when the shell fails or takes too long (a prompt in a start-up file). Bash reads `.bashrc` as a login
 * shell only where a profile names it, but terminals always have what it sets.
 */
export function readLoginShellPath(
  log: Logger,
  shell = userInfo().shell ?? process.env['SHELL'],
  deadlineMs = SHELL_DEADLINE_MS,
): Promise<string | undefined> {
  if (!shell) return Promise.resolve(undefined);
  const print = `echo ${MARK}; /usr/bin/env; echo ${MARK}`;
  const script = basename(shell) === 'bash' ? `${print}; [ -r ~/.bashrc ] && . ~/.bashrc >&2; ${print}` : print;
  const options = {
    timeout: deadlineMs,
    killSignal: 'SIGKILL' as const,
    // Shell hooks act on the start folder (.envrc, .nvmrc), and ours may be a workspace.
    cwd: homedir(),
    env: processEnvironment(process.env, {}, false),
  };
  return new Promise((resolve) => {
    const child = execFile(shell, ['-ilc', script], options, (error, stdout) => {
      const path = pathIn(stdout);
      if (path === undefined)
        log.warn('agent', `Failed to read PATH from ${shell}: ${error?.message ?? 'it printed none'}`);
      resolve(path);
    });
    child.stdin?.end();
  });
}

function pathIn(stdout: string): string | undefined {
  const lines = stdout
    .split(`${MARK}\n`)
    .filter((_, index) => index % 2 === 1)
    .join('')
    .split('\n');
  return lines.findLast((line) => line.startsWith('PATH='))?.slice('PATH='.length);
}

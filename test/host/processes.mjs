// Finds the processes of a server: each inherits an environment variable, even after it left the server's process group.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';

/** Timeout for processes to exit: those left then would never exit. */
const stopLimit = 30_000;

/** The variable; its value is unique for each server. */
export const markName = 'PARLEY_TEST_HOST';

/** VS Code's helper processes (file watcher, language servers) may be killed; the extension host must be allowed to finish. */
function isAwaited({ command }) {
  return !command.includes('/code-server/lib/vscode/') || command.includes('--type=extensionHost');
}

/**
 * Linux exposes the environment of each process; elsewhere nothing is found. Synchronous, because it is the last step when this
 * process is told to end.
 */
function markedProcesses(mark) {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const marked = pids.filter((pid) => readProcess(pid, 'environ').includes(`${markName}=${mark}`));
  return marked.map((pid) => ({ pid: Number(pid), command: readProcess(pid, 'cmdline').replaceAll('\0', ' ').trim() }));
}

/** Empty for a process that has exited or belongs to another user. */
function readProcess(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

/**
 * Waits until a server's extension hosts and all their child processes have exited, and kills the rest.
 * @returns {Promise<string[]>} Command lines of the killed processes.
 */
export async function awaitEnds(mark) {
  const deadline = performance.now() + stopLimit;
  let left = markedProcesses(mark).filter(isAwaited);
  while (left.length > 0 && performance.now() < deadline) {
    await after(50);
    left = markedProcesses(mark).filter(isAwaited);
  }
  for (const { pid } of left) kill(pid);
  return left.map(({ command }) => command);
}

/** Waits until git no longer runs in the windows of a server: three times in a row, because one command follows another. */
export async function awaitGit(mark) {
  const deadline = performance.now() + stopLimit;
  for (let quiet = 0; quiet < 3 && performance.now() < deadline;) {
    await after(50);
    quiet = markedProcesses(mark).some(({ command }) => /^(\S*\/)?git /.test(command)) ? 0 : quiet + 1;
  }
}

/** Whether VS Code keeps shells there: it ends them only with the server, because a reopened window may need them. */
export function hasTerminals(mark) {
  const host = markedProcesses(mark).find(({ command }) => command.includes('--type=ptyHost'));
  return host !== undefined && readProcess(host.pid, `task/${host.pid}/children`).trim() !== '';
}

/** Kills a server process and all processes that it started. */
export function killAll(child, mark) {
  for (const { pid } of markedProcesses(mark)) kill(pid);
  if (child.pid !== undefined) kill(-child.pid);
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has exited meanwhile.
  }
}

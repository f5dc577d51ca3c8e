// The processes below a server: each inherits a variable from it, also one that left the server's process group.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';

/** How long processes may take until they have ended: what is left then would stay for ever. */
const stopLimit = 30_000;

/** The variable; its value is another for each server. */
export const markName = 'PARLEY_TEST_HOST';

/** VS Code's own helpers (file watcher, language servers) may be killed; its extension host must be allowed to finish. */
function isAwaited({ command }) {
  return !command.includes('/code-server/lib/vscode/') || command.includes('--type=extensionHost');
}

/**
 * Linux reports the variables of each process; elsewhere nothing is found.
 * Synchronous, because it is the last thing done when this process is told to end.
 */
function markedProcesses(mark) {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const marked = pids.filter((pid) => readProcess(pid, 'environ').includes(`${markName}=${mark}`));
  return marked.map((pid) => ({ pid: Number(pid), command: readProcess(pid, 'cmdline').replaceAll('\0', ' ').trim() }));
}

/** Empty for a process that has ended or belongs to somebody else. */
function readProcess(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

/**
 * Waits until the extension hosts of a server and all that they started have ended, and kills those that do not.
 * @returns {Promise<string[]>} the command lines of the killed ones
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

/** Whether VS Code keeps shells there: it ends them with the server only, for they may be wanted by a window that comes back. */
export function hasTerminals(mark) {
  const host = markedProcesses(mark).find(({ command }) => command.includes('--type=ptyHost'));
  return host !== undefined && readProcess(host.pid, `task/${host.pid}/children`).trim() !== '';
}

/** Kills a server, given as its process, with all that it started. */
export function killAll(child, mark) {
  for (const { pid } of markedProcesses(mark)) kill(pid);
  if (child.pid !== undefined) kill(-child.pid);
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

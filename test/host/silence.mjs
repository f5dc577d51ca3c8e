// Ends programs that hang: a test can block its process or keep it alive, and then no limit of mocha ends it.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

/**
 * Ends a process and its descendants when it has given no sign of life for too long.
 * @param {import('node:child_process').ChildProcess} child
 * @param {{ limit: number, sign: () => unknown }} silence `limit`: milliseconds; `sign`: its value changes while the process works
 * @returns {() => boolean} Stops watching; whether the process was ended.
 */
export function endWhenSilent(child, { limit, sign }) {
  let last = sign();
  let since = performance.now();
  let isEnded = false;
  const look = () => {
    const now = sign();
    if (now !== last) since = performance.now();
    last = now;
    if (isEnded || performance.now() - since < limit) return;
    isEnded = true;
    endTree(child.pid);
    // A process that left the tree can keep them open.
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  const timer = setInterval(look, Math.min(1000, limit));
  return () => {
    clearInterval(timer);
    return isEnded;
  };
}

/** Kills a process and its descendants, in whatever group they are. */
function endTree(root) {
  if (process.platform === 'win32') {
    execFileSync('taskkill', ['/pid', String(root), '/T', '/F'], { stdio: 'ignore' });
    return;
  }
  const rows = listProcesses();
  const tree = [root];
  // Grows while it is read.
  for (const parent of tree) tree.push(...rows.filter((row) => row.parent === parent).map(({ pid }) => pid));
  for (const pid of tree) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has exited meanwhile.
    }
  }
}

/** @returns {{ pid: number, parent: number }[]} */
function listProcesses() {
  if (process.platform === 'linux') return readdirSync('/proc').filter(isNumber).flatMap(readRow);
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => line.trim().split(/\s+/).map(Number)).map(([pid, parent]) => ({ pid, parent }));
}

function isNumber(name) {
  return /^\d+$/.test(name);
}

function readRow(pid) {
  try {
    // The name before it can contain blanks and brackets.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return [{ pid: Number(pid), parent: Number(parent) }];
  } catch {
    return [];
  }
}

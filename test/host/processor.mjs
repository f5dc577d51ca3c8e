// CPU time of a process and of all that it has started, as far as the system tells: Linux.
import { readFileSync, readdirSync } from 'node:fs';

/** Milliseconds. What an end that nobody waits for took with it since the last look is missing. */
const LOOK_MS = 3000;
/** The unit of /proc, on all systems of today. */
const TICKS_PER_SECOND = 100;

/**
 * Adds up what a tree of processes has used. Its processes know what those have used that they waited for. What falls from one look to
 * the next was used by others that ended, as Chromium's do: it stays in the sum.
 * @param {() => number} read What the processes of the tree have used by now.
 * @returns {() => number} Looks again, and returns the sum.
 */
export function sumUsed(read) {
  let last = 0;
  let sum = 0;
  return () => {
    const now = read();
    sum += Math.max(0, now - last);
    last = now;
    return sum;
  };
}

/**
 * Watches this process and all that it starts.
 * @returns {() => number | undefined} CPU seconds so far; undefined where the system does not tell.
 */
export function watchProcessor() {
  if (process.platform !== 'linux') return () => undefined;
  const look = sumUsed(() => usedByTree(process.pid));
  setInterval(look, LOOK_MS).unref();
  return look;
}

/**
 * @param {number} root Its id.
 * @returns {number} CPU seconds of a process, of those that it has started and still run, and of all that they waited for.
 */
export function usedByTree(root) {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readTimes(name) : []));
  const tree = new Set([root]);
  // Parents first, in almost all cases: ids grow.
  for (let size = 0; size < tree.size;) {
    size = tree.size;
    for (const { pid, parent } of all) if (tree.has(parent)) tree.add(pid);
  }
  return all.reduce((sum, { pid, seconds }) => (tree.has(pid) ? sum + seconds : sum), 0);
}

/** Nothing for a process that has ended meanwhile. */
function readTimes(pid) {
  try {
    // After the name of the program, which may contain blanks and brackets.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\)/s, '').trim().split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return [{ pid: Number(pid), parent: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND }];
  } catch {
    return [];
  }
}

// Cleanup for when this process ends early: by a signal, an uncaught error or process.exit.
import { constants } from 'node:os';

/**
 * Shared by all copies of this module in a process: each bundled test file contains one, and would add its own listeners.
 * @type {{ actions: Set<() => void>, armed: boolean, signals: boolean }}
 */
const shared = (globalThis.parleyCleanup ??= { actions: new Set(), armed: false, signals: true });

/**
 * Registers a synchronous cleanup. Call the returned function after a regular cleanup.
 * @param {() => void} action
 * @returns {() => void}
 */
export function atExit(action) {
  arm();
  shared.actions.add(action);
  return () => shared.actions.delete(action);
}

function arm() {
  if (shared.armed) return;
  shared.armed = true;
  process.on('exit', runActions);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => shared.signals && process.exit(128 + constants.signals[signal]));
  }
  if (process.env.npm_lifecycle_event) endWithParent();
}

/** npm forwards signals to the shell that started this process, but that shell does not: exit when the shell has exited. */
function endWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  timer.unref();
}

function runActions() {
  for (const action of [...shared.actions].toReversed()) {
    try {
      action();
    } catch {
      // Continue with the next cleanup.
    }
  }
}

/** For scripts that handle signals and exit regularly. */
export function leaveSignalsToMe() {
  shared.signals = false;
}

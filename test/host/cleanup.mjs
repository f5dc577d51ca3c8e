// What must not stay behind when this process ends in a hurry: by a signal, an uncaught error or process.exit.
import { constants } from 'node:os';

const actions = new Set();
let armed = false;
let signals = true;

/**
 * Registers a synchronous last action. Call what it returns once the thing has been cleaned up the regular way.
 * @param {() => void} action
 * @returns {() => void}
 */
export function atExit(action) {
  arm();
  actions.add(action);
  return () => actions.delete(action);
}

function arm() {
  if (armed) return;
  armed = true;
  process.on('exit', runActions);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => signals && process.exit(128 + constants.signals[signal]));
  }
  if (process.env.npm_lifecycle_event) endWithParent();
}

/** npm passes signals on to the shell that it started us with, and that shell does not: when it is gone, so are we. */
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
  for (const action of [...actions].toReversed()) {
    try {
      action();
    } catch {
      // The next one still has its turn.
    }
  }
}

/** For a script that ends in good order by itself when it gets a signal. */
export function leaveSignalsToMe() {
  signals = false;
}

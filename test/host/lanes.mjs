// How many parts of the tests run at the same time.
import { cpus } from 'node:os';

/** Parts at the same time: at first, and at most. */
const [LEAST, MOST] = [2, 4];
/** Milliseconds. Long enough for a part to use what it needs after its start. */
const LOOK_MS = 10_000;
/** Cores. Most parts wait half of the time and use less than this. */
const ROOM = 0.5;

/**
 * Runs jobs in their order, two at the same time, and one more each time that the machine had half a core to spare for ten seconds. On a
 * busy machine two remain: a third would only bring tests closer to the product's timeouts.
 * @param {readonly (() => Promise<void>)[]} jobs
 * @param {{ pause?: number, hasRoom?: () => boolean }} [look] `pause`: milliseconds between two looks at the machine; `hasRoom`: whether
 *   there was room since the last look
 */
export async function runInLanes(jobs, { pause = LOOK_MS, hasRoom = watchIdleCores() } = {}) {
  const waiting = [...jobs];
  const lane = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await job();
  };
  let timer;
  try {
    await new Promise((resolve, reject) => {
      let running = 0;
      const open = () => {
        running += 1;
        lane().then(() => (running -= 1) === 0 && resolve(), reject);
      };
      timer = setInterval(() => hasRoom() && running < MOST && waiting.length > 0 && open(), pause);
      for (let count = 0; count < LEAST; count++) open();
    });
  } finally {
    clearInterval(timer);
  }
}

/** @returns {() => boolean} Whether more than `ROOM` cores were idle since the last call. */
function watchIdleCores() {
  const read = () => ({ time: performance.now(), idle: cpus().reduce((sum, { times }) => sum + times.idle, 0) });
  let last = read();
  return () => {
    const now = read();
    const cores = (now.idle - last.idle) / (now.time - last.time);
    last = now;
    return cores > ROOM;
  };
}

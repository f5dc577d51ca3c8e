import { Worker } from 'node:worker_threads';

/**
 * Kills this process when a case takes too long: an endless loop in the tested code cannot be reported in any other way. A worker
 * thread detects a counter that no longer increases, prints target and seed, and kills the process.
 */
export class Watchdog {
  readonly #shared = new Int32Array(new SharedArrayBuffer(8));
  readonly #worker: Worker;

  /** @param seconds Limit of a case. */
  constructor(seconds: number) {
    this.#worker = new Worker(THREAD, { eval: true, workerData: { shared: this.#shared, seconds } });
    this.#worker.unref();
  }

  /** The next cases belong to this target. */
  watch(target: string): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage(target);
  }

  /** A case starts. */
  beat(seed: number): void {
    Atomics.store(this.#shared, 1, seed);
    Atomics.add(this.#shared, 0, 1);
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}

const THREAD = `
const { parentPort, workerData: { shared, seconds } } = require('node:worker_threads');
const { writeSync } = require('node:fs');
let target = '', last = -1, since = Date.now();
parentPort.on('message', (name) => { target = name; since = Date.now(); });
setInterval(() => {
  const beat = Atomics.load(shared, 0);
  if (beat !== last) { last = beat; since = Date.now(); }
  if (target === '' || Date.now() - since < seconds * 1000) return;
  const seed = Atomics.load(shared, 1);
  writeSync(2, 'HUNG: a case of "' + target + '" takes more than ' + seconds + ' s. Again: npm run fuzz -- --target "' + target + '" --seed ' + seed + '\\n');
  process.kill(process.pid, 'SIGKILL');
}, 500);
`;

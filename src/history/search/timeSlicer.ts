import { setImmediate as turn } from 'node:timers/promises';

/** Milliseconds of work in one go: with the collector of garbage and the longest step on top it stays below a frame of 16 ms. */
const SLICE = 5;

/** Work in slices, so that the process does other things meanwhile: `if (slices.isDue) await slices.pause();` between two steps. */
export class TimeSlicer {
  #end = performance.now() + SLICE;

  get isDue(): boolean {
    return performance.now() > this.#end;
  }

  /** Everything else that waits has its turn. */
  async pause(): Promise<void> {
    await turn();
    this.#end = performance.now() + SLICE;
  }
}

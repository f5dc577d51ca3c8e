import { setImmediate as turn } from 'node:timers/promises';

/** Milliseconds of work without a pause: with garbage collection and the longest step it stays below a frame of 16 ms. */
const SLICE_MS = 5;

/** Splits work into slices: call `if (slices.isDue) await slices.pause();` between two steps. */
export class TimeSlicer {
  #end = performance.now() + SLICE_MS;

  get isDue(): boolean {
    return performance.now() > this.#end;
  }

  /** Lets other pending work run. */
  async pause(): Promise<void> {
    await turn();
    this.#end = performance.now() + SLICE_MS;
  }
}

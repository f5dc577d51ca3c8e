/** Milliseconds after which work continues without a frame, because the page may be hidden. */
const FRAME_TIMEOUT_MS = 200;

/** Maximum milliseconds of a slice of work; tasks over 50 are noticeable. */
export const SLICE_MS = 8;

/** As {@link SLICE_MS} while work waits: each slice causes layout and paint, so few long ones end sooner. */
export const BUSY_SLICE_MS = 12;

/** Calls `run` with the next frame, or after a timeout; returns a function that cancels. */
export function nextFrame(run: () => void): () => void {
  const frame = requestAnimationFrame(fire);
  const timer = setTimeout(fire, FRAME_TIMEOUT_MS);
  function stop(): void {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  }
  function fire(): void {
    stop();
    run();
  }
  return stop;
}

/** Calls `run` after a delay; returns a function that cancels. */
export function scheduleAfter(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}

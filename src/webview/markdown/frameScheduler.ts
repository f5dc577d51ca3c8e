/** A frame may never come (the page is hidden): then go on after this many milliseconds. */
const frameTimeout = 200;

/** How long a slice of work may take, in milliseconds; a task over 50 is felt. */
export const SLICE_MS = 8;

/** Calls `run` with the next frame, or after a while if no frame comes; returns how to call it off. */
export function nextFrame(run: () => void): () => void {
  const frame = requestAnimationFrame(fire);
  const timer = setTimeout(fire, frameTimeout);
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

/** Calls `run` after so many milliseconds; returns how to call it off. */
export function scheduleAfter(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}

import { delay } from '../base/async';
import { CanceledError } from '../base/errors';

/** Milliseconds between two chunks of text when nothing else is asked for: quick reading speed. */
const DEFAULT_MS = 25;
/** Between two steps a user may look up; as many chunks' time. */
const CHUNKS_PER_STEP = 14;

/** How fast the demo speaks. Its waits are for the user's eye; nothing depends on them. */
export class Pacing {
  /** Milliseconds between two chunks; 0 = as fast as it goes. */
  readonly ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }

  /** The time between two chunks of text. Rejects with a CanceledError as soon as `signal` aborts. */
  async chunk(signal: AbortSignal): Promise<void> {
    if (this.ms > 0) return delay(this.ms, signal);
    // Even at full speed the event loop gets a turn, or a cancel could not be read from stdin.
    await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) throw new CanceledError();
  }

  /** The time between two steps of a scene. */
  async step(signal: AbortSignal): Promise<void> {
    if (this.ms > 0) return delay(this.ms * CHUNKS_PER_STEP, signal);
    return this.chunk(signal);
  }
}

/**
 * The pace that PARLEY_DEMO_PACE asks for: milliseconds between two chunks, 0 to 10000.
 * Anything else is named by `warn` and the default is taken.
 */
export function paceFromEnvironment(env: NodeJS.ProcessEnv, warn: (line: string) => void): Pacing {
  const text = env['PARLEY_DEMO_PACE'];
  if (text === undefined || text === '') return new Pacing(DEFAULT_MS);
  const ms = Number(text);
  if (Number.isFinite(ms) && ms >= 0 && ms <= 10_000) return new Pacing(ms);
  warn(
    `Demo agent: PARLEY_DEMO_PACE must be a number of milliseconds from 0 to 10000, not "${text}"; using ${DEFAULT_MS}.`,
  );
  return new Pacing(DEFAULT_MS);
}

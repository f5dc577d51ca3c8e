import { delay } from '../base/async';
import { CanceledError } from '../base/errors';

/** Default milliseconds between two chunks of text: fast reading speed. */
const DEFAULT_MS = 25;
/** The pause between two steps, in chunks. */
const CHUNKS_PER_STEP = 14;

/** Delays between outputs, for the user's eye only; no logic depends on them. */
export class Pacing {
  /** Milliseconds between two chunks; 0 = no delay. */
  readonly ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }

  /**
   * Waits between two chunks of text.
   * @throws CanceledError as soon as `signal` aborts
   */
  async chunk(signal: AbortSignal): Promise<void> {
    if (this.ms > 0) return delay(this.ms, signal);
    // Yields even without a delay, so that a cancel can be read from stdin.
    await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) throw new CanceledError();
  }

  /** Waits between two steps of a scene. */
  async step(signal: AbortSignal): Promise<void> {
    if (this.ms > 0) return delay(this.ms * CHUNKS_PER_STEP, signal);
    return this.chunk(signal);
  }
}

/**
 * Reads PARLEY_DEMO_PACE: milliseconds between two chunks, 0 to 10000. Other values are reported to `warn` and the
 * default applies.
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

import type { Clock } from '../../base/clock';
import type { JsonObject } from '../../base/json';

/** Milliseconds without a message after which a replay counts as over. */
const QUIET = 200;
/** Milliseconds after which it is no longer waited for, whatever comes. */
const PATIENCE = 10_000;

/** Updates that tell how the session is, not what was said in it: they count also while a replay is swallowed. */
const STATE: ReadonlySet<unknown> = new Set([
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
]);

/**
 * What an agent tells again when a session is loaded. Where we have the transcript it is swallowed: ours holds more (diffs, output,
 * answers, times). The replay may go on after the response of `session/load` (Gemini does this), and nothing on the
 * wire says when it is over, so it is taken to be over when nothing came for a moment.
 */
export class ReplayFilter {
  readonly #swallow: boolean;
  readonly #clock: Clock;
  #last: number;

  constructor(swallow: boolean, clock: Clock) {
    this.#swallow = swallow;
    this.#clock = clock;
    this.#last = clock.now();
  }

  /** False for an update that the transcript holds already. */
  admits(update: JsonObject): boolean {
    if (STATE.has(update['sessionUpdate'])) return true;
    this.#last = this.#clock.now();
    return !this.#swallow;
  }

  /** Resolves when nothing more is to be expected. Call it after the response. */
  settled(): Promise<void> {
    const end = this.#clock.now() + PATIENCE;
    this.#last = this.#clock.now();
    return new Promise((resolve) => {
      const look = (): void => {
        const now = this.#clock.now();
        const left = Math.min(this.#last + QUIET, end) - now;
        if (left <= 0) resolve();
        else this.#clock.after(left, look);
      };
      look();
    });
  }
}

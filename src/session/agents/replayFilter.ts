import type { Clock } from '../../base/clock';
import type { JsonObject } from '../../base/json';

/** Milliseconds without a message until a replay counts as finished. */
const QUIET_MS = 200;
/** Milliseconds until a replay is no longer waited for. */
const REPLAY_TIMEOUT_MS = 10_000;

/** Updates about the state of the session rather than its history: they pass during a replay. */
const STATE: ReadonlySet<unknown> = new Set([
  'background_tasks_update',
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
]);

/**
 * Discards the history replay of `session/load` where we have the transcript, which holds more (diffs, output, answers, times). The replay
 * may continue after the response (Gemini does this), and nothing marks its end, so it ends after a short silence.
 */
export class ReplayFilter {
  readonly #swallow: boolean;
  readonly #clock: Clock;
  #last: number;

  constructor(swallow: boolean, clock: Clock) {
    this.#swallow = swallow;
    this.#clock = clock;
    this.#last = clock.elapsed();
  }

  /** False for an update that the transcript already holds. */
  accepts(update: JsonObject): boolean {
    if (STATE.has(update['sessionUpdate'])) return true;
    this.#last = this.#clock.elapsed();
    return !this.#swallow;
  }

  /** Resolves at the end of the replay. Call it after the response. */
  settled(): Promise<void> {
    const end = this.#clock.elapsed() + REPLAY_TIMEOUT_MS;
    this.#last = this.#clock.elapsed();
    return new Promise((resolve) => {
      const check = (): void => {
        const now = this.#clock.elapsed();
        const left = Math.min(this.#last + QUIET_MS, end) - now;
        if (left <= 0) resolve();
        else this.#clock.after(left, check);
      };
      check();
    });
  }
}

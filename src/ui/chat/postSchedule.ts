import type { Clock } from '../../base/clock';
import type { Disposable } from '../../base/lifecycle';

/** Minimum milliseconds between two posts: the page does not draw streaming text more often. */
export const POST_INTERVAL_MS = 32;

/**
 * Schedules the posts of one page: the first after a pause at once, so that it is seen soon, and those of a flood apart.
 * @returns calls back once, unless disposed
 */
export function postSchedule(clock: Clock): (callback: () => void) => Disposable {
  let postedAt = -Infinity;
  return (callback) => {
    const rest = postedAt + POST_INTERVAL_MS - clock.now();
    // A clock that was set back must not stop the posts.
    return clock.after(Math.min(POST_INTERVAL_MS, Math.max(0, rest)), () => {
      postedAt = clock.now();
      callback();
    });
  };
}

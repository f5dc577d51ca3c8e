import type { Disposable } from '../../base/lifecycle';
import type { Clock } from '../../base/clock';

/** Minimum milliseconds between two posts: the page does not draw streaming text more often. */
export const POST_INTERVAL_MS = 32;

/**
 * Schedules the posts of one page. The first post after a pause is sent immediately; the posts of a flood are spaced out.
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

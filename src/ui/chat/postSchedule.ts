import type { Disposable } from '../../base/lifecycle';
import type { Clock } from '../../base/clock';

/** Minimum milliseconds between two posts: the page does not draw streaming text more often. */
export const POST_INTERVAL_MS = 40;
/** Minimum milliseconds between two posts that only continue the output of commands. */
export const OUTPUT_INTERVAL_MS = 100;

/** Calls back once, at least `interval` milliseconds after the previous callback, unless disposed. */
export type PostSchedule = (callback: () => void, interval: number) => Disposable;

/** Schedules the posts of one page. The first post after a pause is sent immediately; the posts of a burst are spaced out. */
export function postSchedule(clock: Clock): PostSchedule {
  let postedAt = -Infinity;
  return (callback, interval) => {
    const rest = postedAt + interval - clock.now();
    // A clock that was set back must not stop the posts.
    return clock.after(Math.min(interval, Math.max(0, rest)), () => {
      postedAt = clock.now();
      callback();
    });
  };
}

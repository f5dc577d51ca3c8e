import assert from 'node:assert/strict';
import type { Clock } from '../../../../src/base/clock';
import { POST_INTERVAL_MS, postSchedule } from '../../../../src/ui/chat/postSchedule';

/** A clock that the test advances. */
class StepClock implements Clock {
  #now = 1000;
  #timers: { at: number; callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): { dispose(): void } {
    const timer = { at: this.#now + ms, callback };
    this.#timers.push(timer);
    return { dispose: () => void (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }

  pass(ms: number): void {
    this.#now += ms;
    const due = this.#timers.filter(({ at }) => at <= this.#now);
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
    for (const { callback } of due) callback();
  }
}

describe('ui/chat/postSchedule', () => {
  /** Posts for that many updates that arrive every 5 ms. */
  const postsOf = (updates: number): number => {
    const clock = new StepClock();
    const schedule = postSchedule(clock);
    let posts = 0;
    let isScheduled = false;
    for (let at = 0; at < updates; at++) {
      if (!isScheduled)
        schedule(() => {
          isScheduled = false;
          posts++;
        });
      isScheduled = true;
      clock.pass(5);
    }
    return posts;
  };

  it('posts immediately after a pause, and at a fixed interval during a flood', () => {
    const clock = new StepClock();
    const schedule = postSchedule(clock);
    const posts: number[] = [];
    const post = (): void => void posts.push(clock.now());
    schedule(post);
    clock.pass(0);
    schedule(post);
    clock.pass(POST_INTERVAL_MS - 1);
    assert.deepEqual(posts, [1000]);
    clock.pass(1);
    assert.deepEqual(posts, [1000, 1000 + POST_INTERVAL_MS]);
    clock.pass(500);
    schedule(post);
    clock.pass(0);
    assert.deepEqual(posts.at(-1), 1500 + POST_INTERVAL_MS);
  });

  it('posts in proportion to the duration of a flood, not to its updates', () => {
    const [short, long] = [postsOf(1000), postsOf(2000)];
    assert.ok(short <= 5000 / POST_INTERVAL_MS && short > 4000 / POST_INTERVAL_MS, String(short));
    assert.ok(Math.abs(long - 2 * short) <= 1, `${short}, ${long}`);
  });

  it('posts nothing after disposal', () => {
    const clock = new StepClock();
    let posts = 0;
    postSchedule(clock)(() => void posts++).dispose();
    clock.pass(100);
    assert.equal(posts, 0);
  });
});

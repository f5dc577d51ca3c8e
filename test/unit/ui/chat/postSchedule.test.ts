import assert from 'node:assert/strict';
import { OUTPUT_INTERVAL_MS, POST_INTERVAL_MS, postSchedule } from '../../../../src/ui/chat/stateSync';
import { TestClock } from '../../../kit/testClock';

describe('ui/chat/stateSync: post schedule', () => {
  /** Posts for that many updates that arrive every 5 ms. */
  const postsOf = (updates: number): number => {
    const clock = new TestClock(1000);
    const schedule = postSchedule(clock);
    let posts = 0;
    let isScheduled = false;
    for (let at = 0; at < updates; at++) {
      if (!isScheduled)
        schedule(() => {
          isScheduled = false;
          posts++;
        }, POST_INTERVAL_MS);
      isScheduled = true;
      clock.advance(5);
    }
    return posts;
  };

  it('posts immediately after a pause, and at a fixed interval during a flood', () => {
    const clock = new TestClock(1000);
    const schedule = postSchedule(clock);
    const posts: number[] = [];
    const post = (): void => void posts.push(clock.now());
    schedule(post, POST_INTERVAL_MS);
    clock.advance(0);
    schedule(post, POST_INTERVAL_MS);
    clock.advance(POST_INTERVAL_MS - 1);
    assert.deepEqual(posts, [1000]);
    clock.advance(1);
    assert.deepEqual(posts, [1000, 1000 + POST_INTERVAL_MS]);
    clock.advance(500);
    schedule(post, POST_INTERVAL_MS);
    clock.advance(0);
    assert.deepEqual(posts.at(-1), 1500 + POST_INTERVAL_MS);
  });

  it('posts in proportion to the duration of a flood, not to its updates', () => {
    const [short, long] = [postsOf(1000), postsOf(2000)];
    assert.ok(short <= 1 + 5000 / POST_INTERVAL_MS && short > 4000 / POST_INTERVAL_MS, String(short));
    assert.ok(Math.abs(long - 2 * short) <= 1, `${short}, ${long}`);
  });

  it('counts each interval from the last post', () => {
    const clock = new TestClock(1000);
    const schedule = postSchedule(clock);
    const posts: number[] = [];
    const post = (): void => void posts.push(clock.now() - 1000);
    schedule(post, OUTPUT_INTERVAL_MS);
    clock.advance(0);
    const slow = schedule(post, OUTPUT_INTERVAL_MS);
    clock.advance(POST_INTERVAL_MS + 1);
    slow.dispose();
    schedule(post, POST_INTERVAL_MS);
    clock.advance(0);
    schedule(post, OUTPUT_INTERVAL_MS);
    clock.advance(OUTPUT_INTERVAL_MS - 1);
    clock.advance(1);
    assert.deepEqual(posts, [0, POST_INTERVAL_MS + 1, POST_INTERVAL_MS + 1 + OUTPUT_INTERVAL_MS]);
  });

  it('posts nothing after disposal', () => {
    const clock = new TestClock(1000);
    let posts = 0;
    postSchedule(clock)(() => void posts++, POST_INTERVAL_MS).dispose();
    clock.advance(100);
    assert.equal(posts, 0);
  });
});

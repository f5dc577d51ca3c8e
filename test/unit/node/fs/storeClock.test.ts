import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreClock, isExpired } from '../../../../src/node/fs/storeClock';
import { temporaryFolder } from '../../../kit/temporaryFolder';
import { TestClock } from '../../../kit/testClock';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MAX_AGE = 30 * DAY;

describe('the clock of a store', () => {
  let folder: string;
  let clock: TestClock;
  let store: StoreClock;
  /** Times of what is stored. */
  let stored: number[];

  const file = (): string => join(folder, '.seen.json');
  const start = (): void => void (store = new StoreClock(file(), clock));
  beforeEach(() => {
    folder = temporaryFolder();
    clock = new TestClock();
    clock.set(1_000 * DAY);
    stored = Array.from({ length: 10 }, (_, index) => clock.now() - index * DAY);
    start();
  });

  /** Deletes what is too old. @returns the number of those that wait */
  async function prune(): Promise<number> {
    const { now, waiting } = await store.look(
      stored.map((at) => ({ at })),
      MAX_AGE,
    );
    stored = stored.filter((at) => now - at <= MAX_AGE);
    return waiting;
  }

  /** The window is open for some days. */
  async function work(days: number): Promise<void> {
    for (let hour = 0; hour < days * 24; hour += 6) {
      await clock.pass(6 * HOUR);
      await prune();
    }
  }

  it('deletes what is too old while time passes', async () => {
    await work(25);
    assert.equal(stored.length, 5 + 1);
    await work(1);
    assert.equal(stored.length, 5);
  });

  for (const jump of [10, 31, 400, 20_000]) {
    it(`deletes nothing when the clock is ${jump} days ahead for some hours, before or in a window`, async () => {
      await prune();
      clock.set(jump * DAY);
      await prune();
      await clock.pass(6 * HOUR);
      await prune();
      start();
      await prune();
      await clock.pass(6 * HOUR);
      await prune();
      clock.set(-jump * DAY);
      await prune();
      await work(10);
      assert.equal(stored.length, 10);
    });
  }

  it('says once how many wait when more than half is too old at once, and deletes after a day', async () => {
    await prune();
    clock.set(35 * DAY);
    start();
    assert.equal(await prune(), 10);
    start();
    assert.equal(await prune(), 0);
    await clock.pass(23 * HOUR);
    assert.equal(await prune(), 0);
    assert.equal(stored.length, 10);
    await clock.pass(HOUR);
    await prune();
    assert.equal(stored.length, 0);
  });

  it('waits again when the clock is set once more', async () => {
    await prune();
    for (let time = 0; time < 5; time++) {
      clock.set(35 * DAY);
      await prune();
      await clock.pass(HOUR);
    }
    assert.equal(stored.length, 10);
  });

  it('counts the day of the wait by time that has passed, not by what the clock shows at other starts', async () => {
    await prune();
    for (const jump of [31, 400]) {
      clock.set(jump * DAY);
      start();
      await prune();
      await clock.pass(HOUR / 12);
    }
    assert.equal(stored.length, 10);
    await work(0.5);
    assert.equal(stored.length, 0, 'half a day between the windows, and half a day in one');
  });

  it('ages at the third look if it is looked at once in months', async () => {
    for (const expected of [10, 10, 0]) {
      clock.set(100 * DAY);
      start();
      await prune();
      assert.equal(stored.length, expected);
    }
  });

  it('counts time once that passes in two windows', async () => {
    await prune();
    clock.set(35 * DAY);
    start();
    await prune();
    const first = store;
    start();
    for (let hour = 0; hour < 20; hour++) {
      await clock.pass(HOUR);
      await prune();
      await first.look(
        stored.map((at) => ({ at })),
        MAX_AGE,
      );
    }
    assert.equal(stored.length, 10);
    await work(1);
    assert.equal(stored.length, 0);
  });

  it('believes a clock after a day also if the windows are open for a short time only', async () => {
    for (let week = 0; week < 7; week++) {
      start();
      await prune();
      await clock.pass(HOUR);
      await prune();
      clock.set(7 * DAY);
    }
    assert.deepEqual(stored, [], 'seven weeks old');
  });

  it('waits a day when the limit was lowered, without a jump', async () => {
    await prune();
    const { now } = await store.look(
      stored.map((at) => ({ at })),
      DAY,
    );
    assert.equal(now, -Infinity);
  });

  it('does not count what is exempt among what is too old at once', async () => {
    await prune();
    await work(1);
    const all = stored.map((at, index) => ({ at, isExempt: index > 4 }));
    assert.deepEqual(await store.look(all, DAY / 2), { now: clock.now(), waiting: 0 });
  });

  it('never deletes because the clock was set back, and goes on from there', async () => {
    await work(5);
    clock.set(-1_005 * DAY);
    await prune();
    assert.equal(stored.length, 10, 'near 1970');
    stored.push(clock.now());
    await work(32);
    assert.equal(stored.length, 10, 'by the clock that is set');
  });

  it('stamps what is new by the time before the clock was set back, until that is believed', async () => {
    await work(1);
    const before = clock.now();
    clock.set(-900 * DAY);
    await prune();
    await clock.pass(HOUR);
    assert.equal(await store.stamp(), before + HOUR);
    start();
    assert.equal(await store.stamp(), before, 'as far as this window knows');
    await work(2);
    assert.equal(await store.stamp(), clock.now());
  });

  it('compares with the newest at first, and with a damaged file', async () => {
    clock.set(31 * DAY);
    await prune();
    assert.equal(stored.length, 10);
    await writeFile(file(), '{"seen":');
    start();
    await prune();
    assert.equal(stored.length, 10);
    assert.match(await readFile(file(), 'utf8'), /^\{"seen":\d+,"waited":0,"last":\d+,"isBehind":false\}$/);
  });

  it('works where nothing can be stored, and without a file', async () => {
    for (const nowhere of [join(folder, 'x'.repeat(300), 'a'), undefined]) {
      store = new StoreClock(nowhere, clock);
      await prune();
      clock.set(31 * DAY);
      assert.equal(await prune(), 10);
      clock.set(-31 * DAY);
      await prune();
      assert.equal(stored.length, 10);
    }
  });

  it('believes no age of what was stored while the clock was not set', async () => {
    stored.push(0, 5_000, -5_000);
    for (let day = 0; day < 40; day++) {
      const { now, waiting } = await store.look(
        stored.map((at) => ({ at })),
        MAX_AGE,
      );
      assert.equal(waiting, 0);
      stored = stored.filter((at) => !isExpired(at, now, MAX_AGE));
      await clock.pass(DAY);
    }
    assert.deepEqual(stored, [0, 5_000, -5_000]);
  });
});

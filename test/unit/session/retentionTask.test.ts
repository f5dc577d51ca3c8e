import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDeferred } from '../../../src/base/async';
import type { Clock } from '../../../src/base/clock';
import { toDisposable } from '../../../src/base/lifecycle';
import { nullLogger } from '../../../src/base/logger';
import { SessionStore } from '../../../src/history/sessionStore';
import { scheduleRetention } from '../../../src/session/retentionTask';
import type { SessionCatalog } from '../../../src/session/sessionCatalog';
import type { Sessions } from '../../../src/session/sessions';
import { stubOf } from '../../kit/stubOf';
import { said, writeTranscript } from '../history/search/sample';

const DAY = 24 * 60 * 60_000;

/** A clock that stands still until the test advances it. */
class TestClock implements Clock {
  time = Date.now();
  due: { readonly ms: number; readonly callback: () => void } | undefined;

  now(): number {
    return this.time;
  }

  elapsed(): number {
    return this.time;
  }

  after(ms: number, callback: () => void): ReturnType<Clock['after']> {
    const due = { ms, callback };
    this.due = due;
    return toDisposable(() => void (this.due === due && (this.due = undefined)));
  }
}

/** As {@link TestClock}, whose time someone can set. */
class SetClock extends TestClock {
  ahead = 0;

  override now(): number {
    return this.time + this.ahead;
  }
}

describe('the retention of transcripts', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-keeping-'));
  });
  afterEach(async () => rm(folder, { recursive: true, force: true }));

  it('prunes after the start and repeatedly, deletes old transcripts, and keeps open ones', async () => {
    await writeTranscript(folder, 'open', said('one'));
    await writeTranscript(folder, 'old', said('two'));
    const shelf = await SessionStore.open(folder, nullLogger);
    const clock = new TestClock();
    const purged: number[] = [];
    const done = new Set<() => void>();
    const store = scheduleRetention({
      sessions: stubOf<Sessions>({
        store: shelf,
        open: { isAvailable: (id) => id !== 'open', reserve: () => toDisposable(() => undefined) },
      }),
      catalog: stubOf<SessionCatalog>({ purge: async (now) => void purged.push(now) }),
      clock,
      log: { ...nullLogger, info: () => done.forEach((resolve) => resolve()) },
      limits: () => ({ maxAgeDays: 7, maxSizeMB: 10 }),
    });
    clock.time += 8 * DAY;
    const dropped = new Promise<void>((resolve) => done.add(resolve));
    clock.due?.callback();
    await dropped;
    assert.deepEqual(
      shelf.list().map(({ id }) => id),
      ['open'],
    );
    assert.deepEqual(purged, [clock.time]);
    assert.ok((clock.due?.ms ?? 0) > 60 * 60_000, 'it is looked at again in some hours');
    store.dispose();
    assert.equal(clock.due, undefined);
  });

  it('deletes nothing while the clock is a month ahead, and says so once', async () => {
    for (const id of ['a', 'b', 'c']) await writeTranscript(folder, id, said(id));
    const shelf = await SessionStore.open(folder, nullLogger);
    const clock = new SetClock();
    const postponed: number[] = [];
    const prune = shelf.prune.bind(shelf);
    shelf.prune = (...args) => prune(...args).finally(() => pruned.resolve());
    let pruned = createDeferred<void>();
    const store = scheduleRetention({
      sessions: stubOf<Sessions>({
        store: shelf,
        open: { isAvailable: () => true, reserve: () => toDisposable(() => undefined) },
      }),
      catalog: stubOf<SessionCatalog>({ purge: async () => undefined }),
      clock,
      log: nullLogger,
      limits: () => ({ maxAgeDays: 7, maxSizeMB: 10 }),
      onDidPostpone: (count) => postponed.push(count),
    });
    const look = async (): Promise<void> => {
      pruned = createDeferred();
      clock.due?.callback();
      await pruned.promise;
    };
    clock.ahead = 31 * DAY;
    for (let time = 0; time < 3; time++) await look();
    assert.deepEqual([shelf.list().length, postponed], [3, [3]]);
    clock.ahead = 0;
    clock.time += 3 * DAY;
    await look();
    assert.equal(shelf.list().length, 3);
    clock.ahead = 31 * DAY;
    await look();
    clock.time += DAY;
    await look();
    assert.equal(shelf.list().length, 0);
    store.dispose();
  });
});

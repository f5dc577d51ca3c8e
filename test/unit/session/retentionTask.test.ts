import assert from 'node:assert/strict';
import { createDeferred } from '../../../src/base/async';
import { toDisposable } from '../../../src/base/lifecycle';
import { nullLogger } from '../../../src/base/logger';
import { SessionStore } from '../../../src/history/sessionStore';
import { scheduleRetention } from '../../../src/session/retentionTask';
import type { SessionCatalog } from '../../../src/session/sessionCatalog';
import type { Sessions } from '../../../src/session/sessions';
import { stubOf } from '../../kit/stubOf';
import { temporaryFolder } from '../../kit/temporaryFolder';
import { TestClock } from '../../kit/testClock';
import { said, writeTranscript } from '../history/search/sample';

const DAY = 24 * 60 * 60_000;

describe('the retention of transcripts', () => {
  let folder = '';
  beforeEach(() => (folder = temporaryFolder()));

  it('prunes after the start and repeatedly, deletes old transcripts, and keeps open ones', async () => {
    await writeTranscript(folder, 'open', said('one'));
    await writeTranscript(folder, 'old', said('two'));
    const shelf = await SessionStore.open(folder, nullLogger);
    const clock = new TestClock(Date.now());
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
    clock.sleep(8 * DAY);
    const dropped = new Promise<void>((resolve) => done.add(resolve));
    await clock.expire();
    await dropped;
    assert.deepEqual(
      shelf.list().map(({ id }) => id),
      ['open'],
    );
    assert.deepEqual(purged, [clock.now()]);
    assert.ok((clock.delays.at(-1) ?? 0) > 60 * 60_000, 'it is looked at again in some hours');
    store.dispose();
    assert.equal(clock.waiting, 0);
  });

  it('deletes nothing while the clock is a month ahead, and says so once', async () => {
    for (const id of ['a', 'b', 'c']) await writeTranscript(folder, id, said(id));
    const shelf = await SessionStore.open(folder, nullLogger);
    const clock = new TestClock(Date.now());
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
      await clock.expire();
      await pruned.promise;
    };
    clock.set(31 * DAY);
    for (let time = 0; time < 3; time++) await look();
    assert.deepEqual([shelf.list().length, postponed], [3, [3]]);
    clock.set(-31 * DAY);
    clock.sleep(3 * DAY);
    await look();
    assert.equal(shelf.list().length, 3);
    clock.set(31 * DAY);
    await look();
    clock.sleep(DAY);
    await look();
    assert.equal(shelf.list().length, 0);
    store.dispose();
  });
});

import { join } from 'node:path';
import type { Clock } from '../base/clock';
import { errorMessage } from '../base/errors';
import type { Disposable } from '../base/lifecycle';
import { MutableDisposable } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import type { RetentionLimits } from '../history/retentionLimits';
import { StoreClock } from '../node/fs/storeClock';
import type { SessionCatalog } from './sessionCatalog';
import type { Sessions } from './sessions';

interface RetentionOptions {
  readonly sessions: Sessions;
  readonly catalog: SessionCatalog;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: () => RetentionLimits;
  /** Called when many conversations are too old at once, because the clock was set or the limit changed: they stay for a day. */
  readonly onDidPostpone?: (count: number) => void;
}

/** Milliseconds before the first run, and between runs. */
const FIRST_PRUNE_DELAY_MS = 30_000;
const PRUNE_INTERVAL_MS = 6 * 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/** Deletes hidden sessions permanently, and those that are too old or exceed the storage limit. Dispose to stop. */
export function scheduleRetention(options: RetentionOptions): Disposable {
  const timer = new MutableDisposable<Disposable>();
  const storeClock = new StoreClock(join(options.sessions.store.folder, '.seen.json'), options.clock);
  const plan = (ms: number): void => {
    timer.value = options.clock.after(ms, () => {
      void tidy(options, storeClock);
      plan(PRUNE_INTERVAL_MS);
    });
  };
  plan(FIRST_PRUNE_DELAY_MS);
  return timer;
}

async function tidy(options: RetentionOptions, storeClock: StoreClock): Promise<void> {
  const { sessions, catalog, clock, log, limits, onDidPostpone } = options;
  try {
    await catalog.purge(clock.now());
    const limit = limits();
    const deleted = await sessions.store.prune(limit, sessions.open, async (all) => {
      if (limit.maxAgeDays === 0) return clock.now();
      const { now, waiting } = await storeClock.look(all, limit.maxAgeDays * DAY_MS);
      if (waiting > 0) onDidPostpone?.(waiting);
      return now;
    });
    if (deleted.length > 0) log.info('session', `Deleted ${deleted.length} old conversations: ${deleted.join(', ')}`);
  } catch (error) {
    log.warn('session', `Failed to delete old conversations: ${errorMessage(error)}`);
  }
}

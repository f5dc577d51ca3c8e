import type { Clock } from '../base/clock';
import { errorMessage } from '../base/errors';
import type { Disposable } from '../base/lifecycle';
import { MutableDisposable } from '../base/lifecycle';
import type { Logger } from '../base/logger';
import type { SessionCatalog } from './sessionCatalog';
import type { RetentionLimits, SessionAvailability } from '../history/retentionLimits';
import type { Sessions } from './sessions';

interface RetentionOptions {
  readonly sessions: Pick<Sessions, 'store'> & { readonly open: SessionAvailability };
  readonly catalog: Pick<SessionCatalog, 'purge'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: () => RetentionLimits;
}

/** Milliseconds before the first run, and between runs. */
const FIRST_PRUNE_DELAY_MS = 30_000;
const PRUNE_INTERVAL_MS = 6 * 60 * 60_000;

/** Deletes hidden sessions permanently, and those that are too old or exceed the storage limit. Dispose to stop. */
export function scheduleRetention(options: RetentionOptions): Disposable {
  const timer = new MutableDisposable<Disposable>();
  const plan = (ms: number): void => {
    timer.value = options.clock.after(ms, () => {
      void tidy(options);
      plan(PRUNE_INTERVAL_MS);
    });
  };
  plan(FIRST_PRUNE_DELAY_MS);
  return timer;
}

async function tidy({ sessions, catalog, clock, log, limits }: RetentionOptions): Promise<void> {
  try {
    const now = clock.now();
    await catalog.purge(now);
    const deleted = await sessions.store.prune(limits(), sessions.open, now);
    if (deleted.length > 0) log.info('session', `Deleted ${deleted.length} old conversations: ${deleted.join(', ')}`);
  } catch (error) {
    log.warn('session', `Failed to delete old conversations: ${errorMessage(error)}`);
  }
}

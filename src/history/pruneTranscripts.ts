import { isExpired } from '../node/fs/storeClock';
import type { RetentionLimits, SessionAvailability, TimeOf, TranscriptSize } from './retentionLimits';
import { exceedingLimits } from './retentionLimits';
import type { SessionSummary } from './sessionSummary';
import { listTranscripts } from './transcriptFile';

/** The sessions on disk, as pruning needs them. */
interface PrunedSessions {
  readonly folder: string;
  get(id: string): SessionSummary | undefined;
  remove(id: string): Promise<void>;
}

/**
 * Deletes what exceeds the limits, oldest first.
 * @param open open sessions stay, also if opened meanwhile
 * @returns the titles of deleted sessions
 */
export async function pruneTranscripts(
  store: PrunedSessions,
  limits: RetentionLimits,
  open: SessionAvailability,
  now: number | TimeOf,
): Promise<string[]> {
  const files = await listTranscripts(store.folder);
  const stored = files.map(({ id, size, at }): TranscriptSize => {
    return { id, size, at: Math.max(at, store.get(id)?.updatedAt ?? 0), isExempt: !open.isAvailable(id) };
  });
  const time = typeof now === 'number' ? now : await now(stored);
  // What was stored while the clock was not set counts as new.
  const ageFrom = (at: number): number => (isExpired(at, time, 0) ? at : Math.max(at, time));
  const aged = stored.map(({ id, size, at, isExempt }) => ({ id, size, at: ageFrom(at), isExempt }));
  const expired = exceedingLimits(aged, limits, time);
  const titles = await Promise.all(expired.map((id) => drop(store, id, open)));
  return titles.flatMap((title) => title ?? []);
}

async function drop(store: PrunedSessions, id: string, open: SessionAvailability): Promise<string | undefined> {
  const reserved = open.reserve(id);
  if (!reserved) return undefined;
  const title = store.get(id)?.title ?? id;
  try {
    await store.remove(id);
  } finally {
    reserved.dispose();
  }
  return title;
}

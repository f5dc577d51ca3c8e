import type { RestorableSessions } from './restorableSessions';
import type { Sessions } from './sessions';

/** Milliseconds during which another window may offer to undo a deletion. */
const UNDO_TIME_MS = 5 * 60_000;

/**
 * Permanently deletes sessions hidden by earlier windows, except those that a window can still restore.
 * @param remove deletes one permanently
 */
export async function purgeSessions(
  sessions: Sessions,
  restorable: RestorableSessions,
  now: number,
  remove: (id: string) => Promise<void>,
): Promise<void> {
  // Another window may have restored a session since this window read the list.
  await sessions.refresh();
  const old = sessions.store.listDeleted().filter(({ deletedAt = now }) => deletedAt < now - UNDO_TIME_MS);
  for (const { id } of old) {
    const reserved = restorable.has(id) ? undefined : sessions.open.reserve(id);
    if (reserved) await remove(id).finally(() => reserved.dispose());
  }
}

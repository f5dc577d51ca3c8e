import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';
import { contentKey } from '../tracking/turnChanges';
import type { Checkpoint, CheckpointStore } from './checkpointStore';
import type { RestoreOptions } from './restoreTargets';

/** What undoes a change that has a checkpoint before it. */
interface UndoableChange {
  readonly sessionId: string;
  /** Of its checkpoint. */
  readonly undoId: string;
}

/**
 * Ends the change after a checkpoint: stores the files' state, so that its undo can name later changes.
 * @returns undefined where nothing has changed
 */
export async function endChange(options: RestoreOptions, id: string): Promise<string | undefined> {
  const { store } = options;
  const checkpoint = store.get(id);
  if (!checkpoint) return undefined;
  const { isOpen: _isOpen, ...ended } = checkpoint;
  let restored: Checkpoint['restored'];
  try {
    const { planRestore } = await import('./restorePlan');
    const { files } = await planRestore(checkpoint, options);
    if (files.length > 0) restored = Object.fromEntries(files.map(({ path, now }) => [path, contentKey(now) ?? null]));
  } finally {
    await store.replace({ ...ended, ...(restored && { restored }) });
  }
  return restored && id;
}

/**
 * Ends the changes that a crash has cut off.
 * @returns those of which a part is there
 */
export async function endInterrupted(
  store: CheckpointStore,
  log: Logger,
  end: (id: string) => Promise<string | undefined>,
): Promise<readonly UndoableChange[]> {
  const found: UndoableChange[] = [];
  for (const { id, sessionId } of store.all().filter(({ isOpen }) => isOpen)) {
    // oxlint-disable-next-line no-await-in-loop -- hardly ever more than one
    const undoId = await end(id).catch((error: unknown) =>
      log.warn('review', `Failed to check an interrupted change: ${errorMessage(error)}`),
    );
    if (typeof undoId === 'string') found.push({ sessionId, undoId });
  }
  return found;
}

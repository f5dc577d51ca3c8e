import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';
import { contentKey } from '../tracking/turnChanges';
import { withoutChange } from './checkpointStore';
import type { Checkpoint, CheckpointStore } from './checkpointStore';
import type { RestoreOptions } from './restoreTargets';

/** A change that a crash has cut off. */
export interface InterruptedChange {
  readonly sessionId: string;
  /** Of the checkpoint before it. */
  readonly undoId: string;
  /** It restores a checkpoint; `canFinish` if that one still exists. */
  readonly restore?: { readonly canFinish: boolean };
}

/**
 * Ends the change after a checkpoint: stores the files' state, so that its undo can name later changes. A restore stays open until it is
 * finished or undone.
 * @param isCutOff by a crash: nobody knows which changes are later ones
 * @returns undefined where nothing has changed
 */
export async function endChange(options: RestoreOptions, id: string, isCutOff: boolean): Promise<string | undefined> {
  const { store } = options;
  const checkpoint = store.get(id);
  if (!checkpoint) return undefined;
  let restored: Checkpoint['restored'];
  try {
    const { planRestore } = await import('./restorePlan');
    const { files } = await planRestore(checkpoint, options);
    const known = isCutOff ? [] : files;
    if (files.length > 0) restored = Object.fromEntries(known.map(({ path, now }) => [path, contentKey(now) ?? null]));
  } finally {
    const isUnfinished = checkpoint.restores !== undefined && restored !== undefined;
    const ended = isUnfinished ? checkpoint : withoutChange(checkpoint);
    // A restore has stored what its files will be.
    await store.replace({ ...ended, ...(restored && { restored: checkpoint.restored ?? restored }) });
  }
  return restored && id;
}

/**
 * Ends the changes that a crash has cut off.
 * @returns those of which a part is there
 */
export async function endInterrupted(
  open: readonly Checkpoint[],
  store: CheckpointStore,
  log: Logger,
  end: (id: string) => Promise<string | undefined>,
): Promise<readonly InterruptedChange[]> {
  const found: InterruptedChange[] = [];
  for (const { id, sessionId, restores } of open) {
    // oxlint-disable-next-line no-await-in-loop -- hardly ever more than one
    const undoId = await end(id).catch((error: unknown) =>
      log.warn('review', `Failed to check an interrupted change: ${errorMessage(error)}`),
    );
    if (typeof undoId !== 'string') continue;
    const restore = restores !== undefined && { restore: { canFinish: store.get(restores) !== undefined } };
    found.push({ sessionId, undoId, ...restore });
  }
  return found;
}

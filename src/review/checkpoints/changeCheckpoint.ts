// Protected by test/unit/review/checkpoints/filesWithoutTree.test.ts: files that no snapshot has are restored, too.
import { errorMessage } from '../../base/errors';
import type { Logger } from '../../base/logger';
import type { ReviewScopes } from '../tracking/reviewScope';
import { contentKey } from '../tracking/turnChanges';
import type { WorkingFiles } from '../tracking/workingFiles';
import { withoutChange } from './checkpoint';
import type { Checkpoint } from './checkpoint';
import type { CheckpointData } from './checkpointData';
import type { CheckpointStore } from './checkpointStore';

/** A change that a crash has cut off. */
export interface InterruptedChange {
  readonly sessionId: string;
  /** Of the checkpoint before it. */
  readonly undoId: string;
  /** It restores a checkpoint; `canFinish` if that one still exists. */
  readonly restore?: { readonly canFinish: boolean };
  /** Nobody knows whether a part of it is there: as in {@link ChangeEnd}. */
  readonly unread?: string;
}

/** Whether files differ from the checkpoint; `unread` has the folders that cannot be compared now, or why none can. */
export type ChangeEnd = 'unchanged' | 'changed' | { readonly unread: string };

/**
 * Ends the change after a checkpoint: stores the files' state, so that its undo can name later changes. A restore stays open until it is
 * finished or undone, and a change that a crash has cut off until its files can be compared.
 * @param isCutOff by a crash: nobody knows which changes are later ones
 */
export async function endChange(
  id: string,
  isCutOff: boolean,
  data: CheckpointData,
  files: WorkingFiles,
  scopes: ReviewScopes,
): Promise<ChangeEnd> {
  const { store } = data;
  const checkpoint = store.get(id);
  if (!checkpoint) return 'unchanged';
  let restored: Checkpoint['restored'];
  try {
    const { planRestore } = await import('./restorePlan');
    const scope = scopes.ofWorktree(checkpoint.worktree);
    const { files: changed, unread } = await planRestore(checkpoint, data, files, scope);
    if (isCutOff && unread.length > 0) return { unread: unread.join(', ') };
    const known = isCutOff ? [] : changed;
    if (changed.length > 0)
      restored = Object.fromEntries(known.map(({ path, now }) => [path, contentKey(now) ?? null]));
  } catch (error) {
    if (isCutOff) return { unread: errorMessage(error) };
    await store.replace(withoutChange(checkpoint));
    throw error;
  }
  const isUnfinished = checkpoint.restores !== undefined && restored !== undefined;
  const ended = isUnfinished ? checkpoint : withoutChange(checkpoint);
  // A restore has stored what its files will be.
  await store.replace({ ...ended, ...(restored && { restored: checkpoint.restored ?? restored }) });
  return restored ? 'changed' : 'unchanged';
}

/**
 * Ends the changes that a crash has cut off.
 * @returns those of which a part is there, or may be
 */
export async function endInterrupted(
  open: readonly Checkpoint[],
  store: CheckpointStore,
  log: Logger,
  end: (id: string) => Promise<ChangeEnd>,
): Promise<readonly InterruptedChange[]> {
  const found: InterruptedChange[] = [];
  for (const { id, sessionId, restores } of open) {
    // oxlint-disable-next-line no-await-in-loop -- hardly ever more than one
    const ended = await end(id).catch((error: unknown): 'unchanged' => {
      log.warn('review', `Failed to check an interrupted change: ${errorMessage(error)}`);
      return 'unchanged';
    });
    if (ended === 'unchanged') continue;
    const restore = restores !== undefined && { restore: { canFinish: store.get(restores) !== undefined } };
    found.push({ sessionId, undoId: id, ...restore, ...(ended !== 'changed' && ended) });
  }
  return found;
}

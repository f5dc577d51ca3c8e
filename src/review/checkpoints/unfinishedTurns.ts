// Protected by test/unit/review/unfinishedTurn.test.ts: what a turn changed before a crash is listed.
import { errorMessage } from '../../base/errors';
import type { FileContent } from '../storage/fileContent';
import type { ChangeTracker } from '../tracking/changeTracker';
import type { ReviewScopes } from '../tracking/reviewScope';
import { contentKey } from '../tracking/turnChanges';
import type { Checkpoint } from './checkpoint';
import { withoutTurn } from './checkpoint';
import type { CheckpointData } from './checkpointData';

/** Contents on disk that the last window had recorded: their keys by `ModifiedFiles.keyOf`; null for a missing file. */
export type RecordedContents = ReadonlyMap<string, string | null>;

/** Changes in a turn that its window did not end, and did not record. */
export interface UnseenChanges {
  readonly sessionId: string;
  /** Absolute. */
  readonly paths: readonly string[];
  /** The folders that cannot be compared now, or why none can: more files may differ. */
  readonly unread?: string;
  /** The window was killed before the files at the start of the turn were stored, so nobody knows what has changed. */
  readonly isUnrecorded?: true;
}

/**
 * Ends the turns that a crash has cut off.
 * @returns what differs from the checkpoint before such a turn and from what the last window had recorded. Nobody knows who changed it.
 */
export async function endUnfinishedTurns(
  turns: readonly Checkpoint[],
  data: CheckpointData,
  { files, modifiedFiles }: ChangeTracker,
  scopes: ReviewScopes,
  recorded: RecordedContents,
): Promise<readonly UnseenChanges[]> {
  const { planRestore } = await import('./restorePlan');
  const isRecorded = (path: string, content: FileContent | undefined): boolean =>
    recorded.get(modifiedFiles.keyOf(path)) === (contentKey(content) ?? null);
  const found: UnseenChanges[] = [];
  const ended: Checkpoint[] = [];
  for (const turn of turns) {
    const { sessionId } = turn;
    const paths: string[] = [];
    const scope = scopes.ofWorktree(turn.worktree);
    const plan = await planRestore(turn, data, files, scope).catch((error: unknown) => ({
      files: [],
      unread: [errorMessage(error)],
    }));
    for (const { path } of plan.files) {
      const disk = await files.disk(path);
      if (disk === 'unknown' || !isRecorded(path, disk)) paths.push(path);
    }
    // Without git or a folder, nothing is known: it is compared again later.
    if (plan.unread.length > 0) found.push({ sessionId, paths, unread: plan.unread.join(', ') });
    else {
      ended.push(turn);
      if (paths.length > 0) found.push({ sessionId, paths });
    }
  }
  await data.store.replace(...ended.map(withoutTurn));
  return found;
}

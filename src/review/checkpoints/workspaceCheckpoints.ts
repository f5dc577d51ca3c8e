// Protected by test/unit/review/checkpoints/writtenDuringRestore.test.ts: a file that is written while a restore begins stays.
import type { Event } from '../../base/event';
import type { CheckpointInfo } from '../../shared/state/reviewState';
import type { ReviewScopes } from '../tracking/reviewScope';
import type { InterruptedChange } from './changeCheckpoint';
import type { RestoreChange, RestorePreview, RestoreResult } from './restorePlan';

/** File states before each prompt of a session. No method rejects. `RecordedCheckpoints` implements it. */
export interface WorkspaceCheckpoints {
  readonly onDidChange: Event<void>;
  readonly scopes: ReviewScopes;
  /** Why the last checkpoint could not be created; undefined if it was. */
  readonly failure: string | undefined;
  /** Coverage of the last checkpoint. */
  coverage(sessionId: string): 'workspace' | 'touched' | undefined;
  /** Sentences about what the last checkpoint does not cover. */
  notes(sessionId: string): readonly string[];
  /** The checkpoints of a session for its page. */
  infosOf(sessionId: string): readonly CheckpointInfo[];
  /** @param entry index of the prompt's entry */
  preview(sessionId: string, entry: number): Promise<RestorePreview>;
  /** Marks files that were changed since the restore. */
  previewUndo(sessionId: string, undoId: string): Promise<RestorePreview>;
  /** What {@link finishRestore} changes. Marks files that were changed since the crash. */
  previewFinish(sessionId: string, undoId: string): Promise<RestorePreview>;
  /**
   * Creates a checkpoint of the current state, restores the old one, and marks the conversation.
   * @param agreed what the user was shown: files that differ from it now are left, and named. All by default
   */
  restore(sessionId: string, entry: number, agreed?: readonly RestoreChange[]): Promise<RestoreResult>;
  /**
   * Undoes a restore.
   * @param agreed later changes that the user agreed to lose; refused if there are more
   */
  undoRestore(sessionId: string, undoId: string, agreed?: readonly RestoreChange[]): Promise<RestoreResult>;
  /**
   * Finishes a restore that a crash has cut off, see {@link endInterrupted}.
   * @param agreed as for {@link undoRestore}
   */
  finishRestore(sessionId: string, undoId: string, agreed?: readonly RestoreChange[]): Promise<RestoreResult>;
  /**
   * Ends a restore that a crash has cut off, with the files as they are.
   * @param text for the transcript: which files are not restored
   */
  leaveRestore(sessionId: string, undoId: string, text: string): Promise<void>;
  /**
   * Runs a change of the user for a session, with a checkpoint of the workspace before; the session may work in a git worktree.
   * @returns the id for {@link undoRestore}; undefined where there is no checkpoint, or nothing changed
   */
  around(sessionId: string, change: () => Promise<void>): Promise<string | undefined>;
  /**
   * The changes of {@link around} that a crash has cut off, and of which a part is there, or may be. For a new window before its first
   * change; later calls look again at those that are still open.
   */
  endInterrupted(): Promise<readonly InterruptedChange[]>;
}

import type { ReviewScopes } from '../tracking/reviewScope';

/** The review that checkpoints belong to. */
export interface CheckpointOwner {
  readonly scopes: ReviewScopes;
  /** Why files of a git worktree, or of the workspace, must not be replaced now, in a sentence; undefined if they may be. */
  busyReason(worktree: string | undefined): string | undefined;
  /** Settles when the changes of turns that have ended are recorded: until then, their agents count as working. */
  settle(): Promise<void>;
  /** Reports a restore to the transcript. Settles when it is stored there, with the review. */
  recordRestore(sessionId: string, entry: number, undoId: string): Promise<void>;
  /** As {@link recordRestore}. A part can be undone again, so that the transcript still offers it. */
  recordUndo(sessionId: string, undoId: string, isPartial: boolean): Promise<void>;
  /** As {@link recordRestore}, for one that stays unfinished. `text` says which files are not restored. */
  recordLeft(sessionId: string, text: string): Promise<void>;
  /** Limits of days and of size on disk. */
  checkpointLimits(): { readonly maxAgeDays: number; readonly maxSizeMB: number };
  /** Whether a session is open: its last checkpoint stays. */
  isOpen(sessionId: string): boolean;
  /** The review on disk, which another window may have written; empty where there is none. */
  storedReview(): Promise<string>;
  /** Called when many checkpoints are too old at once, because the clock was set or the limit changed: they stay for a day. */
  reportPostponed(count: number): void;
}

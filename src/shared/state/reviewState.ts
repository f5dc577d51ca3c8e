/** The review state of the page: changed files, checkpoints and restores. */

export type FileStatus = 'created' | 'changed' | 'deleted' | 'renamed';

/** Why a file cannot be kept or undone directly; the UI explains each reason. */
export type ConflictReason =
  /** The user edited lines that the agent had changed. */
  | 'edited'
  /** The file changed on disk while its editor has unsaved text. */
  | 'unsaved';

/** A file with changes that the user has neither kept nor undone. */
export interface ChangedFile {
  /** Absolute. */
  readonly path: string;
  /** Relative to its workspace folder, with forward slashes. */
  readonly label: string;
  readonly status: FileStatus;
  /** The previous label of a renamed file. */
  readonly from?: string;
  /** Number of lines; 0 for a binary file. */
  readonly added: number;
  readonly removed: number;
  /** Not text, or too large for a comparison: reviewed as a whole. */
  readonly binary: boolean;
  readonly conflict?: ConflictReason;
}

/** The state of the files before a prompt, which the user can restore. */
export interface CheckpointInfo {
  /** Index of the prompt's entry. */
  readonly entry: number;
  readonly checkpointId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `touched`: without git, only files that the agent changed through Parley are included. */
  readonly coverage: 'workspace' | 'touched';
  /** Number of files skipped for their size. */
  readonly leftOut: number;
}

/** The user restored a checkpoint: entries `[from, to)` no longer match the files. */
export interface CheckpointRewind {
  /** The checkpoint that reverts the restore. */
  readonly undoId: string;
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** The review part of a session's state. */
export interface ReviewState {
  /** Ordered by label. */
  readonly changes: readonly ChangedFile[];
  /** Oldest first. */
  readonly checkpoints: readonly CheckpointInfo[];
  readonly rewinds: readonly CheckpointRewind[];
}

export const emptyReview: ReviewState = { changes: [], checkpoints: [], rewinds: [] };

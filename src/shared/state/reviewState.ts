/** What the page knows of the review: files with changes of the agent, checkpoints, and places the user went back to. */

export type FileStatus = 'created' | 'changed' | 'deleted' | 'renamed';

/** Why a file cannot simply be kept or undone; each is explained to the user in words. */
export type ConflictReason =
  /** The user changed the same lines after the agent did. */
  | 'edited'
  /** It was changed on disk while its editor holds unsaved text. */
  | 'unsaved';

/** A file with changes that the user has neither kept nor undone. */
export interface ChangedFile {
  /** Absolute. */
  readonly path: string;
  /** Relative to its workspace folder, with forward slashes. */
  readonly label: string;
  readonly status: FileStatus;
  /** The label before, of a renamed file. */
  readonly from?: string;
  /** Lines. 0 for a binary file. */
  readonly added: number;
  readonly removed: number;
  /** Not text, or too large to be compared: reviewed as a whole. */
  readonly binary: boolean;
  readonly conflict?: ConflictReason;
}

/** A state of the files, taken before a prompt, that the user can go back to. */
export interface CheckpointInfo {
  /** Index of the prompt's entry. */
  readonly entry: number;
  readonly checkpointId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Without git only files that the agent touched through Parley are in it. */
  readonly coverage: 'workspace' | 'touched';
  /** Files that were left out for their size. */
  readonly leftOut: number;
}

/** The user went back to a checkpoint: entries `[from, to)` are no longer what the files look like. */
export interface CheckpointRewind {
  /** The checkpoint that undoes it. */
  readonly undoId: string;
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** The part of a session's state that is about review. */
export interface ReviewState {
  /** Ordered by label. */
  readonly changes: readonly ChangedFile[];
  /** Oldest first. */
  readonly checkpoints: readonly CheckpointInfo[];
  readonly rewinds: readonly CheckpointRewind[];
}

/** A session in which nothing was changed. */
export const emptyReview: ReviewState = { changes: [], checkpoints: [], rewinds: [] };

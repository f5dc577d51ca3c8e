import { assertNever } from '../../base/assert';

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
  /** Words for changed permissions: “mode 0644 → 0755”. */
  readonly mode?: string;
  readonly conflict?: ConflictReason;
  /** Another program may have made the change, or a part of it. */
  readonly isUnsure?: true;
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
  readonly skipped: number;
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

export type ReviewAction =
  /** `removed`: paths without unreviewed changes. Stored by the review, not in the transcript. */
  | { readonly type: 'changesChanged'; readonly changed: readonly ChangedFile[]; readonly removed: readonly string[] }
  /** The current checkpoints, after one was taken or removed. Stored by the review. */
  | { readonly type: 'checkpointsChanged'; readonly checkpoints: readonly CheckpointInfo[] }
  | { readonly type: 'checkpointRestored'; readonly entry: number; readonly undoId: string; readonly at: number }
  | { readonly type: 'restoreUndone'; readonly undoId: string };

/** Pure; returns the same reference when nothing changed. */
export function reduceReview<S extends ReviewState & { readonly entries: { readonly count: number } }>(
  state: S,
  action: ReviewAction,
): S {
  switch (action.type) {
    case 'changesChanged':
      return action.changed.length + action.removed.length === 0
        ? state
        : { ...state, changes: applyChanges(state, action) };
    case 'checkpointsChanged':
      return { ...state, checkpoints: action.checkpoints };
    case 'checkpointRestored': {
      const rewind = { undoId: action.undoId, from: action.entry, to: state.entries.count, at: action.at };
      return { ...state, rewinds: [...state.rewinds, rewind] };
    }
    case 'restoreUndone':
      return { ...state, rewinds: state.rewinds.filter(({ undoId }) => undoId !== action.undoId) };
    default:
      return assertNever(action);
  }
}

function applyChanges(
  { changes }: ReviewState,
  { changed, removed }: Extract<ReviewAction, { type: 'changesChanged' }>,
): readonly ChangedFile[] {
  const files = new Map(changes.map((file) => [file.path, file]));
  for (const path of removed) files.delete(path);
  for (const file of changed) files.set(file.path, file);
  return [...files.values()].sort((a, b) => (a.label < b.label ? -1 : Number(a.label > b.label)));
}

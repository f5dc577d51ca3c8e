import type { SessionState } from './sessionState';

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

export type ReviewAction =
  /** `put` are new or different, `gone` are paths with nothing left to review. Kept by the review itself, not by the transcript. */
  | { readonly type: 'changesChanged'; readonly put: readonly ChangedFile[]; readonly gone: readonly string[] }
  /** The checkpoints there are: taken, or pruned. Kept by the review itself. */
  | { readonly type: 'checkpointsChanged'; readonly checkpoints: readonly CheckpointInfo[] }
  | { readonly type: 'checkpointRestored'; readonly entry: number; readonly undoId: string; readonly at: number }
  | { readonly type: 'restoreUndone'; readonly undoId: string };

const TYPES: ReadonlySet<string> = new Set<ReviewAction['type']>([
  'changesChanged',
  'checkpointsChanged',
  'checkpointRestored',
  'restoreUndone',
]);

export function isReviewAction(action: { readonly type: string }): action is ReviewAction {
  return TYPES.has(action.type);
}

/** A session in which nothing was changed. */
export const emptyReview: ReviewState = { changes: [], checkpoints: [], rewinds: [] };

/** The state after `action`. Pure; the same reference comes back when nothing changed. */
export function reduceReview(state: SessionState, action: ReviewAction): SessionState {
  switch (action.type) {
    case 'changesChanged':
      return action.put.length + action.gone.length === 0 ? state : { ...state, changes: changed(state, action) };
    case 'checkpointsChanged':
      return { ...state, checkpoints: action.checkpoints };
    case 'checkpointRestored': {
      const rewind = { undoId: action.undoId, from: action.entry, to: state.entries.count, at: action.at };
      return { ...state, rewinds: [...state.rewinds, rewind] };
    }
    case 'restoreUndone':
      return { ...state, rewinds: state.rewinds.filter(({ undoId }) => undoId !== action.undoId) };
    default:
      return state;
  }
}

function changed(
  { changes }: SessionState,
  { put, gone }: Extract<ReviewAction, { type: 'changesChanged' }>,
): readonly ChangedFile[] {
  const files = new Map(changes.map((file) => [file.path, file]));
  for (const path of gone) files.delete(path);
  for (const file of put) files.set(file.path, file);
  return [...files.values()].sort((a, b) => (a.label < b.label ? -1 : Number(a.label > b.label)));
}

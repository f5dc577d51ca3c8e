import type { ChangedFile, CheckpointInfo } from './reviewState';
import type { SessionState } from './sessionState';

export type ReviewAction =
  /**
   * `put` are new or changed files, `gone` paths without unreviewed changes. Stored by the review, not in the
   * transcript.
   */
  | { readonly type: 'changesChanged'; readonly put: readonly ChangedFile[]; readonly gone: readonly string[] }
  /** The current checkpoints, after one was taken or removed. Stored by the review. */
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

/** Pure; returns the same reference when nothing changed. */
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

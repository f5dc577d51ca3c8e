import { isOtherWindow } from '../../node/process/processStart';
import type { RootTree } from '../git/workspaceSnapshots';

/** The version of the list of checkpoints on disk. */
export const CHECKPOINTS_VERSION = 1;

/** The serialized form of one side of a file: see `writeContentRef`. */
export type StoredContent = { readonly mode: string; readonly permissions?: number; readonly blob: string } | null;

export interface Checkpoint {
  readonly id: string;
  readonly sessionId: string;
  /** Of a fork's copy: the session that it was created for. */
  readonly from?: string;
  /** The folder of the session's git worktree; undefined for the workspace. */
  readonly worktree?: string;
  /** Entry of the prompt it precedes; undefined for one that undoes a restore. */
  readonly entry?: number;
  readonly at: number;
  /** Start of the recording: milliseconds since 1970, by the file system's clock. */
  readonly recordedAt?: number;
  readonly roots: readonly RootTree[];
  /** Files that no tree covers. */
  readonly copies: Readonly<Record<string, StoredContent>>;
  /** Why a file that no tree covers has no copy, by path. Later copies do not stand for it. */
  readonly missed?: Readonly<Record<string, string>>;
  /** Unsaved text of editors. */
  readonly unsaved: Readonly<Record<string, StoredContent>>;
  /** Blob with the review state. */
  readonly ledger: string;
  readonly leftOut: number;
  /** Absolute paths of those that are left out, without those beyond the limit. */
  readonly omitted?: readonly string[];
  /** Sentences about what is not covered. */
  readonly notes: readonly string[];
  /**
   * Only for undoing a restore: the marks that its files have after it, null for a missing file; also while it is open. A file with another
   * mark was changed since.
   */
  readonly restored?: Readonly<Record<string, string | null>>;
  /** The change that it precedes has not ended: after a crash, a part of it may be there. */
  readonly isOpen?: true;
  /** The turn after the prompt has not ended: after a crash, it may have changes that no window has seen. */
  readonly isTurnOpen?: true;
  /** Only while a change or turn is open: the window in which it is, see `windowName`. */
  readonly window?: string;
  /** A damaged checkpoint came next: later copies may be of a later state. */
  readonly isBeforeGap?: true;
  /** Only while open: id of the checkpoint that is being restored. */
  readonly restores?: string;
}

/** A turn whose checkpoint is not in the list yet. */
export interface StartedTurn {
  readonly sessionId: string;
  /** As in {@link Checkpoint}. */
  readonly window: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Whether its change or turn, which is open, is that of another window that still runs. */
export function isOpenElsewhere({ window, at }: Checkpoint | StartedTurn): boolean {
  return window !== undefined && isOtherWindow(window, at);
}

/** The change after the checkpoint has ended. */
export function withoutChange({ isOpen: _isOpen, restores: _restores, ...checkpoint }: Checkpoint): Checkpoint {
  return checkpoint;
}

export function withoutTurn({ isTurnOpen: _isTurnOpen, ...checkpoint }: Checkpoint): Checkpoint {
  return checkpoint;
}

import type { Event } from '../base/event';
import type { Session } from '../session/session';
import type { ConflictReason, FileStatus } from '../shared/state/reviewState';
import type { FileContent } from './tracking/fileContent';

/** The review engine as the editor uses it: one per window, over all sessions. */

/** Lines `[start, start + lines)`, 0-based. */
export interface LineSpan {
  readonly start: number;
  readonly lines: number;
}

/** A difference between baseline and current text. */
export interface Hunk {
  /** Stable while the texts of both sides are unchanged. */
  readonly id: string;
  /** In the baseline text. */
  readonly before: LineSpan;
  /** In the editor's buffer if it is open, else on disk. */
  readonly after: LineSpan;
  /** The user changed its lines too: it can be kept, but not undone by a button. */
  readonly conflict?: true;
}

/** A file with changes that are neither kept nor undone. */
export interface ReviewedFile {
  /** Absolute, as VS Code knows it. */
  readonly path: string;
  /** Relative to its workspace folder, with forward slashes. */
  readonly label: string;
  readonly status: FileStatus;
  /** Absolute path before a rename. */
  readonly from?: string;
  /** Not text, or too large to be compared: can only be kept or undone as a whole. */
  readonly binary: boolean;
  /** Empty for binary files. */
  readonly hunks: readonly Hunk[];
  /** Lines. */
  readonly added: number;
  readonly removed: number;
  readonly conflict?: ConflictReason;
  /** Ids of the sessions whose agents changed it. */
  readonly sessions: readonly string[];
}

/** A failure with its reason, in a sentence for the user. */
export interface ReviewProblem {
  readonly path: string;
  readonly message: string;
}

export interface ReviewResult {
  /** Paths of files that changed, or whose review changed. */
  readonly done: readonly string[];
  readonly problems: readonly ReviewProblem[];
  /** For {@link Review.undoStep}; undefined when there is nothing to revert. */
  readonly step?: number;
}

/** Keep and Undo for changes of agents. No method rejects, none discards what the user typed. */
export interface Review {
  readonly onDidChange: Event<void>;
  /**
   * Ordered by label.
   * @param sessionId limits to changes of this session's agent
   */
  files(sessionId?: string): readonly ReviewedFile[];
  file(path: string): ReviewedFile | undefined;
  /** The baseline; undefined when the file did not exist, or is not reviewed. */
  baseBytes(path: string): Uint8Array | undefined;
  keepHunk(path: string, hunkId: string): Promise<ReviewResult>;
  undoHunk(path: string, hunkId: string): Promise<ReviewResult>;
  keepFile(path: string): Promise<ReviewResult>;
  undoFile(path: string): Promise<ReviewResult>;
  keepAll(sessionId?: string): Promise<ReviewResult>;
  undoAll(sessionId?: string): Promise<ReviewResult>;
  readonly canUndoLast: boolean;
  /** Reverts the last Keep or Undo, also of many files; again for earlier ones. */
  undoLast(): Promise<ReviewResult>;
  /** Reverts a certain step; undefined when it was reverted already, or dropped. */
  undoStep(step: number): Promise<ReviewResult | undefined>;
}

export interface RestoreChange {
  /** Absolute. */
  readonly path: string;
  readonly label: string;
  /** `created` restores a missing file, `deleted` removes it. */
  readonly status: 'created' | 'changed' | 'deleted';
  /** Unsaved text would be lost (undoing the restore recovers it). */
  readonly unsaved: boolean;
  /** Identifies the current content; undefined without a file. */
  readonly mark?: string;
  /** Changed after the restore that would be undone. */
  readonly later?: true;
}

export type RestorePreview =
  | {
      readonly type: 'ready';
      readonly checkpointId: string;
      readonly changes: readonly RestoreChange[];
      /** Files that differ and cannot be restored, with the reason. */
      readonly skipped: readonly ReviewProblem[];
      /** Sentences about what is not covered: large files, no git. */
      readonly notes: readonly string[];
    }
  /** Pruned or never created; `message` is for the user. */
  | { readonly type: 'unavailable'; readonly message: string };

export interface RestoreResult extends ReviewResult {
  /** Undefined when nothing was restored. */
  readonly undoId?: string;
}

/** File states before each prompt of a session. No method rejects. */
export interface Checkpoints {
  /** @param entry index of the prompt's entry */
  preview(sessionId: string, entry: number): Promise<RestorePreview>;
  /** Creates a checkpoint of the current state, restores the old one, and marks the conversation. */
  restore(sessionId: string, entry: number): Promise<RestoreResult>;
  /** Marks files that were changed since the restore. */
  previewUndo(sessionId: string, undoId: string): Promise<RestorePreview>;
  /**
   * Undoes a restore.
   * @param agreed later changes that the user agreed to lose; refused if there are more
   */
  undoRestore(sessionId: string, undoId: string, agreed?: readonly RestoreChange[]): Promise<RestoreResult>;
  /** Applies the age and size limits of the settings. */
  prune(): Promise<void>;
  /** `bytes` on disk. */
  size(): Promise<{ readonly count: number; readonly bytes: number }>;
}

/** A `Session` as the review uses it. */
export type ReviewSession = Pick<Session, 'id' | 'folders' | 'state' | 'diff'>;

/** Files through the editor where they are open. */
export interface WorkingFiles {
  /** The buffer of an open text file with unsaved text; undefined for every other file. */
  unsaved(path: string): Promise<FileContent | undefined>;
  /** `unknown`: {@link unknownBecause} says why. */
  disk(path: string): Promise<FileContent | 'unknown' | undefined>;
  /** Why the content is unknown, in a sentence. */
  unknownBecause(path: string): Promise<string>;
  /**
   * Writes `next` in one step that the editor can undo. An editor with unsaved text is saved only with `save`; others always.
   * @throws Error with a sentence, and without changes, when the file is not `expected` any more or cannot be written
   */
  write(path: string, next: FileContent | undefined, expected: FileContent | undefined, how?: 'save'): Promise<void>;
  writeUnsaved(path: string, next: FileContent): Promise<void>;
  /** Absolute paths of files with unsaved text. */
  unsavedPaths(): readonly string[];
}

/** File contents at the last snapshot. */
export interface Baseline {
  /** Undefined: not covered (no git, ignored, too large). `content` undefined: no file. */
  lookUp(paths: readonly string[]): Promise<ReadonlyMap<string, { readonly content: FileContent | undefined }>>;
  /** Absolute paths of covered files that differ on disk. */
  changedPaths(): Promise<readonly string[]>;
}

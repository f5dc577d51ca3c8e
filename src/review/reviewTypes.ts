import type { Event } from '../base/event';
import type { ConflictReason, FileStatus } from '../shared/state/reviewState';
import type { Action } from '../shared/state/sessionActions';
import type { SessionState } from '../shared/state/sessionState';
import type { FileContent } from './tracking/fileAttribution';

/** What the editor's surfaces see of the review engine: one object for the window, over all sessions. */

/** Lines `[start, start + lines)`, 0-based. */
export interface LineSpan {
  readonly start: number;
  readonly lines: number;
}

/** One place where the agent's text differs from the baseline. */
export interface Hunk {
  /** The same as long as the texts of both sides stay the same. */
  readonly id: string;
  /** In the baseline ({@link Review.baseText}). */
  readonly before: LineSpan;
  /** In the file as it is: the editor's buffer where it is open, else the disk. */
  readonly after: LineSpan;
  /** The user changed lines of it too: it can be kept, but not undone by a button. */
  readonly conflict?: true;
}

/** A file with changes that the user has neither kept nor undone. */
export interface ReviewedFile {
  /** Absolute, as VS Code knows it. */
  readonly path: string;
  /** Relative to its workspace folder, with forward slashes. */
  readonly label: string;
  readonly status: FileStatus;
  /** Absolute path before, of a renamed file. */
  readonly from?: string;
  /** Not text, or too large to be compared: no hunks, only the whole file can be kept or undone. */
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

/** What could not be done, and why, in a sentence for the user. */
export interface ReviewProblem {
  readonly path: string;
  readonly message: string;
}

/** What a step of the review came to. */
export interface ReviewResult {
  /** Paths of files that it changed, or whose review it changed. */
  readonly done: readonly string[];
  readonly problems: readonly ReviewProblem[];
  /** For {@link Review.undoStep}; absent when nothing was done that could be taken back. */
  readonly step?: number;
}

/** Keep and undo what agents changed. No method rejects, none throws away what the user typed. */
export interface Review {
  /** Something of `files()` is different. */
  readonly onDidChange: Event<void>;
  /**
   * Ordered by label.
   * @param sessionId only those that this session's agent changed
   */
  files(sessionId?: string): readonly ReviewedFile[];
  file(path: string): ReviewedFile | undefined;
  /** The baseline of a reviewed file; undefined when the file did not exist, or is not reviewed. */
  baseBytes(path: string): Uint8Array | undefined;
  keepHunk(path: string, hunkId: string): Promise<ReviewResult>;
  undoHunk(path: string, hunkId: string): Promise<ReviewResult>;
  keepFile(path: string): Promise<ReviewResult>;
  undoFile(path: string): Promise<ReviewResult>;
  keepAll(sessionId?: string): Promise<ReviewResult>;
  undoAll(sessionId?: string): Promise<ReviewResult>;
  /** True while {@link undoLast} has something to take back. */
  readonly canUndoLast: boolean;
  /** Takes the last Keep or Undo back, also one that did many files; again for the one before. */
  undoLast(): Promise<ReviewResult>;
  /** Takes a certain step back, whatever came after it; undefined when it was taken back already, or is forgotten. */
  undoStep(step: number): Promise<ReviewResult | undefined>;
}

/** What going back to a checkpoint would do to a file. */
export interface RestoreChange {
  /** Absolute. */
  readonly path: string;
  readonly label: string;
  /** What happens to the file: `created` comes back, `deleted` goes away. */
  readonly status: 'created' | 'changed' | 'deleted';
  /** Its editor holds unsaved text that goes away (undoing the restore brings it back). */
  readonly unsaved: boolean;
  /** Tells what is there now from anything else; absent when there is no file. */
  readonly mark?: string;
  /** It was changed after the restore that is to be undone. */
  readonly later?: true;
}

export type RestorePreview =
  | {
      readonly type: 'ready';
      readonly checkpointId: string;
      readonly changes: readonly RestoreChange[];
      /** Files that differ and cannot be brought back, with the reason. */
      readonly skipped: readonly ReviewProblem[];
      /** Sentences about what is not covered: large files, no git. */
      readonly notes: readonly string[];
    }
  /** Pruned, or none was taken; `message` says why, for the user. */
  | { readonly type: 'unavailable'; readonly message: string };

export interface RestoreResult extends ReviewResult {
  /** Undoes the restore; undefined when nothing was restored. */
  readonly undoId?: string;
}

/** States of the files before each prompt of a session. No method rejects. */
export interface Checkpoints {
  /**
   * What restoring the checkpoint of a prompt would do.
   * @param entry index of the prompt's entry
   */
  preview(sessionId: string, entry: number): Promise<RestorePreview>;
  /** Takes a checkpoint of what is, then brings back what was, and marks the conversation. */
  restore(sessionId: string, entry: number): Promise<RestoreResult>;
  /** What undoing a restore would do; files that were changed since it are marked. */
  previewUndo(sessionId: string, undoId: string): Promise<RestorePreview>;
  /**
   * Takes a restore back.
   * @param agreed what came after it and may go, as the user has seen it; refused where there is more
   */
  undoRestore(sessionId: string, undoId: string, agreed?: readonly RestoreChange[]): Promise<RestoreResult>;
  /** Drops what is older or more than the settings say. */
  prune(): Promise<void>;
  /** What is kept: number of checkpoints and bytes on disk. */
  size(): Promise<{ readonly count: number; readonly bytes: number }>;
}

/** What this room needs of a session; `Session` has it. */
export interface ReviewSession {
  readonly id: string;
  /** Absolute paths of the workspace folders. */
  readonly folders: readonly string[];
  readonly state: SessionState;
  readonly onDidDispatch: Event<{ readonly action: Action }>;
  dispatch(action: Action): void;
  diff(diffId: string): { readonly path: string; readonly oldText: string; readonly newText: string } | undefined;
}

/** Files as the user has them: through the editor where they are open. */
export interface WorkingFiles {
  /** The buffer of an open text file with unsaved text; undefined for every other file. */
  unsaved(path: string): Promise<FileContent | undefined>;
  /** `unknown`: {@link unknownBecause} says why. */
  disk(path: string): Promise<FileContent | 'unknown' | undefined>;
  /** Why it is not known what is on disk, in a sentence. */
  unknownBecause(path: string): Promise<string>;
  /**
   * Makes the file hold `next`, in one step that the editor can undo. An editor with unsaved text is saved only with `save`; one without
   * always is.
   * @throws Error with a sentence, and nothing changed, when the file is not `expected` any more or cannot be written
   */
  write(path: string, next: FileContent | undefined, expected: FileContent | undefined, how?: 'save'): Promise<void>;
  /** Gives the editor unsaved text. */
  writeUnsaved(path: string, next: FileContent): Promise<void>;
  /** Absolute paths of files with unsaved text. */
  unsavedPaths(): readonly string[];
}

/** What files were at the last snapshot. */
export interface Baseline {
  /** Undefined: not known, for the file is not covered (no git, ignored, too large). `content` undefined: there was none. */
  lookUp(paths: readonly string[]): Promise<ReadonlyMap<string, { readonly content: FileContent | undefined }>>;
  /** Absolute paths that differ from it on disk, of files that are covered. */
  changedPaths(): Promise<readonly string[]>;
}

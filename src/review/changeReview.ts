import type { Event } from '../base/event';
import type { ReviewedFile, ReviewResult } from './tracking/modifiedFiles';

/** Keep and Undo for changes of agents. No method rejects, none discards what the user typed. `TrackedReview` implements it, with `KeepAndUndo`. */
export interface ChangeReview {
  /** Fires soon after changes, once for many files. */
  readonly onDidChange: Event<void>;
  /**
   * Ordered by label.
   * @param sessionId limits to changes of this session's agent, which alone are counted then
   */
  files(sessionId?: string): readonly ReviewedFile[];
  /** @param path absolute, in any spelling */
  file(path: string): ReviewedFile | undefined;
  /**
   * The baseline; undefined when the file did not exist, or is not reviewed.
   * @param sessionId of the changes that it lacks; all by default
   */
  baseBytes(path: string, sessionId?: string): Uint8Array | undefined;
  /**
   * The sessions whose work an Undo for a session would take back besides its own.
   * @param hunkId limits to one hunk
   */
  othersIn(path: string, sessionId: string, hunkId?: string): readonly string[];
  /** Files that agents changed, and whose changes are not shown: an Undo says why it leaves them. */
  unreviewed(sessionId?: string): readonly string[];
  keepHunk(path: string, hunkId: string): Promise<ReviewResult>;
  /** @param only undoes this session's part of the hunk */
  undoHunk(path: string, hunkId: string, only?: string): Promise<ReviewResult>;
  keepFile(path: string): Promise<ReviewResult>;
  undoFile(path: string, only?: string): Promise<ReviewResult>;
  /** Both paths of a renamed file are kept with either of them. */
  keepFiles(paths: readonly string[]): Promise<ReviewResult>;
  /** @param only undoes the changes of this session, and leaves those of others in the same files */
  undoFiles(paths: readonly string[], only?: string): Promise<ReviewResult>;
  keepAll(sessionId?: string): Promise<ReviewResult>;
  undoAll(sessionId?: string): Promise<ReviewResult>;
  readonly canUndoLast: boolean;
  /** Reverts the last Keep or Undo, also of many files; again for earlier ones. */
  undoLast(): Promise<ReviewResult>;
  /** Reverts a certain step; undefined when it was reverted already, or dropped. */
  undoStep(number: number): Promise<ReviewResult | undefined>;
}

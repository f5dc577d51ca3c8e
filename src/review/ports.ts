import type { Event } from '../base/event';
import type { Action } from '../shared/state/sessionActions';
import type { SessionState } from '../shared/state/sessionState';
import type { FileContent } from './tracking/fileAttribution';

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

/** Files as the person has them: through the editor where they are open. */
export interface WorkingFiles {
  /** The buffer of an open text file with unsaved text; undefined for every other file. */
  unsaved(path: string): Promise<FileContent | undefined>;
  /** `unknown`: {@link unknownBecause} says why. */
  disk(path: string): Promise<FileContent | 'unknown' | undefined>;
  /** Why it is not known what is on disk, in a sentence. */
  unknownBecause(path: string): Promise<string>;
  /**
   * Makes the file hold `next`, in one step that the editor can undo. An editor with unsaved text is saved only with `save`; one
   * without always is. @throws Error with a sentence, and nothing changed, when the file is not `expected` any more or cannot be written
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

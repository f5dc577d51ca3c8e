import type { FileContent } from '../storage/fileContent';

/** `unknown`: no process of an agent can be shown to have written, but no other program either. */
export type Writer = 'agent' | 'other' | 'unknown';

/** Contents of a file on disk. */
export interface DiskChange {
  readonly before: FileContent | undefined;
  readonly after: FileContent | undefined;
}

/**
 * Whose a change of a file is. `WorkingAgents` answers from what agents report and `OtherWriters` from processes; `ChangeTracker` takes the
 * user's saves and these answers together, in `updateAttribution`.
 */
export interface Authorship {
  /** Ids of the working sessions, limited to those that reported the file if any did. */
  sessionsWorkingOn(path: string): readonly string[];
  /** Who changed the file on disk last, as far as is known, while an agent works. What an agent has named is the agent's. */
  writerOf(path: string, change: DiskChange): Promise<Writer>;
  /** Whether the user made this change in VS Code, other than by saving a text. */
  isMadeByUser(path: string, content: FileContent | undefined): Promise<boolean>;
}

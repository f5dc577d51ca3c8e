import type { Attachment } from '../shared/state/attachments';
import type { Block } from '../shared/state/contentBlocks';
import type { LastViewedSession } from './lastViewedSession';
import type { SessionOptions } from './liveSession';
import type { Session } from './session';

/** What all sessions get as it is. */
type Shared = 'agents' | 'log' | 'fallbackAgent' | 'policy' | 'budget' | 'prompts' | 'worktrees';

export interface SessionsOptions
  extends Pick<SessionOptions, Shared>, Partial<Pick<SessionOptions, 'stopDeadline' | 'clock'>> {
  /** Absolute; created when needed. */
  readonly folder: string;
  /** Absolute. */
  folders(): readonly string[];
  /** The folder of a new chat; the first one if undefined. */
  initialFolder?(): string | undefined;
  /** Used when no folder is open. */
  readonly home: string;
  /** The agent of a new chat; undefined leaves the choice to the user. */
  initialAgent(): string | undefined;
  /** Called once per session when transcripts cannot be written. */
  onHistoryError(session: Session, message: string): void;
  /** Called when the list of sessions can no longer be saved, with the cause. */
  readonly onSaveError?: (cause: string) => void;
  /** Virtual workspace folders, which agents cannot access. */
  readonly virtualFolders?: () => readonly string[];
  /**
   * Creates a checkpoint before a prompt. Never rejects.
   * @param entry the prompt's
   */
  readonly beforePrompt?: (session: Session, entry: number) => Promise<void>;
  /**
   * Reads the attachments of a message when it is sent.
   * @throws ParleyError that names what cannot be read
   */
  readonly readAttachments?: (session: Session, attachments: readonly Attachment[]) => Promise<readonly Block[]>;
  /** The session in the chat view of the previous window. */
  readonly inView?: LastViewedSession | undefined;
  /** Other windows use the same folder: only sessions that are not open there are restored. */
  readonly isShared?: boolean;
}

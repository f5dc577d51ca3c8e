import type { Clock } from '../base/clock';
import type { Logger } from '../base/logger';
import type { PermissionPolicy } from '../permissions/permissionPolicy';
import type { Attachment } from '../shared/state/attachments';
import type { Block } from '../shared/state/contentBlocks';
import type { Preset } from '../shared/state/preset';
import type { AgentPool } from './agents/agentPool';
import type { LastViewedSession } from './lastViewedSession';
import type { PromptFileStore } from './promptFiles/promptFileStore';
import type { ServerContent } from './serverContent';
import type { Session } from './session';
import type { BudgetSource } from './turn/sessionBudget';

/** What all sessions of a window share. */
export interface SessionServices {
  readonly agents: AgentPool;
  /** Decides permission requests. */
  readonly policy: PermissionPolicy;
  readonly prompts?: PromptFileStore;
  readonly serverContent?: ServerContent;
  readonly budget?: BudgetSource;
  /** `parley.presets` */
  readonly presets?: () => readonly Preset[];
  /** Finds the git worktree that a folder is in: its session works there only. */
  readonly worktrees?: { folderAround(folder: string): string | undefined };
  readonly clock: Clock;
  readonly log: Logger;
  /** Milliseconds until Force Stop is offered. */
  readonly stopDeadline?: number;
  /** Agent for a prompt that is sent before the user selected an agent; undefined where the user has to. */
  fallbackAgent(): string | undefined;
}

export interface SessionsOptions extends SessionServices {
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

import type { Clock } from '../base/clock';
import type { Logger } from '../base/logger';
import type { Attachment } from '../shared/protocol/attachments';
import type { Block } from '../shared/state/contentBlocks';
import type { AgentPool } from './agents/agentPool';
import type { LastViewedSession } from './lastViewedSession';
import type { PermissionPolicy } from '../permissions/permissionPolicy';
import type { PromptFileStore } from './promptFiles/promptFileStore';
import type { Session } from './session';
import type { BudgetSource } from './turn/sessionBudget';

export interface SessionsOptions {
  readonly agents: AgentPool;
  readonly log: Logger;
  /** Absolute; created when needed. */
  readonly folder: string;
  /** Absolute. */
  folders(): readonly string[];
  /** See `ModelOptions`. */
  worktreeOf?(folder: string): string | undefined;
  /** The folder of a new chat; the first one if undefined. */
  initialFolder?(): string | undefined;
  /** Used when no folder is open. */
  readonly home: string;
  /** The agent of a new chat; undefined leaves the choice to the user. */
  initialAgent(): string | undefined;
  /** Used when a prompt is sent without a choice. */
  readonly fallbackAgent: string;
  /** Called once per session when transcripts cannot be written. */
  onHistoryError(session: Session, message: string): void;
  /** Virtual workspace folders, which agents cannot access. */
  virtualFolders?(): readonly string[];
  readonly policy: PermissionPolicy;
  readonly budget?: BudgetSource;
  readonly clock?: Clock;
  readonly stopDeadline?: number;
  readonly prompts?: Pick<PromptFileStore, 'expand'>;
  /**
   * Creates a checkpoint before a prompt. Never rejects.
   * @param entry the prompt's
   */
  beforePrompt?(session: Session, entry: number): Promise<void>;
  /**
   * Reads the attachments of a message when it is sent.
   * @throws ParleyError that names what cannot be read
   */
  readAttachments?(session: Session, attachments: readonly Attachment[]): Promise<readonly Block[]>;
  /** The session in the chat view of the previous window. */
  readonly inView?: LastViewedSession | undefined;
  /** Other windows use the same folder: only sessions that are not open there are restored. */
  readonly shared?: boolean;
}

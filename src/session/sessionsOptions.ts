import type { Clock } from '../base/clock';
import type { Logger } from '../base/logger';
import type { Attachment } from '../shared/protocol/attachments';
import type { Block } from '../shared/state/contentBlocks';
import type { AgentPool } from './agents/agentPool';
import type { LastViewedSession } from './lastViewedSession';
import type { PermissionPolicy } from '../permissions/permissionPolicy';
import type { PromptFileStore } from './promptFiles/promptFileStore';
import type { Session } from './session';

/** What the sessions of a window need from the outside. */
export interface SessionsOptions {
  readonly agents: AgentPool;
  readonly log: Logger;
  /** Folder of the transcripts: absolute; made when needed. */
  readonly folder: string;
  /** Absolute paths of the workspace folders. */
  folders(): readonly string[];
  /** Where agents work when no folder is open. */
  readonly home: string;
  /** Name of the agent a new chat begins with; undefined leaves the choice to the user. */
  initialAgent(): string | undefined;
  /** Used when a prompt is sent without a choice. */
  readonly fallbackAgent: string;
  /** Told that transcripts cannot be written, once a session. */
  onHistoryError(session: Session, message: string): void;
  /** Names of workspace folders that are not on disk: agents cannot see them. */
  virtualFolders?(): readonly string[];
  /** Decides about what agents want to do. */
  readonly policy?: PermissionPolicy;
  readonly clock?: Clock;
  readonly stopDeadline?: number;
  /** The user's prompt files. */
  readonly prompts?: Pick<PromptFileStore, 'expand'>;
  /**
   * Records the files before a prompt goes out. Never rejects.
   * @param entry the prompt's
   */
  beforePrompt?(session: Session, entry: number): Promise<void>;
  /**
   * What attachments of a message stand for at this moment.
   * @throws ParleyError that names what cannot be read
   */
  readAttachments?(session: Session, attachments: readonly Attachment[]): Promise<readonly Block[]>;
  /** What the chat view showed in the window before. */
  readonly inView?: LastViewedSession | undefined;
  /** Other windows keep their sessions in the same folder: only what none of them has open is brought back. */
  readonly shared?: boolean;
}

import type { CompactionAction } from './compactionState';
import type { ConfigOptionAction } from './configOptionState';
import type { Block } from './contentBlocks';
import type { ElicitationAction } from './elicitationReducer';
import type { ImportAction } from './importedSession';
import type { QueueAction } from './messageQueueState';
import type { PlanAction } from './planState';
import type { Preset } from './preset';
import type { ReviewAction } from './reviewState';
import type { SessionMessageAction } from './sessionMessageState';
import type { AgentRef, AgentSession, Command, Connection, ErrorAction, PromptExpansion } from './sessionState';
import type { BackgroundTaskAction, SubagentAction } from './subagentState';
import type { TerminalAction } from './terminalState';
import type { ToolCallAction } from './toolCallState';
import type { StopReason, TurnFile } from './turnSummary';
import type { TokenUsage, Usage, UsageLimit } from './usageState';

/**
 * An event of a session, in the past tense. `at` is milliseconds since 1970, set by the creator of the action, so that
 * a replay gives the same state. `entry` is an index into the transcript; entries are never removed.
 */
export type Action =
  /** Without an agent the user has to select one. */
  | { readonly type: 'agentNamed'; readonly agent?: AgentRef }
  /** The session, which has no messages, starts anew with this preset, or without one. */
  | { readonly type: 'presetChosen'; readonly preset?: Preset }
  | { readonly type: 'connectionChanged'; readonly connection: Connection }
  /**
   * The session works in another folder; null means the default folder. The agent's session of the previous folder no
   * longer applies. `branch`: the branch of the git worktree that contains the folder.
   */
  | { readonly type: 'folderChosen'; readonly folder: string | null; readonly branch?: string }
  | { readonly type: 'branchRenamed'; readonly branch: string }
  /** The agent opened or restored its session under this id. */
  | { readonly type: 'agentSessionOpened'; readonly session: AgentSession }
  /** The agent suggests the next message; without text it withdraws its suggestion. */
  | { readonly type: 'promptSuggested'; readonly text?: string }
  /** The agent's session was closed before a message was sent. */
  | { readonly type: 'agentSessionClosed' }
  /** The agent's time of the last activity, in milliseconds since 1970; null when unknown. */
  | { readonly type: 'agentSessionDated'; readonly updatedAt: number | null }
  | { readonly type: 'titleChanged'; readonly title: string | null }
  | { readonly type: 'sessionRenamed'; readonly title: string }
  /** The session starts with the conversation of another one, which its agent does not know. */
  | { readonly type: 'branched' }
  /** The agent has replayed the history: its last message is complete. */
  /** `isPartial`: the transcript was only completed, and its requests may still wait. */
  | { readonly type: 'replayEnded'; readonly isPartial?: boolean; readonly at: number }
  | {
      readonly type: 'promptSent';
      readonly text: string;
      readonly expansion?: PromptExpansion;
      readonly blocks: readonly Block[];
      readonly at: number;
    }
  | { readonly type: 'stopRequested'; readonly at: number }
  | { readonly type: 'stopOverdue' }
  | { readonly type: 'turnEnded'; readonly stopReason: StopReason; readonly tokens?: TokenUsage; readonly at: number }
  | {
      readonly type: 'textAppended';
      readonly role: 'user' | 'agent' | 'thought';
      readonly text: string;
      /** Only for messages of the user. */
      readonly expansion?: PromptExpansion;
      readonly messageId?: string;
      readonly at: number;
    }
  | {
      readonly type: 'blockAppended';
      readonly role: 'user' | 'agent' | 'thought';
      readonly block: Block;
      readonly messageId?: string;
      /** The message that begins with the block. Undefined: the newest message ends with it. */
      readonly entry?: number;
      readonly at: number;
    }
  | { readonly type: 'commandsChanged'; readonly commands: readonly Command[] }
  | { readonly type: 'usageChanged'; readonly usage: Usage }
  | { readonly type: 'limitsChanged'; readonly limits: readonly UsageLimit[] }
  /** The last prompt is sent again at this time, in milliseconds since 1970. */
  | { readonly type: 'retryScheduled'; readonly retryAt: number }
  /** The retry was canceled, or begins. */
  | { readonly type: 'retryEnded' }
  | {
      readonly type: 'noticeShown';
      readonly severity: 'info' | 'warning' | 'error';
      readonly title: string;
      readonly text?: string;
      readonly session?: string;
      readonly at: number;
    }
  | {
      readonly type: 'errorShown';
      readonly message: string;
      readonly detail?: string;
      readonly remedies: readonly ErrorAction[];
      readonly retryAt?: number;
      readonly at: number;
    }
  | { readonly type: 'rawReceived'; readonly label: string; readonly value: unknown; readonly at: number }
  | BackgroundTaskAction
  | CompactionAction
  | ConfigOptionAction
  | PlanAction
  | SessionMessageAction
  | SubagentAction
  | TerminalAction
  | ToolCallAction
  /** An action of a child session. */
  | { readonly type: 'subagentActed'; readonly entry: number; readonly action: Action }
  | QueueAction
  /** `entry`: index of the turn's prompt. */
  | { readonly type: 'turnFilesTold'; readonly entry: number; readonly files: readonly TurnFile[] }
  | ElicitationAction
  | ImportAction
  | ReviewAction;

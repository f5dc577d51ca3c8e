import type { Block, Location, ToolContent, ToolKind } from './contentBlocks';
import type { ElicitationAction } from './elicitationReducer';
import type { ImportAction } from './importedSession';
import type { QueueAction } from './messageQueueReducer';
import type {
  AgentRef,
  AgentSession,
  Command,
  Connection,
  PromptExpansion,
  PermissionOption,
  PermissionOutcome,
  RememberedDecision,
  ErrorAction,
  ToolStatus,
  Usage,
} from './sessionState';
import type { ReviewAction } from './reviewReducer';
import type { StopReason } from './turnSummary';
import type { PlanItem, TokenUsage, UpdateAction } from './subagentState';
import type { TurnAction } from './turnReducer';

/**
 * The fields of a tool call that an update may change; omitted fields stay unchanged (ACP: tool calls, updates are
 * patches).
 */
export interface ToolPatch {
  readonly title?: string;
  readonly name?: string;
  readonly tool?: ToolKind;
  readonly status?: ToolStatus;
  readonly content?: readonly ToolContent[];
  readonly locations?: readonly Location[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
}

/**
 * An event of a session, in the past tense. `at` is milliseconds since 1970, set by the creator of the action, so that
 * a replay gives the same state. `entry` is an index into the transcript; entries are never removed.
 */
export type Action =
  | { readonly type: 'agentNamed'; readonly agent: AgentRef }
  | { readonly type: 'connectionChanged'; readonly connection: Connection }
  /** The agent opened or restored its session under this id. */
  | { readonly type: 'agentSessionOpened'; readonly session: AgentSession }
  /** The agent's time of the last activity, in milliseconds since 1970; null when unknown. */
  | { readonly type: 'agentSessionDated'; readonly updatedAt: number | null }
  | { readonly type: 'titleChanged'; readonly title: string | null }
  | { readonly type: 'sessionRenamed'; readonly title: string }
  /** The session starts with the conversation of another one, which its agent does not know. */
  | { readonly type: 'branched' }
  /** The agent has replayed the history: none of its messages continues. */
  | { readonly type: 'replayEnded'; readonly at: number }
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
      readonly at: number;
    }
  | { readonly type: 'toolStarted'; readonly toolCallId: string; readonly patch: ToolPatch; readonly at: number }
  | { readonly type: 'toolChanged'; readonly entry: number; readonly patch: ToolPatch; readonly at: number }
  | {
      readonly type: 'permissionAsked';
      readonly permissionId: string;
      /** Index of the tool call's entry. */
      readonly tool: number;
      readonly title: string;
      readonly options: readonly PermissionOption[];
      readonly isOwn?: boolean;
      readonly why?: string;
      readonly destructive?: string;
      /** Set when a rule has decided: the user is not asked. */
      readonly outcome?: PermissionOutcome;
      readonly at: number;
    }
  | {
      readonly type: 'permissionAnswered';
      readonly entry: number;
      readonly outcome: PermissionOutcome;
      readonly at: number;
    }
  /** A rule was created from an "always" answer, or its scope was changed. */
  | { readonly type: 'permissionRemembered'; readonly entry: number; readonly remembered: RememberedDecision }
  | { readonly type: 'planChanged'; readonly items: readonly PlanItem[] }
  | { readonly type: 'commandsChanged'; readonly commands: readonly Command[] }
  | { readonly type: 'usageChanged'; readonly usage: Usage }
  | {
      readonly type: 'noticeShown';
      readonly severity: 'info' | 'warning' | 'error';
      readonly title: string;
      readonly text?: string;
      readonly at: number;
    }
  | {
      readonly type: 'errorShown';
      readonly message: string;
      readonly detail?: string;
      readonly remedies: readonly ErrorAction[];
      readonly at: number;
    }
  | { readonly type: 'rawReceived'; readonly label: string; readonly value: unknown; readonly at: number }
  | {
      readonly type: 'terminalCreated';
      readonly terminalId: string;
      readonly command: string;
      readonly cwd?: string;
      /** The agent runs the command itself and only reports its output. */
      readonly foreign?: boolean;
      readonly tty?: boolean;
      readonly at: number;
    }
  | UpdateAction
  /** An action of a child session. */
  | { readonly type: 'subagentActed'; readonly entry: number; readonly action: Action }
  | QueueAction
  | TurnAction
  | ElicitationAction
  | ImportAction
  | ReviewAction
  | { readonly type: 'terminalOutput'; readonly terminalId: string; readonly data: string }
  | {
      readonly type: 'terminalExited';
      readonly terminalId: string;
      readonly code?: number;
      readonly signal?: string;
      readonly at: number;
    };

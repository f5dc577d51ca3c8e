import type { PromptCapabilities } from './attachments';
import type { CompactionEntry } from './compactionState';
import type { ConfigOptionState } from './configOptionState';
import type { Block } from './contentBlocks';
import type { ElicitationEntry } from './elicitationState';
import type { Queue } from './messageQueueState';
import { emptyQueue } from './messageQueueState';
import type { PlanState } from './planState';
import type { Preset } from './preset';
import type { ReviewState } from './reviewState';
import { emptyReview } from './reviewState';
import type { SessionMessageEntry } from './sessionMessageState';
import type { BackgroundTaskState } from './subagentState';
import type { TerminalState } from './terminalState';
import type { PermissionEntry, ToolEntry } from './toolCallState';
import type { StopReason, TurnSummary } from './turnSummary';
import type { TokenUsage, Usage, UsageLimit } from './usageState';

/** A child session that the agent started, with its own transcript. */
export interface SubagentEntry {
  readonly kind: 'subagent';
  /** The agent's id of the child session. */
  readonly sessionId: string;
  readonly title?: string;
  readonly description?: string;
  /** Whether the agent allows canceling it. */
  readonly canStop: boolean;
  /** `running`, `idle`, `requires_action` …; undefined when the agent did not report it. */
  readonly activity?: string;
  readonly stopReason?: string;
  readonly child: SessionState;
  readonly at: number;
}

/** The source of an imported session; imported sessions are read-only (docs/sessions.md). */
export interface ImportInfo {
  /** When it was exported, if the file contains it; milliseconds since 1970. */
  readonly exportedAt?: number;
  readonly file: string;
}

/** The agent of a session: its key in `parley.agents` and its display name. */
export interface AgentRef {
  readonly name: string;
  readonly title: string;
  readonly version?: string;
}

export interface SignInMethod {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** Performed by the agent, by a terminal command, or unsupported. */
  readonly type: 'agent' | 'terminal' | 'unsupported';
  /** The command to run in the terminal. */
  readonly command?: string;
  /** The agent's value of an unsupported type. */
  readonly unsupportedType?: string;
}

/** The agent's session behind a session of Parley; restores it after a restart. */
export interface AgentSession {
  /** The agent's id of the session. */
  readonly id: string;
  /** Absolute; loading the session requires the same folder. */
  readonly cwd: string;
  /** The agent's time of the last activity (`session_info_update`), where reported; milliseconds since 1970. */
  readonly updatedAt?: number;
  /** Whether the agent supported forking it in its last run. */
  readonly canFork?: boolean;
  /** `agentInfo.name` of the agent in its last run. */
  readonly program?: string;
}

/** The status of the agent for one session. */
export type Connection =
  /** No process; the next prompt starts one. */
  | { readonly status: 'idle' }
  | { readonly status: 'starting' }
  /** `steers`: the agent accepts messages during a turn. `accepts`: supported content besides text and links. */
  | { readonly status: 'ready'; readonly steers?: boolean; readonly accepts?: PromptCapabilities }
  /** The connection to a remote agent was lost and is being restored; `attempt` counts from 1. */
  | { readonly status: 'reconnecting'; readonly attempt: number }
  | {
      readonly status: 'signIn';
      readonly message: string;
      /** The sign-in methods in the agent's order. */
      readonly methods: readonly SignInMethod[];
      /** The agent's message of the refusal. */
      readonly detail?: string;
      /** Name of the method in progress. */
      readonly signingIn?: string;
      /** Why the last attempt failed. */
      readonly error?: string;
    }
  /** The agent could not be started, or violated the protocol. `detail` is the end of its stderr. */
  | { readonly status: 'failed'; readonly message: string; readonly detail?: string }
  | { readonly status: 'exited'; readonly code?: number; readonly signal?: string; readonly detail?: string };

export type Turn =
  | { readonly status: 'idle'; readonly stopReason?: StopReason }
  | {
      readonly status: 'running';
      readonly startedAt: number;
      /** Index of the turn's first entry. */
      readonly firstEntry: number;
      /** The user requested a stop and the agent has not answered. */
      readonly stopping?: boolean;
      /** The agent did not answer the stop in time: Force Stop is available. */
      readonly overdue?: boolean;
    };

/** The text of a prompt file, or of a server's prompt, that was sent in place of the user's input. */
export interface PromptExpansion {
  /** Name of the prompt. */
  readonly name: string;
  /** The displayed path of the file, or the server. */
  readonly label: string;
  /** The real path of the file. */
  readonly path?: string;
  readonly text: string;
}

export interface UserEntry {
  readonly kind: 'user';
  readonly text: string;
  readonly expansion?: PromptExpansion;
  readonly blocks: readonly Block[];
  readonly at: number;
  readonly messageId?: string;
}

/** Text or thoughts of the agent. `blocks` follow `text`; text after a block starts a new entry. */
export interface MessageEntry {
  readonly kind: 'agent' | 'thought';
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly messageId?: string;
  readonly at: number;
  /** Set when the message is finished: another entry followed, or the turn ended. */
  readonly endedAt?: number;
}

export interface NoticeEntry {
  readonly kind: 'notice';
  readonly severity: 'info' | 'warning' | 'error';
  readonly title: string;
  readonly text?: string;
  /** Parley's id of a session that the user can open from here. */
  readonly session?: string;
  readonly at: number;
}

/** The user's actions for an error, shown as buttons. */
export type ErrorAction = 'retry' | 'restart' | 'signIn' | 'showLog' | 'openSettings' | 'chooseFolder';

export interface ErrorEntry {
  readonly kind: 'error';
  readonly message: string;
  /** More details, such as the end of stderr. */
  readonly detail?: string;
  readonly remedies: readonly ErrorAction[];
  /** When the limit that caused the error is reset, in milliseconds since 1970. */
  readonly retryAt?: number;
  readonly at: number;
}

/** An unknown message, shown as JSON. */
export interface UnknownEntry {
  readonly kind: 'raw';
  readonly label: string;
  readonly value: unknown;
  readonly at: number;
}

export type Entry =
  | UserEntry
  | MessageEntry
  | ToolEntry
  | PermissionEntry
  | NoticeEntry
  | ErrorEntry
  | UnknownEntry
  | ElicitationEntry
  | CompactionEntry
  | SubagentEntry
  | SessionMessageEntry;

export interface Command {
  readonly name: string;
  readonly description: string;
  readonly hint?: string;
}

/**
 * Everything the page shows of a session. One writer (the session in the host) creates a new state from each action
 * with the pure `reduce`; replaying the actions gives the same state (I1). Only plain data: the state is posted and
 * stored.
 */
export interface SessionState extends BackgroundTaskState, ConfigOptionState, PlanState, ReviewState, TerminalState {
  /** Parley's id, not the agent's. */
  readonly id: string;
  readonly agent?: AgentRef;
  readonly agentSession?: AgentSession;
  /** The preset that the session was started with, as it was then. */
  readonly preset?: Preset;
  /** The folder that the session works in, absolute; undefined until it is chosen or the agent's session is opened. */
  readonly folder?: string;
  /** The branch of the git worktree that the folder is in; says so if the worktree was discarded. */
  readonly branch?: string;
  readonly title?: string;
  /** The user set the title: titles from the agent do not replace it. */
  readonly renamed?: boolean;
  /** Set for a session imported from a file, which is read-only. */
  readonly imported?: ImportInfo;
  readonly connection: Connection;
  readonly turn: Turn;
  readonly entries: EntryPages;
  /** Entries of pending requests, oldest first. */
  readonly waiting: readonly number[];
  readonly commands: readonly Command[];
  /** The next message that the agent suggests: one visible line. */
  readonly suggestion?: string;
  readonly usage?: Usage;
  /** The limits of the agent's account, in the order of their last report. */
  readonly limits?: readonly UsageLimit[];
  /** When the last prompt is sent again, in milliseconds since 1970. */
  readonly retryAt?: number;
  /** The token usage reported at the end of the last turn. */
  readonly tokens?: TokenUsage;
  /** Messages that the user sent during a turn. */
  readonly queue: Queue;
  /** The finished turns, oldest first. */
  readonly turns: readonly TurnSummary[];
  /** The agent does not know the entries above: the next message includes them. */
  readonly hasUnknownEntries?: true;
}

/** Entries in pages of {@link ENTRIES_PER_PAGE}: changing one copies a page, not the whole transcript (I8). */
export interface EntryPages {
  readonly count: number;
  readonly pages: readonly (readonly Entry[])[];
}

export const ENTRIES_PER_PAGE = 16;

export function emptySession(id: string, agent?: AgentRef): SessionState {
  return {
    id,
    ...(agent && { agent }),
    connection: { status: 'idle' },
    turn: { status: 'idle' },
    entries: { count: 0, pages: [] },
    waiting: [],
    plan: [],
    plans: [],
    terminals: {},
    commands: [],
    background: [],
    selectors: [],
    queue: emptyQueue,
    turns: [],
    ...emptyReview,
  };
}

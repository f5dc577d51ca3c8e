import type { PromptCapabilities } from '../protocol/attachments';
import type { ElicitationEntry } from './elicitationState';
import type { Block, Location, ToolContent, ToolKind } from './contentBlocks';
import type { ReviewState } from './reviewState';
import { emptyReview } from './reviewState';
import type { Queue } from './messageQueueState';
import { emptyQueue } from './messageQueueState';
import type { StopReason, TurnSummary } from './turnSummary';
import type { SavedOptions, ConfigOption } from './configOptionState';
import type { CompactionEntry, NamedPlan, PlanItem, SessionMessageEntry, TokenUsage } from './subagentState';

/** A session that the agent has started beside this one, with its own transcript inside. */
export interface SubagentEntry {
  readonly kind: 'subagent';
  /** The agent's id of the child session. */
  readonly sessionId: string;
  readonly title?: string;
  readonly description?: string;
  /** The agent lets us cancel it. */
  readonly canStop: boolean;
  /** `running`, `idle`, `requires_action` …; undefined when the agent did not say. */
  readonly activity?: string;
  readonly stopReason?: string;
  readonly child: SessionState;
  readonly at: number;
}

/** Where a session that came from a file has it from: such a session is only for reading (docs/sessions.md). */
export interface ImportInfo {
  /** When it was exported, where the file says so; milliseconds since 1970. */
  readonly exportedAt?: number;
  /** Name of the file. */
  readonly file: string;
}

/** The agent a session belongs to: its key in `parley.agents` and the name shown. */
export interface AgentRef {
  readonly name: string;
  readonly title: string;
  readonly version?: string;
}

/** A way to sign in to an agent. */
export interface SignInMethod {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** Done by the agent itself, by a command in a terminal, or in a way that is not known here. */
  readonly type: 'agent' | 'terminal' | 'unsupported';
  /** What is run in the terminal. */
  readonly command?: string;
  /** The agent's word for a type that is not known here. */
  readonly unsupportedType?: string;
}

/** The agent's own session behind one of ours: what brings it back after a restart. */
export interface AgentSession {
  /** The agent's id for it. */
  readonly id: string;
  /** Absolute; the agent wants the same when the session is loaded again. */
  readonly cwd: string;
  /** When something last happened in it, where the agent tells (`session_info_update`); milliseconds since 1970. */
  readonly updatedAt?: number;
  /** The agent could fork it when it ran last. */
  readonly canFork?: boolean;
}

/** The agent's process as the session sees it. */
export type Connection =
  /** No process; the next prompt starts one. */
  | { readonly status: 'idle' }
  | { readonly status: 'starting' }
  /** `steers`: the agent takes messages while a turn runs. `accepts`: what it takes in them beside text and links. */
  | { readonly status: 'ready'; readonly steers?: boolean; readonly accepts?: PromptCapabilities }
  /** The connection to a remote agent was lost and is made again; `attempt` counts from 1. */
  | { readonly status: 'reconnecting'; readonly attempt: number }
  | {
      readonly status: 'signIn';
      readonly message: string;
      /** The ways to sign in, in the agent's order. */
      readonly methods: readonly SignInMethod[];
      /** What the agent said when it refused. */
      readonly detail?: string;
      /** Name of the method that is being tried. */
      readonly signingIn?: string;
      /** Why the last try failed. */
      readonly error?: string;
    }
  /** It could not be started, or broke the protocol. `detail` is the tail of its stderr. */
  | { readonly status: 'failed'; readonly message: string; readonly detail?: string }
  | { readonly status: 'exited'; readonly code?: number; readonly signal?: string; readonly detail?: string };

export type Turn =
  | { readonly status: 'idle'; readonly stopReason?: StopReason }
  | {
      readonly status: 'running';
      readonly startedAt: number;
      /** Index of the turn's first entry. */
      readonly firstEntry: number;
      /** The user asked to stop and the agent has not answered yet. */
      readonly stopping?: boolean;
      /** Stop was not answered in time: Force Stop is offered. */
      readonly overdue?: boolean;
    };

/** What was sent in place of what the user typed: the text of a prompt file. */
export interface PromptExpansion {
  /** Of the prompt. */
  readonly name: string;
  /** The file's path as people read it, and as it is. */
  readonly label: string;
  readonly path: string;
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

/** What the agent says or thinks. `blocks` come after `text`; text after a block opens a new entry. */
export interface MessageEntry {
  readonly kind: 'agent' | 'thought';
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly messageId?: string;
  readonly at: number;
  /** Set when the message is finished: something else followed, or the turn ended. */
  readonly endedAt?: number;
}

/** `rejected` and `canceled` exist only here: ACP v1 has no words for them (draft v2 shape). */
export type ToolStatus = 'pending' | 'running' | 'done' | 'failed' | 'rejected' | 'canceled';

export interface ToolEntry {
  readonly kind: 'tool';
  readonly toolCallId: string;
  readonly title: string;
  /** The tool's name, where the agent gives it beside the title. */
  readonly name?: string;
  readonly tool: ToolKind;
  readonly status: ToolStatus;
  /** Number of questions about this call that wait for an answer. */
  readonly waiting: number;
  readonly content: readonly ToolContent[];
  readonly locations: readonly Location[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  readonly at: number;
  readonly endedAt?: number;
}

export type PermissionKind = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always' | 'other';

export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: PermissionKind;
}

export type PermissionOutcome =
  /** `by` is a user when absent; `reason` says why a rule chose ("allowed by your rule …"). */
  | { readonly type: 'selected'; readonly optionId: string; readonly by?: 'person' | 'rule'; readonly reason?: string }
  /** Nobody chose; `reason` says why in a few words ("turn stopped", "window reloaded"). */
  | { readonly type: 'canceled'; readonly reason: string };

export interface PermissionEntry {
  readonly kind: 'permission';
  readonly permissionId: string;
  /** Index of the tool call's entry. */
  readonly tool: number;
  readonly title: string;
  readonly options: readonly PermissionOption[];
  /** Parley asks it, not the agent. */
  readonly isOwn?: boolean;
  /** While it waits: the call as it was asked about, since an agent may call it something else meanwhile. */
  readonly about?: ToolEntry;
  /** Why the user is asked: the rule or the protection that wants it. */
  readonly why?: string;
  /** Why what would be done cannot be undone, in a few words. */
  readonly destructive?: string;
  readonly at: number;
  /** Set from the start when a rule decided: such a question never waits. */
  readonly outcome?: PermissionOutcome;
  /** Milliseconds since 1970; absent where nobody had to be asked. */
  readonly answeredAt?: number;
  /** What is kept of the answer "always". */
  readonly remembered?: RememberedDecision;
}

/** How far an answer "always" reaches. */
export type RememberScope = 'session' | 'workspace' | 'everywhere';

export interface RememberedDecision {
  readonly scope: RememberScope;
  /** The rules that were made of it, as a user would write them. */
  readonly rules: readonly string[];
  /** Why there is none; one sentence. */
  readonly note?: string;
  /** It was made in an earlier window: it is removed in the list of rules, and its scope stays. */
  readonly past?: boolean;
}

export interface NoticeEntry {
  readonly kind: 'notice';
  readonly severity: 'info' | 'warning' | 'error';
  readonly title: string;
  readonly text?: string;
  readonly at: number;
}

/** What a user can do about an error, as a button. */
export type ErrorAction = 'retry' | 'restart' | 'signIn' | 'showLog' | 'openSettings';

export interface ErrorEntry {
  readonly kind: 'error';
  readonly message: string;
  /** More for those who want to know, such as the tail of stderr. */
  readonly detail?: string;
  readonly remedies: readonly ErrorAction[];
  readonly at: number;
}

/** Something on the wire that this version does not know; shown raw. */
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

/** A terminal of the session; lives on after release so that its card keeps its output. */
export interface Terminal {
  readonly terminalId: string;
  /** The command line as people read it. */
  readonly command: string;
  readonly cwd?: string;
  /** The agent runs it by itself: we can neither stop nor attach to it. */
  readonly foreign?: boolean;
  /** Whether it runs in a pseudo-terminal, and its output is that of one; absent when that is not known. */
  readonly tty?: boolean;
  /** The tail of the output, raw with its escape sequences. */
  readonly output: string;
  /** Output was dropped from the start. */
  readonly truncated: boolean;
  /** UTF-16 units that were dropped from the start. */
  readonly dropped?: number;
  readonly startedAt: number;
  readonly exit?: { readonly code?: number; readonly signal?: string; readonly at: number };
}

export interface Command {
  readonly name: string;
  readonly description: string;
  readonly hint?: string;
}

export interface Usage {
  readonly used: number;
  readonly size: number;
  readonly cost?: { readonly amount: number; readonly currency: string };
}

/**
 * Everything the page shows of a session. One writer (the session in the host) makes a new state from each
 * action with the pure `reduce`; replaying the actions gives the same state (I1). Plain data only: it is posted and stored.
 */
export interface SessionState extends ReviewState {
  /** Our own id, not the agent's. */
  readonly id: string;
  readonly agent?: AgentRef;
  readonly agentSession?: AgentSession;
  readonly title?: string;
  /** The user gave the title: the agent's own do not replace it. */
  readonly renamed?: boolean;
  /** It came from a file: nothing can be said in it. */
  readonly imported?: ImportInfo;
  readonly connection: Connection;
  readonly turn: Turn;
  readonly entries: EntryPages;
  /** Entries of the questions that wait for the user, oldest first. */
  readonly waiting: readonly number[];
  readonly plan: readonly PlanItem[];
  /** Plans that the agent tells apart by ids, beside `plan`. */
  readonly plans: readonly NamedPlan[];
  readonly terminals: Readonly<Record<string, Terminal>>;
  readonly commands: readonly Command[];
  /** What the agent offers to choose: modes, models, options; in its order. */
  readonly selectors: readonly ConfigOption[];
  /** The user's choices, which outlive the agent's process. */
  readonly choices?: SavedOptions;
  readonly usage?: Usage;
  /** What the agent accounted for at the end of the last turn. */
  readonly tokens?: TokenUsage;
  /** What the user sent while a turn ran. */
  readonly queue: Queue;
  /** The turns that have ended, oldest first. */
  readonly turns: readonly TurnSummary[];
  /** The agent knows nothing of what is above: the next message tells it. */
  readonly carries?: true;
}

/** Entries in pages of {@link ENTRIES_PER_PAGE}, so that changing one copies a page, not the whole transcript (I8). */
export interface EntryPages {
  readonly count: number;
  readonly pages: readonly (readonly Entry[])[];
}

export const ENTRIES_PER_PAGE = 64;

/** A session before anything happened. */
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
    selectors: [],
    queue: emptyQueue,
    turns: [],
    ...emptyReview,
  };
}

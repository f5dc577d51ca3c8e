import type { Action } from '../shared/state/sessionActions';
import type { ToolKind } from '../shared/state/contentBlocks';
import type { PermissionOutcome, SessionState, ToolEntry } from '../shared/state/sessionState';
import type { DecisionSource, RuleCommand } from '../permissions/rules/ruleRequest';
import type { ElicitationAnswer, ElicitationQuestion } from '../shared/state/elicitationState';

/** What the agent wants to know. */
export interface ElicitationRequest {
  readonly message: string;
  readonly question: ElicitationQuestion;
  /** Aborts when the agent withdraws the question. */
  readonly signal: AbortSignal;
  /** Who asks, as the user reads it; the agent of the session when absent. */
  readonly from?: string;
}

/** A question that was put to the user. */
export interface PendingElicitation {
  /** Never rejects: a question that was withdrawn is canceled. */
  readonly answer: Promise<ElicitationAnswer>;
  /** The agent says that what happens in the browser is over. */
  complete(): void;
}

/** A `session/request_permission` of the agent, after lenient parsing. */
export interface PermissionRequest {
  /** The `translateToolCall` (a ToolCallUpdate) as it came. It may be about a call that was never announced. */
  readonly toolCall: unknown;
  /** The options as they came, in the agent's order. */
  readonly options: readonly unknown[];
  /** Aborts when the agent withdraws the request. */
  readonly signal: AbortSignal;
}

/**
 * Something that the agent does through Parley and that Parley itself asks about: a file outside the workspace, a command in a
 * protected place, a tool in the editor.
 */
export interface AuthorizationRequest {
  readonly kind: ToolKind;
  /** What would be done, as a user reads it: `Write .vscode/settings.json`. */
  readonly title: string;
  /** What holds when neither a rule nor a protection speaks about it. */
  readonly otherwise: 'ask' | 'allow';
  /** Asked whatever the rules allow, because of this; one sentence. */
  readonly always?: string;
  /** Absolute. */
  readonly paths?: readonly string[];
  readonly command?: RuleCommand;
  /** `server__tool` of an MCP tool. */
  readonly tool?: string;
  /** The user has just answered the agent's own question about exactly this call, which may not have named all {@link paths}. */
  readonly isAgreed?: true;
  /** Who asks, where it is not the session's agent. Approvals of one caller answer no other. */
  readonly caller?: string;
  /** Arguments of the tool, or what else the user should see raw. */
  readonly input?: unknown;
  /** The change that a write comes to; called only when the user is asked. */
  readonly change?: () => Promise<{ readonly path: string; readonly oldText?: string; readonly newText: string }>;
}

/** The answer to an {@link AuthorizationRequest}. */
export interface AuthorizationResult {
  readonly allowed: boolean;
  /** One sentence: why it is allowed or not. */
  readonly reason: string;
  readonly by: DecisionSource;
}

/** A call that the user allowed this turn by answering the agent's own question: as they read it. */
export interface AgreedCall extends Pick<ToolEntry, 'title' | 'name' | 'rawInput'> {
  readonly permissionId: string;
  /** When it was answered, in milliseconds since 1970. */
  readonly at: number;
}

/** What the rooms that serve the agent (client, review, mcp) see of a session: they meet here, never each other. */
export interface SessionHandle {
  /** Our own id. */
  readonly id: string;
  /** Absolute paths of the workspace folders, the session's cwd first. */
  readonly folders: readonly string[];
  readonly state: SessionState;
  /** Never part of {@link state}, which is kept, copied and imported. Oldest first; none when absent. */
  readonly agreed?: readonly AgreedCall[];
  /** Who uses it, where that is not the session's agent. */
  readonly caller?: string;
  /** False: it is opened without any tool server. */
  readonly wantsTools?: false;
  dispatch(action: Action): void;
  /** Asks the user; the entry is in the transcript when this returns its promise. Never rejects (I7). */
  ask(request: PermissionRequest): Promise<PermissionOutcome>;
  /**
   * Goes through rules, protection and, where these do not decide, the user. Never rejects.
   * @param signal withdraws the question
   */
  authorize(question: AuthorizationRequest, signal: AbortSignal): Promise<AuthorizationResult>;
  /** Shows a form or an address; the entry is in the transcript when this returns. */
  elicit(request: ElicitationRequest): PendingElicitation;
}

/** Finds the session a request of an agent is about, by the agent's session id. */
export interface SessionLookup {
  find(agentSessionId: string): SessionHandle | undefined;
  /** The session that most likely waits for what the agent does outside any session: a sign-in, the opening of a session. */
  any?(): SessionHandle | undefined;
}

/** An agent has read or written a file through the editor (`fs/read_text_file`, `fs/write_text_file`): told after it succeeded. */
export interface FileAccess {
  /** Our own id of the session. */
  readonly sessionId: string;
  /** Absolute, as VS Code knows the file. */
  readonly path: string;
  readonly kind: 'read' | 'write';
  /** Where: the first line that was asked for, or the first that changed; 1-based. */
  readonly line?: number;
}

import type { JsonObject } from '../base/json';
import { invalidParams } from '../base/jsonRpc';
import type { Decision, DecisionSource, RuleCommand } from '../permissions/rules/ruleRequest';
import type { Write } from '../permissions/sessionApprovals';
import type { ToolKind } from '../shared/state/contentBlocks';
import type { ElicitationReply, ElicitationQuestion } from '../shared/state/elicitationState';
import type { Action } from '../shared/state/sessionActions';
import type { SessionState } from '../shared/state/sessionState';
import type { PartialCall, PermissionOutcome } from '../shared/state/toolCallState';
import type { UsageLimit } from '../shared/state/usageState';

export interface ElicitationRequest {
  readonly message: string;
  readonly question: ElicitationQuestion;
  /** Aborts when the agent withdraws the request. */
  readonly signal: AbortSignal;
  /** Display name of the requester; the session's agent if undefined. */
  readonly from?: string;
}

export interface PendingElicitation {
  /** Never rejects: a withdrawn request is canceled. */
  readonly answer: Promise<ElicitationReply>;
  /** The agent reports that the browser step is finished. */
  complete(): void;
}

/** A `session/request_permission` of the agent, after lenient parsing. */
export interface PermissionRequest {
  /** The agent's id of the session that asks; it may be a child of this one. */
  readonly sessionId?: string;
  /** The unparsed `toolCall` (a ToolCallUpdate). It may be about a call that was never announced. */
  readonly toolCall: unknown;
  /** Unparsed, in the agent's order. */
  readonly options: readonly unknown[];
  /** Aborts when the agent withdraws the request. */
  readonly signal: AbortSignal;
  /** Why a request without options is canceled; for the transcript and the audit log. */
  readonly refusal?: string;
}

/**
 * An action of the agent through Parley that Parley itself asks about: a file outside the workspace, a command in a protected folder, an
 * editor tool.
 */
export interface AuthorizationRequest {
  readonly kind: ToolKind;
  /** Display text, such as `Write .vscode/settings.json`. */
  readonly title: string;
  /** The decision when no rule or protection applies. */
  readonly otherwise: 'ask' | 'allow';
  /** Asks regardless of rules, for this reason; one sentence. */
  readonly always?: string;
  /** Absolute. */
  readonly paths?: readonly string[];
  /** Absolute folders that count as the workspace; those of the session if undefined. */
  readonly folders?: readonly string[];
  readonly command?: RuleCommand;
  /** `server__tool` of an MCP tool. */
  readonly tool?: string;
  /** What is behind {@link tool} now. An answer is only about that, not about another server of that name. */
  readonly toolIdentity?: string;
  /** {@link toolIdentity} ends with the session, such as that of a debug session: no rule for it would match later. */
  readonly isPassing?: true;
  /** Other names of the tool, for rules that ask or deny. */
  readonly called?: readonly string[];
  /** The user has just approved the agent's own request for exactly this call, which may not have named all {@link paths}. */
  readonly isAgreed?: true;
  /** The requester, if not the session's agent. Approvals for one caller do not count for another. */
  readonly caller?: string;
  /** The tool's arguments, or other raw data for the user. */
  readonly input?: unknown;
  /** The tool asks about the files that it reads: for its arguments count only rules that ask or deny. */
  readonly isOwnRead?: true;
  /** The change that the tool would write; called only when the user has to approve it. */
  readonly change?: () => Promise<FileChange>;
}

export interface FileChange extends Write {
  /** Absolute. */
  readonly path: string;
}

export interface AuthorizationResult {
  readonly allowed: boolean;
  /** One sentence. */
  readonly reason: string;
  readonly by: DecisionSource;
}

/** A call that the user approved this turn in the agent's own request, as displayed. */
export interface AgreedCall extends PartialCall {
  readonly permissionId: string;
  /** Answer time, in milliseconds of `performance.now()`. */
  readonly at: number;
}

/** Requests of an agent, or of Parley on its behalf, to the user of a session. */
export interface RequestsToUser {
  /** Not part of the session's state, which is stored, copied and imported. Oldest first. */
  readonly agreed?: readonly AgreedCall[];
  /** Asks for permission; the entry exists when this returns its promise. Never rejects (I7). */
  requestPermission(request: PermissionRequest): Promise<PermissionOutcome>;
  /**
   * Applies rules and protection, then asks the user if needed. Never rejects.
   * @param signal withdraws the request
   */
  authorize(request: AuthorizationRequest, signal: AbortSignal): Promise<AuthorizationResult>;
  /** What {@link authorize} would do, without asking the user and without a record: `ask` means that only an answer would allow it. */
  judge(request: AuthorizationRequest): Promise<Pick<Decision, 'decision' | 'reason' | 'by'>>;
  /** Shows a form or URL; the entry exists when this returns. */
  elicit(request: ElicitationRequest): PendingElicitation;
}

/** A session as the rooms that serve the agent (client, review, mcp) see it. */
export interface SessionHandle {
  /** Our own id. */
  readonly id: string;
  /** The folder that the session works in, absolute. It may have left the workspace. */
  readonly cwd: string;
  /** Absolute paths of the workspace folders, the one of {@link cwd} first. */
  readonly folders: readonly string[];
  readonly state: SessionState;
  readonly userRequests: RequestsToUser;
  /** The caller, if not the session's agent. */
  readonly caller?: string;
  /** False: the agent's session is opened without tool servers. */
  readonly wantsTools?: false;
  dispatch(action: Action): void;
}

export interface UpdateReceiver {
  /**
   * Applies one `session/update`, in wire order.
   * @param childId the child session that the update is about, if not this one
   */
  applyUpdate(update: JsonObject, childId?: string): void;
}

/** A session as its agent's link sees it. */
export interface AttachedSession extends SessionHandle {
  /** A prompt was sent, or history was loaded. */
  readonly hasTranscript: boolean;
  readonly model: UpdateReceiver;
  /** The shared process was ended. */
  onProcessEnd(): void;
  /** Resumes the agent's session; false when that is not possible. */
  reopen(): Promise<boolean>;
}

/** Finds a session by the agent's session id. */
export interface SessionLookup {
  find(agentSessionId: string): SessionHandle | undefined;
  /** The session most likely concerned by what the agent does outside any session: a sign-in, opening a session. */
  activeSession?(): SessionHandle | undefined;
  /** The limits of the agent's account, which apply to all its sessions, also to later ones. */
  reportLimits?(limits: readonly UsageLimit[]): void;
}

/** A successful `fs/read_text_file` or `fs/write_text_file`. */
export interface FileAccess {
  /** Our own id. */
  readonly sessionId: string;
  /** Absolute, as VS Code knows the file. */
  readonly path: string;
  readonly kind: 'read' | 'write';
  /** 1-based: the first requested or changed line. */
  readonly line?: number;
}

/** @throws RpcError -32602 that names the id */
export function requireSession(lookup: SessionLookup, sessionId: string): SessionHandle {
  const session = lookup.find(sessionId);
  if (session) return session;
  throw invalidParams(`There is no session with the sessionId "${sessionId}" on this connection`);
}

import type { Action } from '../shared/actions';
import type { PermissionOutcome, SessionState } from '../shared/state';
import type { AskedElicitation, ElicitationRequest } from './elicitations';

/** A `session/request_permission` of the agent, after lenient parsing. */
export interface PermissionRequest {
  /** The `toolCall` (a ToolCallUpdate) as it came. It may be about a call that was never announced. */
  readonly toolCall: unknown;
  /** The options as they came, in the agent's order. */
  readonly options: readonly unknown[];
  /** Aborts when the agent withdraws the request. */
  readonly signal: AbortSignal;
}

/** What the rooms that serve the agent (client, review, mcp) see of a session: they meet here, never each other. */
export interface SessionPort {
  /** Our own id. */
  readonly id: string;
  /** Absolute paths of the workspace folders, the session's cwd first. */
  readonly folders: readonly string[];
  readonly state: SessionState;
  dispatch(action: Action): void;
  /** Asks the person; the entry is in the transcript when this returns its promise. Never rejects (I7). */
  ask(request: PermissionRequest): Promise<PermissionOutcome>;
  /** Shows a form or an address; the entry is in the transcript when this returns. */
  elicit(request: ElicitationRequest): AskedElicitation;
}

/** Finds the session a request of an agent is about, by the agent's session id. */
export interface SessionLookup {
  find(agentSessionId: string): SessionPort | undefined;
  /** The session that most likely waits for what the agent does outside any session: a sign-in, the opening of a session. */
  any?(): SessionPort | undefined;
}

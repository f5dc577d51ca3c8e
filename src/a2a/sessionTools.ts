import type { JsonObject } from '../base/json';
import type { SessionHandle } from '../session/sessionHandle';

/** One MCP request of a caller outside the editor. */
export interface McpCall {
  /** The caller's id of it. */
  readonly id: string | number;
  /** Tells the callers apart: approvals of one answer no other. */
  readonly client: string;
  readonly method: string;
  readonly params: JsonObject;
  /** Aborts when the caller takes it back. */
  readonly signal: AbortSignal;
  /** Takes the params of each `notifications/progress`. */
  readonly progress: (params: JsonObject) => void;
}

/** What an MCP request came to. */
export type McpOutcome =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

/** The tool servers of sessions, as the room of the gateway is given them: it knows none of the rooms beside it. */
export interface SessionTools {
  /** Names of the servers that this session's agent is offered. */
  servers(session: SessionHandle): readonly string[];
  /**
   * Asks one of them, under the rules of the session. Rejects with RpcError when it cannot be asked, with CanceledError when the signal
   * aborted or the server ended meanwhile. Undefined when the session has no such server.
   */
  call(session: SessionHandle, server: string, call: McpCall): Promise<McpOutcome> | undefined;
}

/** How whoever calls through the gateway is named in questions and in the audit log. */
export const A2A_CALLER = 'A2A client';

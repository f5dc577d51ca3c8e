import type { JsonObject } from '../base/json';
import type { SessionHandle } from '../session/sessionHandle';

/** One MCP request of a caller outside VS Code. */
export interface McpCall {
  /** The caller's id of the request. */
  readonly id: string | number;
  /** Identifies the caller: approvals of one caller do not apply to others. */
  readonly client: string;
  readonly method: string;
  readonly params: JsonObject;
  /** Aborts when the caller cancels. */
  readonly signal: AbortSignal;
  /** Receives the params of each `notifications/progress`. */
  readonly progress: (params: JsonObject) => void;
}

export type McpOutcome =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

/** The tool servers of sessions as the gateway needs them; `a2a` may not import `mcp`. */
export interface SessionTools {
  /** Names of the servers available to this session's agent. */
  servers(session: SessionHandle): readonly string[];
  /**
   * Calls a server under the session's permission rules. Undefined when the session has no such server.
   * @throws RpcError when the server cannot be called
   * @throws CanceledError when the signal aborted or the server ended
   */
  call(session: SessionHandle, server: string, call: McpCall): Promise<McpOutcome> | undefined;
}

/** The name of gateway callers in permission requests and the audit log. */
export const A2A_CALLER = 'A2A client';

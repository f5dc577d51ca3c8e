import type { Disposable } from '../base/lifecycle';
import type { SessionHandle } from '../session/sessionHandle';
import type { McpCall, McpOutcome, JsonToolServer } from '../session/toolServer';

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

/** Registers a server until the result is disposed. */
export type AddServer = (server: JsonToolServer) => Disposable;

/** The name of gateway callers in permission requests and the audit log. */
export const A2A_CALLER = 'A2A client';

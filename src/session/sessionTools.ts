import type { Disposable } from '../base/lifecycle';
import type { SessionHandle } from './sessionHandle';
import type { JsonToolServer, McpCall, McpOutcome } from './toolServer';

/** The tool servers of sessions for callers other than their agents; `a2a` may not import `mcp`. `ExternalCalls` implements it. */
export interface SessionTools extends Disposable {
  /** Settles when all servers available to sessions are registered; sessions without an agent have requested none. Never rejects. */
  load(): Promise<void>;
  /** Names of the servers available to this session's agent. */
  servers(session: SessionHandle): readonly string[];
  /**
   * Calls a server under the session's permission rules. Undefined when the session has no such server.
   * @throws RpcError when the server cannot be called
   * @throws CanceledError when the signal aborted or the server ended
   */
  call(session: SessionHandle, server: string, call: McpCall): Promise<McpOutcome> | undefined;
  /** Registers the tools of an A2A agent for all sessions, until the result is disposed. */
  add(server: JsonToolServer): Disposable;
  /** Aborts the running calls of a closed session. */
  close(sessionId: string): void;
}

/** The name of gateway callers in permission requests and the audit log. */
export const A2A_CALLER = 'A2A client';

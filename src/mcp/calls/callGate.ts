import type { Event } from '../../base/event';
import type { JsonObject } from '../../base/json';
import type { SessionHandle } from '../../session/sessionHandle';
import type { ToolResult } from '../../session/toolServer';
import type { RegisteredServer } from '../contract/toolServerRegistry';
import type { Tool } from '../contract/toolServerTypes';

/** What a session may use, and everything between a `tools/call` and its tool. `ToolCallGate` implements it. */
export interface CallGate {
  /** What is available may have changed in any session. */
  readonly onDidChange: Event<void>;
  readonly onDidEnd: Event<FinishedCall>;
  /** In order of registration, the built-in ones first. */
  availableServers(session: SessionHandle): readonly RegisteredServer[];
  /** False for a server without an available tool: the agent could use only resources, which the user has not allowed. */
  isServerAvailable(session: SessionHandle, registered: RegisteredServer): boolean;
  isToolAvailable(session: SessionHandle, registered: RegisteredServer, tool: Tool): boolean;
  /** Applies availability, approval and limits, and records the call. Never rejects: errors become a result with `isError`. */
  call(call: ToolCall): Promise<ToolResult>;
  /**
   * Applies availability, rules and limits to a request that is no tool call, and records it.
   * @param run sends the request to the server
   * @throws RpcError when it is not allowed; also the errors of `run`
   */
  access<T extends JsonObject>(request: AccessRequest, run: () => Promise<T>): Promise<T>;
  /** Re-evaluates what is available everywhere. */
  invalidate(): void;
  /** Drops the pending calls of a closed session. */
  closeSession(sessionId: string): void;
}

export interface ToolCall {
  readonly session: SessionHandle;
  readonly registered: RegisteredServer;
  readonly tool: Tool;
  /** Validated against the tool's schema. */
  readonly input: unknown;
  readonly signal: AbortSignal;
  /** MCP's `_meta` of the request. */
  readonly meta?: JsonObject;
  readonly progress: (message: string, done?: number) => void;
  /** Undefined without a transport, such as in tests. */
  readonly transport?: CallTransport | undefined;
}

/** MCP `resources/read`, `prompts/get` or `completion/complete`. */
export interface AccessRequest {
  readonly session: SessionHandle;
  readonly registered: RegisteredServer;
  /** `resource:` and a URI or URI template, or `prompt:` and a name; rules match the server's name, `__` and this. */
  readonly subject: string;
  /** The params that the rules and the audit log see. */
  readonly input: JsonObject;
  readonly signal: AbortSignal;
  /** The user's own request to a server that the caller has found enabled: only a rule that denies stops it. */
  readonly isOfUser?: true;
}

/** Arrival and answer times, in milliseconds of `performance.now()`. */
export interface CallTransport {
  readonly arrivedAt: number;
  /** Never rejects; also settles when the request was canceled. */
  readonly answeredAt: Promise<number>;
}

export interface FinishedCall {
  /** Parley's session id. */
  readonly session: string;
  /** `server__tool`, or of a request as {@link AccessRequest.subject} says. */
  readonly id: string;
  /** Start time, milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds that the tool ran, without waiting for the user. */
  readonly toolMs: number;
  readonly isError: boolean;
}

import { errorMessage } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import type { Logger } from '../../base/logger';
import type { Event } from '../../base/event';
import type { SessionHandle } from '../../session/sessionHandle';
import type { RegisteredServer } from '../toolServerRegistry';
import type { ToolResult } from '../../session/toolServer';
import type { Tool } from '../toolServerTypes';
import { ToolError } from '../toolServerTypes';

export interface ToolCall {
  readonly session: SessionHandle;
  readonly registered: RegisteredServer;
  readonly tool: Tool;
  /** Validated against the tool's schema. */
  readonly input: unknown;
  readonly signal: AbortSignal;
  /** MCP's `_meta` of the request, for trace context (`traceparent`, `tracestate`, `baggage`). */
  readonly meta?: JsonObject;
  readonly progress: (message: string, done?: number) => void;
  /** Undefined without a transport, such as in tests. */
  readonly transport?: CallTransport | undefined;
}

/** Arrival and answer times, in milliseconds of `performance.now()`. */
export interface CallTransport {
  readonly arrivedAt: number;
  /** Never rejects; also settles when the request was canceled. */
  readonly answered: Promise<number>;
}

/** Everything between a `tools/call` and its tool: availability, approval, time limit, audit log. */
export interface ToolGate {
  /** Fires when {@link offers} may have changed. */
  readonly onDidChange: Event<void>;
  offersServer(session: SessionHandle, registered: RegisteredServer): boolean;
  offers(session: SessionHandle, registered: RegisteredServer, tool: Tool): boolean;
  /** Never rejects: errors become a result with `isError`. */
  call(call: ToolCall): Promise<ToolResult>;
}

/** The error text for the model; the stack goes to the log only. */
export function toErrorResult(error: unknown, log: Logger, id: string): ToolResult {
  if (error instanceof ToolError) return { text: error.message, isError: true };
  log.error('mcp', `${id} failed: ${error instanceof Error ? (error.stack ?? error.message) : errorMessage(error)}`);
  return { text: `${id} failed: ${errorMessage(error)} Try again, or go on without it.`, isError: true };
}

export function toCallResult(result: ToolResult): {
  content: JsonObject[];
  structuredContent?: JsonObject;
  isError?: boolean;
} {
  const { text, content, structured, isError } = result;
  return {
    content: content ? [...content] : [{ type: 'text', text }],
    ...(structured && { structuredContent: structured }),
    ...(isError && { isError }),
  };
}

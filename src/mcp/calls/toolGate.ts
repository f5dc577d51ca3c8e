import { errorMessage } from '../../base/errors';
import type { JsonObject } from '../../base/json';
import type { Logger } from '../../base/logger';
import type { Event } from '../../base/event';
import type { SessionHandle } from '../../session/sessionHandle';
import type { RegisteredServer } from '../toolServerRegistry';
import type { Tool, ToolResult } from '../toolServerTypes';
import { ToolError } from '../toolServerTypes';

/** One `tools/call` as it came from an agent. */
export interface ToolCall {
  readonly session: SessionHandle;
  readonly registered: RegisteredServer;
  readonly tool: Tool;
  /** Checked against the tool's schema. */
  readonly input: unknown;
  readonly signal: AbortSignal;
  /** MCP's `_meta` of the request: a trace to hand on (`traceparent`, `tracestate`, `baggage`). */
  readonly meta?: JsonObject;
  readonly progress: (message: string, done?: number) => void;
  /** What carries it; undefined where nothing does, such as in a test. */
  readonly transport?: CallTransport | undefined;
}

/** When a call arrived and its answer left, in milliseconds of `performance.now()`. */
export interface CallTransport {
  readonly arrivedAt: number;
  /** Never rejects; settles also when nobody waits for the answer any more. */
  readonly answered: Promise<number>;
}

/** Everything between a `tools/call` and its tool: whether it is offered, who decides, how long, what is written down. */
export interface ToolGate {
  /** The rules, switches or trust changed: ask {@link offers} again. */
  readonly onDidChange: Event<void>;
  /** Whether a session's agent sees the server at all. */
  offersServer(session: SessionHandle, registered: RegisteredServer): boolean;
  offers(session: SessionHandle, registered: RegisteredServer, tool: Tool): boolean;
  /** Never rejects: what goes wrong is a result with `isError`. */
  call(call: ToolCall): Promise<ToolResult>;
}

/** What a failure reads like for the model; the stack goes to the log only. */
export function toErrorResult(error: unknown, log: Logger, id: string): ToolResult {
  if (error instanceof ToolError) return { text: error.message, isError: true };
  log.error('mcp', `${id} failed: ${error instanceof Error ? (error.stack ?? error.message) : errorMessage(error)}`);
  return { text: `${id} failed: ${errorMessage(error)} Try again, or go on without it.`, isError: true };
}

/** A result in MCP's form. */
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

import type { JsonObject } from '../base/json';
import type { SessionHandle } from './sessionHandle';

/** `free` needs no approval, `policy` follows the rules and asks where none matches, `always` asks even where a rule allows. */
type Approval = 'free' | 'policy' | 'always';

/** Hints in MCP's terms; `openWorldHint` defaults to false. */
interface ToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** Shown to the user before a call with approval `policy` or `always`. */
export interface ApprovalRequest {
  /** One line: what the call will do. */
  readonly title: string;
  /** Absolute paths that would be changed; protected ones always require approval. */
  readonly paths?: readonly string[];
  /** What the call will run or change, which its arguments do not say: shown and approved with them. */
  readonly runs?: readonly JsonObject[];
  /** What the call is about beside its arguments, such as the id of a debug session: an answer covers no call about another. */
  readonly about?: string;
  /** Asks although a rule allows: the call turned out riskier than the tool's declaration. */
  readonly always?: boolean;
}

export interface ToolContext {
  readonly session: SessionHandle;
  /** Aborts when the agent cancels, the session ends, or the time is over. */
  readonly signal: AbortSignal;
  /** Of MCP's `_meta` of the request, only the trace context (`traceparent`, `tracestate`, `baggage`). */
  readonly meta?: JsonObject;
  /**
   * Reports progress if the caller asked for it.
   * @param done 0 to 1, where known
   */
  readonly progress: (message: string, done?: number) => void;
  /**
   * Requests approval by the rules, then the user, with computed details: a rename knows its files only afterwards. For tools that are not
   * `free` and that set `asksItself`.
   * @throws ToolError of `mcp` when it was not allowed
   */
  readonly approve: (request: ApprovalRequest) => Promise<void>;
  /** Waits for the user while the tool's time limit is paused. */
  readonly waitForUser: <T>(answer: Promise<T>) => Promise<T>;
}

/** Short text for the model, and the same as data. */
export interface ToolResult {
  readonly text: string;
  readonly structured?: JsonObject;
  /** MCP content in place of `text`, forwarded from another server. */
  readonly content?: readonly JsonObject[];
  readonly isError?: boolean;
  /** MCP's `_meta` of the result, forwarded from another server. */
  readonly meta?: JsonObject;
}

/** @typeParam Schema of input and output; `mcp` also takes zod schemas. */
export interface JsonTool<Schema = JsonObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Schema;
  readonly output?: Schema;
  readonly annotations: ToolAnnotations;
  /** All that another server says of the tool beside its name and schemas, in MCP's form; agents get it unchanged. */
  readonly metadata?: JsonObject;
  readonly approval: Approval;
  /** The tool itself waits for the user, with a question rather than an approval. */
  readonly asksUser?: boolean;
  /** The tool requests approval itself with {@link ToolContext.approve}, once it knows what it will do. */
  readonly asksItself?: boolean;
  /** Milliseconds that a call may run without waiting for the user, or without progress if the tool is not Parley's own; 60,000 if undefined. */
  readonly timeout?: number;
  /** The user's entry of the server excludes the tool. */
  readonly isExcluded?: boolean;
  /** `input` is validated. Throws a `ToolError` with a text for the model. */
  call(input: unknown, context: ToolContext): Promise<ToolResult>;
}

/** Tools under one name; the id of a tool in rules is `server__tool`. */
export interface JsonToolServer<T = JsonTool> {
  /** No `_`: agents split prefixed names there. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly tools: readonly T[];
}

/** One MCP request of a caller other than the session's agent. */
export interface McpCall {
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

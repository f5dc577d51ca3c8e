import type { JsonObject } from '../base/json';
import type { Disposable } from '../base/lifecycle';

/**
 * A tool server built in `a2a`. `mcp` accepts this shape without importing it; the compiler compares both types where
 * `app` connects them.
 */
export interface ToolServerShape {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly tools: readonly OfferedTool[];
}

export interface OfferedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** A JSON Schema. */
  readonly input: JsonObject;
  readonly annotations: { readonly openWorldHint: true };
  /** Every call requires approval: it leaves the machine. */
  readonly approval: 'always';
  /** In milliseconds. */
  readonly timeout: number;
  call(input: unknown, context: OfferedContext): Promise<OfferedResult>;
}

export interface OfferedContext {
  /** Aborts when the caller cancels or the time limit has passed. */
  readonly signal: AbortSignal;
  readonly progress: (message: string, done?: number) => void;
}

export interface OfferedResult {
  readonly text: string;
  readonly structured?: JsonObject;
  /** In MCP's format. */
  readonly content?: readonly JsonObject[];
  readonly isError?: boolean;
}

/** Registers a server until the result is disposed. */
export type AddServer = (server: ToolServerShape) => Disposable;

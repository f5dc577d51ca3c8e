import type { JsonObject } from '../base/json';
import type { Disposable } from '../base/lifecycle';

/**
 * A tool server as this room makes it. The room of the tool servers takes it as one of its own; neither knows the other, and the
 * compiler compares the two where they are introduced.
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
  /** Every call is asked about: it leaves the machine. */
  readonly approval: 'always';
  /** Milliseconds. */
  readonly timeout: number;
  call(input: unknown, context: OfferedContext): Promise<OfferedResult>;
}

export interface OfferedContext {
  /** Aborts when the caller cancels or the time is over. */
  readonly signal: AbortSignal;
  readonly progress: (message: string, done?: number) => void;
}

export interface OfferedResult {
  readonly text: string;
  readonly structured?: JsonObject;
  /** Content in MCP's form. */
  readonly content?: readonly JsonObject[];
  readonly isError?: boolean;
}

/** Offers a server until the result is disposed. */
export type AddServer = (server: ToolServerShape) => Disposable;

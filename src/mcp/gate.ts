import { messageOf } from '../base/errors';
import type { JsonObject } from '../base/json';
import type { Log } from '../base/log';
import type { Event } from '../base/event';
import { Emitter } from '../base/event';
import type { Disposable } from '../base/lifecycle';
import type { SessionPort } from '../session/port';
import type { RegisteredServer } from './toolServers';
import type { Tool, ToolResult } from './toolServer';
import { ToolError } from './toolServer';

/** One `tools/call` as it came from an agent. */
export interface ToolCall {
  readonly session: SessionPort;
  readonly registered: RegisteredServer;
  readonly tool: Tool;
  /** Checked against the tool's schema. */
  readonly input: unknown;
  readonly signal: AbortSignal;
  /** MCP's `_meta` of the request: a trace to hand on (`traceparent`, `tracestate`, `baggage`). */
  readonly meta?: JsonObject;
  readonly progress: (message: string, done?: number) => void;
}

/** Everything between a `tools/call` and its tool: whether it is offered, who decides, how long, what is written down. */
export interface ToolGate {
  /** The rules, switches or trust changed: ask {@link offers} again. */
  readonly onDidChange: Event<void>;
  /** Whether a session's agent sees the server at all. */
  offersServer(session: SessionPort, registered: RegisteredServer): boolean;
  offers(session: SessionPort, registered: RegisteredServer, tool: Tool): boolean;
  /** Never rejects: what goes wrong is a result with `isError`. */
  call(call: ToolCall): Promise<ToolResult>;
}

/** What a failure reads like for the model; the stack goes to the log only. */
export function failure(error: unknown, log: Log, id: string): ToolResult {
  if (error instanceof ToolError) return { text: error.message, isError: true };
  log.error('mcp', `${id} failed: ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}`);
  return { text: `${id} failed: ${messageOf(error)} Try again, or go on without it.`, isError: true };
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

/** A gate without rules: a trusted workspace's agents see everything, and call what needs nobody's leave. */
export class TrustGate implements ToolGate, Disposable {
  readonly #changed = new Emitter<void>();
  readonly #options: { readonly log: Log; readonly isTrusted: () => boolean };
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(options: { readonly log: Log; readonly isTrusted: () => boolean }) {
    this.#options = options;
  }

  offersServer(): boolean {
    return this.#options.isTrusted();
  }

  offers(): boolean {
    return this.#options.isTrusted();
  }

  async call({ session, registered, tool, input, signal, progress, meta }: ToolCall): Promise<ToolResult> {
    const id = `${registered.name}__${tool.name}`;
    try {
      if (tool.approval !== 'free') throw new ToolError(`${id} was not allowed.`);
      const approve = (): Promise<void> => Promise.reject(new ToolError(`${id} was not allowed.`));
      return await tool.call(input, { session, signal, progress, approve, ...(meta && { meta }) });
    } catch (error) {
      return failure(error, this.#options.log, id);
    }
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

import type { ZodType, output as ZodOutput } from 'zod';
import type { JsonObject } from '../base/json';
import type { Event } from '../base/event';
import type { Disposable } from '../base/lifecycle';
import type { SessionHandle } from '../session/sessionHandle';
import type { z } from './host/mcpServerSdk';

/** Passed to tool definitions, since zod is loaded with the first session. */
export type Zod = typeof z;

/** A zod schema, or a JSON Schema from another server or extension. */
export type SchemaSource = ((zod: Zod) => ZodType) | JsonObject;

/** `free` needs no approval, `policy` follows the rules and asks where none matches, `always` asks even where a rule allows. */
export type Approval = 'free' | 'policy' | 'always';

/** Hints in MCP's terms; `openWorldHint` defaults to false. */
export interface ToolAnnotations {
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
  /** Changed texts, shown as diffs. */
  readonly edits?: readonly { readonly path: string; readonly oldText: string | null; readonly newText: string }[];
  /** Asks although a rule allows: the call turned out riskier than the tool's declaration. */
  readonly always?: boolean;
}

export interface ToolContext {
  readonly session: SessionHandle;
  /** Aborts when the agent cancels, the session ends, or the time is over. */
  readonly signal: AbortSignal;
  /** MCP's `_meta` of the request, for trace context (`traceparent`, `tracestate`, `baggage`). */
  readonly meta?: JsonObject;
  /**
   * Reports progress if the caller asked for it.
   * @param done 0 to 1, where known
   */
  readonly progress: (message: string, done?: number) => void;
  /**
   * Requests approval by the rules, then the user, with computed details: a rename knows its files only afterwards. For tools that are not
   * `free` and have no `ask`; such a tool returns `declined` itself.
   * @throws ToolError when it was not allowed
   */
  readonly approve: (asked: ApprovalRequest) => Promise<void>;
  /** Waits for the user while the tool's time limit is paused. */
  readonly person: <T>(answer: Promise<T>) => Promise<T>;
}

/** Short text for the model, and the same as data. */
export interface ToolResult {
  readonly text: string;
  readonly structured?: JsonObject;
  /** MCP content in place of `text`, forwarded from another server. */
  readonly content?: readonly JsonObject[];
  readonly isError?: boolean;
}

/** Created by {@link tool}. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: SchemaSource;
  readonly output?: SchemaSource;
  readonly annotations: ToolAnnotations;
  readonly approval: Approval;
  /** The tool itself waits for the user, with a question rather than an approval. */
  readonly asksPerson?: boolean;
  /** The tool requests approval itself with {@link ToolContext.approve}, once it knows what it will do. */
  readonly asksItself?: boolean;
  /** Milliseconds that a call may run without waiting for the user; 60,000 if undefined. */
  readonly timeout?: number;
  /** `input` is validated. Throws {@link ToolError} with a text for the model. */
  call(input: unknown, context: ToolContext): Promise<ToolResult>;
}

/** Whether a call may wait for the user and then returns a handle. */
export function canWaitForApproval({ approval, asksPerson }: Pick<Tool, 'approval' | 'asksPerson'>): boolean {
  return approval !== 'free' || asksPerson === true;
}

/** A tool with the types of its schemas. */
export interface ToolDefinition<In extends ZodType, Out extends ZodType> extends Omit<
  Tool,
  'input' | 'output' | 'call'
> {
  readonly input: (zod: Zod) => In;
  readonly output: (zod: Zod) => Out;
  readonly call: (
    input: ZodOutput<In>,
    context: ToolContext,
  ) => Promise<{ readonly text: string; readonly structured: ZodOutput<Out>; readonly isError?: boolean }>;
}

/** Erases the schema types, so that tools fit in one list. */
export function tool<In extends ZodType, Out extends ZodType>(definition: ToolDefinition<In, Out>): Tool {
  const { input, output, call, ...rest } = definition;
  return {
    ...rest,
    input: (zod) => input(zod),
    output: (zod) => output(zod),
    call: async (given, context) => {
      const result = await call(given as ZodOutput<In>, context);
      return { ...result, structured: result.structured as JsonObject };
    },
  };
}

export interface ToolResource {
  /** Such as `ide://problems`. */
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly onDidChange?: Event<void>;
  /** Text, or contents in MCP's form, which may be binary. */
  readonly read: (session: SessionHandle) => Promise<string | readonly JsonObject[]>;
}

/** Resources whose URIs follow a pattern (RFC 6570). */
export interface ToolResourceTemplate extends Pick<ToolResource, 'name' | 'title' | 'description'> {
  /** Such as `db://{table}/{row}`. */
  readonly pattern: string;
  readonly mimeType?: string;
  /**
   * @param uri matches the pattern
   * @returns contents in MCP's form
   */
  readonly read: (uri: string) => Promise<readonly JsonObject[]>;
}

export interface ToolPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[];
  /** Text, or messages in MCP's form. */
  render(values: Readonly<Record<string, string>>): Promise<string | readonly JsonObject[]>;
}

/** A tool or other definition that is held back because it differs from what the user approved (docs/security.md, row 4). */
export interface HeldBackTool {
  readonly name: string;
  /** Its kind if it is no tool: a prompt, a resource template, the instructions. */
  readonly label?: string;
  /** Both definitions with hidden characters shown; the first is empty for a new one. */
  readonly before: string;
  readonly after: string;
  /** Hash of the new definition; a decision applies to exactly that. */
  readonly hash: string;
  readonly isRefused: boolean;
}

export interface HeldBackTools {
  list(): readonly HeldBackTool[];
  /** Effective from the next call. Returns false without effect if the definition has changed again. */
  accept(name: string, hash: string): boolean;
  /** Stops asking. Returns false without effect if the definition has changed again. */
  refuse(name: string, hash: string): boolean;
}

export interface ServerAccount {
  /** `wanted`: nothing works before the user has signed in. */
  readonly status: 'wanted' | 'done';
  /**
   * Asks the user and opens the browser.
   * @throws ParleyError when it fails
   */
  signIn(): Promise<void>;
  signOut(): Promise<void>;
}

/** Tools under one name; the id of a tool in rules is `server__tool`. */
export interface ToolServer {
  /** No `_`: agents split prefixed names there. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Sent to the model when it connects: when to use these tools. */
  readonly instructions?: string;
  readonly tools: readonly Tool[];
  /** May change with {@link ToolServer.onDidChange}. */
  readonly resources?: readonly ToolResource[];
  readonly templates?: readonly ToolResourceTemplate[];
  /** Subscribes to a resource until the result is disposed, where updates are sent only to subscribers. */
  watch?(uri: string): Disposable;
  /** Fires the URI of a watched resource. */
  readonly onDidUpdate?: Event<string>;
  readonly held?: HeldBackTools;
  /** Undefined where no account is needed. */
  readonly account?: ServerAccount | undefined;
  prompts?(): readonly ToolPrompt[];
  /** Why the server is temporarily unavailable for a session's agent, regardless of rules. */
  withheld?(session: Pick<SessionHandle, 'state'>): string | undefined;
  /** Fires when tools, resources or prompts changed; connected agents are notified. */
  readonly onDidChange?: Event<void>;
}

/** An error for the model, with a next step. Becomes a result with `isError: true`. */
export class ToolError extends Error {
  /** @param nextStep what the model can do about it, a sentence */
  constructor(message: string, nextStep?: string, options?: ErrorOptions) {
    super(nextStep === undefined ? message : `${message} ${nextStep}`, options);
    this.name = 'ToolError';
  }
}

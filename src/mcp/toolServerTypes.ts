import type { ZodType, output as ZodOutput } from 'zod';
import type { JsonObject } from '../base/json';
import type { Event } from '../base/event';
import type { Disposable } from '../base/lifecycle';
import type { SessionHandle } from '../session/sessionHandle';
import type { z } from './host/mcpServerSdk';

/** zod, as the definitions of tools get it: it is loaded with the first session. */
export type Zod = typeof z;

/** What a tool takes or gives: made with zod, or a JSON Schema as another server or extension declares it. */
export type SchemaSource = ((zod: Zod) => ZodType) | JsonObject;

/**
 * Who decides about a call: `free` needs nobody, `policy` goes by the rules and asks where none speaks,
 * `always` asks even where a rule allows.
 */
export type Approval = 'free' | 'policy' | 'always';

/** Hints for the client, in MCP's words; `openWorldHint` is false where it is not given. */
export interface ToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** What the user is shown before a call of `policy` or `always`. */
export interface ApprovalRequest {
  /** One line: what will be done. */
  readonly title: string;
  /** Absolute paths that would be changed; protected ones ask always. */
  readonly paths?: readonly string[];
  /** Changed texts, shown as diffs. */
  readonly edits?: readonly { readonly path: string; readonly oldText: string | null; readonly newText: string }[];
  /** Asks although a rule allows: what was found out is riskier than the tool's own word. */
  readonly always?: boolean;
}

/** What a running call can do and know. */
export interface ToolContext {
  /** The session whose agent calls. */
  readonly session: SessionHandle;
  /** Aborts when the agent cancels, the session ends, or the time is over. */
  readonly signal: AbortSignal;
  /** MCP's `_meta` of the request: a trace to hand on (`traceparent`, `tracestate`, `baggage`). */
  readonly meta?: JsonObject;
  /**
   * Tells the caller how far it is; without effect where it did not ask.
   * @param done 0 to 1, where known
   */
  readonly progress: (message: string, done?: number) => void;
  /**
   * Asks by rules, then the user, with more than the arguments say: a rename knows its files only when it was computed.
   * For a tool whose {@link Approval} is not `free` and that has no `ask` of its own; a tool that calls this answers `declined` itself.
   * @throws ToolError when it was not allowed
   */
  readonly approve: (asked: ApprovalRequest) => Promise<void>;
  /** Waits for something of the user's: meanwhile the tool's time stands still. */
  readonly person: <T>(answer: Promise<T>) => Promise<T>;
}

/** The answer of a tool: a short text for the model and the same as data. */
export interface ToolResult {
  readonly text: string;
  readonly structured?: JsonObject;
  /** Content in MCP's own form, in place of `text`: what is passed through from another server. */
  readonly content?: readonly JsonObject[];
  readonly isError?: boolean;
}

/** One tool as it is offered; made by {@link tool}. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: SchemaSource;
  readonly output?: SchemaSource;
  readonly annotations: ToolAnnotations;
  readonly approval: Approval;
  /** It waits for the user by itself: a question, not an approval. */
  readonly asksPerson?: boolean;
  /** The tool asks by itself, with {@link ToolContext.approve}, when it knows what it will do. */
  readonly asksItself?: boolean;
  /** Milliseconds a call may run, waiting for the user not counted; 60,000 when absent. */
  readonly timeout?: number;
  /** `input` has been checked against the schema. Fails with {@link ToolError} for what the model should read. */
  call(input: unknown, context: ToolContext): Promise<ToolResult>;
}

/** A call of it may wait for the user: after a while it answers with a handle. */
export function canWaitForApproval({ approval, asksPerson }: Pick<Tool, 'approval' | 'asksPerson'>): boolean {
  return approval !== 'free' || asksPerson === true;
}

/** A tool with the types that its schemas give; `input` of `call` is what `input` describes. */
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

/** Erases the types of a definition, so that tools fit in one list. */
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

/** A document that agents can read and subscribe to. */
export interface ToolResource {
  /** Such as `ide://problems`. */
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  /** Its text changed. */
  readonly onDidChange?: Event<void>;
  /** Its text, or its contents in MCP's own form, which may be binary. */
  readonly read: (session: SessionHandle) => Promise<string | readonly JsonObject[]>;
}

/** Documents whose addresses follow a pattern (RFC 6570), as another server describes them. */
export interface ToolResourceTemplate extends Pick<ToolResource, 'name' | 'title' | 'description'> {
  /** Such as `db://{table}/{row}`. */
  readonly pattern: string;
  readonly mimeType?: string;
  /**
   * @returns contents in MCP's own form
   * @param uri an address that fits the pattern
   */
  readonly read: (uri: string) => Promise<readonly JsonObject[]>;
}

/** A prompt of the user, offered to the agent. */
export interface ToolPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[];
  /** Its text, or its messages in MCP's own form. */
  render(values: Readonly<Record<string, string>>): Promise<string | readonly JsonObject[]>;
}

/** A tool, or something else that a model reads of a server, that is not offered: it is not what the user has seen (security: rug pull). */
export interface HeldBackTool {
  readonly name: string;
  /** What it is in words where it is no tool: a prompt, a kind of documents, the instructions. */
  readonly label?: string;
  /** Both definitions as a user reads them, hidden characters shown. The first is empty for what the server has added since. */
  readonly before: string;
  readonly after: string;
  /** Of the new definition: a decision is about exactly that. */
  readonly hash: string;
  /** The user has looked at it and wants it kept out. */
  readonly isRefused: boolean;
}

/** The tools of a server that are held back, and what the user decides about them. */
export interface HeldBackTools {
  list(): readonly HeldBackTool[];
  /** Offered from the next call on. False, and without effect, when the definition is another one again. */
  accept(name: string, hash: string): boolean;
  /** Not asked about any more. False, and without effect, when the definition is another one again. */
  refuse(name: string, hash: string): boolean;
}

/** The user's account at a server that wants one. */
export interface ServerAccount {
  /** `wanted`: nothing works before the user has signed in. */
  readonly status: 'wanted' | 'done';
  /**
   * Asks the user and opens the browser.
   * @throws ParleyError with what went wrong
   */
  signIn(): Promise<void>;
  /** Forgets what the sign-in gave. */
  signOut(): Promise<void>;
}

/** Some tools under one name; the id of a tool in rules is `server__tool`. */
export interface ToolServer {
  /** No `_` in it: agents split prefixed names there. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Sent to the model when it connects: when to use these tools. */
  readonly instructions?: string;
  readonly tools: readonly Tool[];
  /** The list may be another one after {@link ToolServer.onDidChange}. */
  readonly resources?: readonly ToolResource[];
  readonly templates?: readonly ToolResourceTemplate[];
  /** Where documents are told of only when somebody wants to hear of them: until the result is disposed. */
  watch?(uri: string): Disposable;
  /** A watched document is different: its address. */
  readonly onDidUpdate?: Event<string>;
  readonly held?: HeldBackTools;
  /** Undefined where no account is wanted. */
  readonly account?: ServerAccount | undefined;
  prompts?(): readonly ToolPrompt[];
  /** Why it cannot be given to a session's agent at the moment, whatever the rules say; undefined when it can. */
  withheld?(session: Pick<SessionHandle, 'state'>): string | undefined;
  /** Its tools, documents or prompts changed: agents that are connected are told. */
  readonly onDidChange?: Event<void>;
}

/** What went wrong in a tool, in one sentence for the model, with what to do next. It becomes `isError: true`. */
export class ToolError extends Error {
  /** @param nextStep what the model can do about it, a sentence */
  constructor(message: string, nextStep?: string, options?: ErrorOptions) {
    super(nextStep === undefined ? message : `${message} ${nextStep}`, options);
    this.name = 'ToolError';
  }
}

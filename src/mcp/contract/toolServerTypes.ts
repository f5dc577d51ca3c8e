import type { ZodType, output as ZodOutput } from 'zod';
import type { Event } from '../../base/event';
import type { JsonObject } from '../../base/json';
import type { Disposable } from '../../base/lifecycle';
import type { SessionHandle } from '../../session/sessionHandle';
import type { JsonTool, ToolContext, JsonToolServer } from '../../session/toolServer';
import type { z } from './mcpServerSdk';
import type { ServerMessages } from './serverMessages';

/** Passed to tool definitions, since zod is loaded with the first session. */
export type Zod = typeof z;

/** A zod schema, or a JSON Schema from another server or extension. */
export type SchemaSource = ((zod: Zod) => ZodType) | JsonObject;

/** Created by {@link tool}. */
export type Tool = JsonTool<SchemaSource>;

/** Whether a call may wait for the user and then returns a handle. */
export function canWaitForApproval({ approval, asksUser }: Tool): boolean {
  return approval !== 'free' || asksUser === true;
}

/** A tool with the types of its schemas. */
interface ToolDefinition<In extends ZodType, Out extends ZodType> extends Omit<Tool, 'input' | 'output' | 'call'> {
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

/** What a model and the user read about a definition. */
export interface Described {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** All that another server says of it beside its name and schemas, in MCP's form; agents get it unchanged. */
  readonly metadata?: JsonObject;
}

/** @see Tool.isExcluded */
export interface DescribedTool extends Described {
  readonly isExcluded?: boolean;
}

export interface ToolResource extends Described {
  /** Such as `ide://problems`. */
  readonly uri: string;
  readonly mimeType?: string;
  readonly onDidChange?: Event<void>;
  /** Text, or contents in MCP's form, which may be binary. */
  readonly read: (session: SessionHandle) => Promise<string | readonly JsonObject[]>;
}

/** Resources whose URIs follow a pattern (RFC 6570). */
export interface ToolResourceTemplate extends Described {
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
  /** See {@link Described.metadata}. */
  readonly metadata?: JsonObject;
  readonly arguments: readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[];
  /** Text, or MCP's result of `prompts/get`. */
  render(values: Readonly<Record<string, string>>): Promise<string | JsonObject>;
}

/** A tool or other definition that is held back because it differs from what the user approved (docs/security.md, row 4). */
export interface HeldBackTool {
  readonly name: string;
  /** The kind of a definition that is not a tool: a prompt, a resource template, the instructions. */
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
  readonly status: 'required' | 'done';
  /**
   * Asks the user and opens the browser.
   * @throws ParleyError when it fails
   */
  signIn(): Promise<void>;
  signOut(): Promise<void>;
}

/** Its prompts and resources can be used once the server is connected. */
export interface ToolListPreview {
  readonly tools: readonly DescribedTool[];
  readonly resources: readonly ToolResource[];
  readonly templates: readonly ToolResourceTemplate[];
  readonly prompts: readonly ToolPrompt[];
}

export interface ToolServer extends JsonToolServer<Tool> {
  /** Sent to the model when it connects: when to use these tools. */
  readonly instructions?: string;
  /** What is started or reached under the name; undefined if that never changes. */
  readonly identity?: string;
  /** May change with {@link ToolServer.onDidChange}. */
  readonly resources?: readonly ToolResource[];
  readonly templates?: readonly ToolResourceTemplate[];
  /** Subscribes to a resource until the result is disposed, where updates are sent only to subscribers. */
  watch?(uri: string): Disposable;
  /** Fires the URI of a watched resource. */
  readonly onDidUpdate?: Event<string>;
  readonly heldBack?: HeldBackTools;
  /** Undefined where no account is needed. */
  readonly account?: ServerAccount | undefined;
  prompts?(): readonly ToolPrompt[];
  /** MCP `completion/complete`, for arguments of prompts and variables of templates. */
  complete?(params: JsonObject): Promise<JsonObject>;
  /** What the server lists for the Tools panel while agents do not use it through Parley; undefined if unknown. */
  readonly preview?: ToolListPreview | undefined;
  /** Connects the server for the user, if it is not connected. Never rejects. */
  connect?(): Promise<void>;
  /** The server cannot be started before the user has answered a question. */
  readonly needsSetup?: boolean;
  /** Of a server with an instance for each session: that instance, created with the first call. */
  forSession?(session: SessionHandle): ToolServer;
  closeSession?(sessionId: string): void;
  /** Fires when an instance has other lists or messages. */
  readonly onDidChangeInstance?: Event<void>;
  /** Settles when the lists are known; never rejects. Undefined where they are known at once. */
  readonly ready?: Promise<void>;
  /** Why the server is temporarily unavailable for a session's agent, regardless of rules. */
  unavailableReason?(session: SessionHandle): string | undefined;
  /** What the server reported to the user. */
  readonly messages?: ServerMessages | undefined;
  /** Fires when tools, resources or prompts changed; connected agents are notified. */
  readonly onDidChange?: Event<void>;
}

/** The next step after a call whose end is not known: it must not be repeated blindly. */
export const UNKNOWN_EFFECT = 'It is not known whether the call had its effect: look before you call it again.';

/** An error for the model, with a next step. Becomes a result with `isError: true`. */
export class ToolError extends Error {
  /** @param nextStep what the model can do about it, a sentence */
  constructor(message: string, nextStep?: string, options?: ErrorOptions) {
    super(nextStep === undefined ? message : `${message} ${nextStep}`, options);
    this.name = 'ToolError';
  }
}

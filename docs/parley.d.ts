/**
 * The API that `activate()` of the extension `parley.parley` returns to other extensions. docs/parley.d.ts is a copy of this file, which
 * extensions can copy, so this file has no imports. Within one `version` members are only added.
 */

/** Removes a registration. Compatible with `vscode.Disposable`. */
export interface ApiDisposable {
  dispose(): void;
}

/** MCP's `ToolAnnotations`: hints for the agent. */
export interface ApiToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A chat session. */
export interface ApiSession {
  /** Parley's id of the chat session. */
  readonly id: string;
  /** Absolute paths; the agent's working folder is the first. */
  readonly folders: readonly string[];
  /** Key of the agent in `parley.agents`. */
  readonly agent: string | undefined;
}

/** The context of a running tool call. */
export interface ApiToolContext {
  readonly session: ApiSession;
  /** Aborts when the agent cancels the call, the chat ends, or the timeout is reached. */
  readonly signal: AbortSignal;
  /**
   * Reports progress to the agent.
   * @param done completed share from 0 to 1, if known
   */
  readonly progress: (message: string, done?: number) => void;
}

/** A text for the model, optionally with the same content as data. */
export type ApiToolResult =
  | string
  | { readonly text: string; readonly structured?: object; readonly isError?: boolean };

export interface ApiTool {
  /** Letters, digits, `_`, `-` and `.`. Rules refer to the tool as `server__name`. */
  readonly name: string;
  readonly title?: string;
  /** For the model: what the tool does and when to use it. */
  readonly description: string;
  /** JSON Schema of an object; no arguments when absent. Arguments are validated before `call`. */
  readonly inputSchema?: object;
  /** JSON Schema of an object; when present, each result needs `structured`. */
  readonly outputSchema?: object;
  readonly annotations?: ApiToolAnnotations;
  /**
   * `policy` (default): the user's rules decide; without a matching rule the user is asked. `free`: runs without approval, for tools that
   * only read. `always`: the user is asked before every call.
   */
  readonly approval?: 'free' | 'policy' | 'always';
  /** Milliseconds; 60,000 when absent. Waiting for the user does not count. */
  readonly timeout?: number;
  /** The model receives the message of a thrown error. */
  call(input: Readonly<Record<string, unknown>>, context: ApiToolContext): ApiToolResult | Promise<ApiToolResult>;
}

/** A text that agents can read, and the user can attach. */
export interface ApiResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  read(session: ApiSession): string | Promise<string>;
}

/** A prompt, which the user fills in. */
export interface ApiPrompt {
  /** Letters, digits, `_`, `-` and `.`. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[];
  /** The text of the prompt. */
  render(values: Readonly<Record<string, string>>): string | Promise<string>;
}

/** An MCP server of the official TypeScript SDKs (`McpServer`, `Server`). */
export interface ApiMcpServer {
  // oxlint-disable-next-line typescript/no-explicit-any -- a transport of either SDK
  connect(transport: any): Promise<void>;
  close(): Promise<void>;
}

interface ApiServerBase {
  /** Letters, digits and `-`. A second server with the same name becomes `<name>-2`. */
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  /** For the model: when to use these tools. */
  readonly instructions?: string;
}

interface ApiServerLists {
  readonly tools: readonly ApiTool[];
  readonly resources?: readonly ApiResource[];
  readonly prompts?: readonly ApiPrompt[];
}

interface ApiServerFactory {
  /** Called once for each session. The server is closed with the session. */
  readonly createServer: (session: ApiSession) => ApiMcpServer | Promise<ApiMcpServer>;
}

/** Tools of an extension, as a list or as an MCP server. */
export type ApiToolServer = ApiServerBase & (ApiServerLists | ApiServerFactory);

/** The context of a request or notification that an agent sent. */
export interface ApiAgentContext {
  /** Key of the agent. */
  readonly agent: string;
  /** Aborts when the agent cancels the request or ends. */
  readonly signal: AbortSignal;
}

/** A message that is sent to an agent. */
export interface ApiMessageTarget {
  /** Key of the agent. */
  readonly agent: string;
  /** The agent's id of the session, as in its own requests. */
  readonly sessionId: string;
}

/** A running agent. */
export interface ApiAgent {
  /** Key of the agent, for the other functions. */
  readonly name: string;
  readonly title: string;
  /** `agentCapabilities._meta` of the agent's `initialize` response: its extensions of the protocol. */
  readonly meta: Readonly<Record<string, unknown>>;
}

export interface ParleyApi {
  readonly version: 1;
  /**
   * Offers tools to agents, in new and in running chats, until the result is disposed.
   * @throws TypeError that describes the error in the definition
   */
  registerToolServer(server: ApiToolServer): ApiDisposable;
  /**
   * Handles an ACP extension method, `_vendor/name`. Agents that start later see it as `clientCapabilities._meta.<vendor>.<name>`. An error
   * of the handler is sent to the agent, with `code` and `data` if present.
   * @param capability the advertised value; `true` when absent
   * @throws TypeError for a method that is not `_vendor/name` or is already registered
   */
  onRequest(
    method: string,
    handler: (params: unknown, context: ApiAgentContext) => unknown,
    capability?: unknown,
  ): ApiDisposable;
  /** Listens to an extension notification, advertised like {@link onRequest}; a method may have several listeners. */
  onNotification(
    method: string,
    listener: (params: unknown, context: Omit<ApiAgentContext, 'signal'>) => void,
    capability?: unknown,
  ): ApiDisposable;
  /**
   * Adds `_meta.<key>` to every message of the user to an agent (`session/prompt`).
   * @param key a name of your own, such as `example.org`
   * @param provide gives the value, which is JSON, when the message is sent; `undefined` adds nothing
   * @throws TypeError for a key that is in use
   */
  addPromptMeta(key: string, provide: (context: ApiMessageTarget) => unknown): ApiDisposable;
  /** Sends a request to a running agent. Rejects with the agent's error (`code`, `message`, `data`), or if the agent is not running. */
  request(agent: string, method: string, params?: object, options?: { signal?: AbortSignal }): Promise<unknown>;
  /** @throws Error if the agent is not running */
  notify(agent: string, method: string, params?: object): void;
  /** The running agents. */
  agents(): readonly ApiAgent[];
  /** Fires when an agent is ready and when an agent has ended. */
  onDidChangeAgents(listener: () => void): ApiDisposable;
}

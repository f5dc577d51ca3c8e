/**
 * What `activate()` of the extension `parley.parley` gives to other extensions. This file stands by itself: docs/parley.d.ts is a copy
 * of it, for them to copy. Within one `version` things are only added.
 */

/** Lets go of what was registered. Compatible with `vscode.Disposable`. */
export interface ApiDisposable {
  dispose(): void;
}

/** Hints for the agent, in MCP's words. */
export interface ApiToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** Of a running call. */
export interface ApiToolContext {
  readonly session: {
    /** Parley's id of the chat. */
    readonly id: string;
    /** Absolute paths, the agent's own first. */
    readonly folders: readonly string[];
    /** Key of the agent. */
    readonly agent: string | undefined;
  };
  /** Aborts when the agent takes the call back, the chat ends or the time is over. */
  readonly signal: AbortSignal;
  /**
   * Tells the agent how far it is.
   * @param done 0 to 1, where known
   */
  readonly progress: (message: string, done?: number) => void;
}

/** A text for the model, or that and the same as data. */
export type ApiToolResult =
  | string
  | { readonly text: string; readonly structured?: object; readonly isError?: boolean };

export interface ApiTool {
  /** Letters, digits, `_`, `-` and `.`; rules name it `server__name`. */
  readonly name: string;
  readonly title?: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  /** JSON Schema of an object; no arguments when absent. Arguments are checked against it before `call`. */
  readonly inputSchema?: object;
  /** JSON Schema of an object; then each result needs `structured`. */
  readonly outputSchema?: object;
  readonly annotations?: ApiToolAnnotations;
  /**
   * `policy` (when absent): the user's rules decide, and where none speaks the user. `free`: nobody is asked, for what only reads.
   * `always`: the user is asked each time.
   */
  readonly approval?: 'free' | 'policy' | 'always';
  /** Milliseconds; 60,000 when absent. Waiting for the user does not count. */
  readonly timeout?: number;
  /** What it throws is told to the model with its message. */
  call(input: Readonly<Record<string, unknown>>, context: ApiToolContext): ApiToolResult | Promise<ApiToolResult>;
}

/** An MCP server as the official SDKs for TypeScript make it (`McpServer`, `Server`). */
export interface ApiMcpServer {
  // oxlint-disable-next-line typescript/no-explicit-any -- a transport of either SDK
  connect(transport: any): Promise<void>;
  close(): Promise<void>;
}

interface ApiServerBase {
  /** Letters, digits and `-`. A second server of the same name is called `<name>-2`. */
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  /** When to use these tools, for the model. */
  readonly instructions?: string;
}

/** Tools of an extension: a list, or a whole MCP server. */
export type ApiToolServer = ApiServerBase &
  ({ readonly tools: readonly ApiTool[] } | { readonly createServer: () => ApiMcpServer | Promise<ApiMcpServer> });

/** Of a request or notification of an agent. */
export interface ApiAgentContext {
  /** Key of the agent. */
  readonly agent: string;
  /** Aborts when the agent takes the request back or ends. */
  readonly signal: AbortSignal;
}

/** An agent that runs. */
export interface ApiAgent {
  /** Its key, which the other functions take. */
  readonly name: string;
  readonly title: string;
  /** `agentCapabilities._meta` of its handshake: what it can do beyond the protocol. */
  readonly meta: Readonly<Record<string, unknown>>;
}

export interface ParleyApi {
  readonly version: 1;
  /**
   * Offers tools to agents, in chats that begin and in those under way, until the result is disposed.
   * @throws TypeError that says what is wrong with the definition
   */
  registerToolServer(server: ApiToolServer): ApiDisposable;
  /**
   * Answers a method of agents beyond the protocol, `_vendor/name`. It is advertised as `clientCapabilities._meta.<vendor>.<name>` to
   * agents that are started from now on. What the handler throws is the error that the agent gets, with `code` and `data` where it has
   * them.
   * @param capability what is advertised; `true` when absent
   * @throws TypeError for a method that is not `_vendor/name` or is taken
   */
  onRequest(
    method: string,
    handler: (params: unknown, context: ApiAgentContext) => unknown,
    capability?: unknown,
  ): ApiDisposable;
  /** Listens to a notification of agents, as {@link onRequest}; several may listen to the same. */
  onNotification(
    method: string,
    listener: (params: unknown, context: Omit<ApiAgentContext, 'signal'>) => void,
    capability?: unknown,
  ): ApiDisposable;
  /** Asks a running agent. Rejects with the agent's error (`code`, `message`, `data`), or when it does not run. */
  request(agent: string, method: string, params?: object, options?: { signal?: AbortSignal }): Promise<unknown>;
  /** @throws Error when the agent does not run */
  notify(agent: string, method: string, params?: object): void;
  /** The agents that run now. */
  agents(): readonly ApiAgent[];
  /** An agent is ready or has ended. */
  onDidChangeAgents(listener: () => void): ApiDisposable;
}

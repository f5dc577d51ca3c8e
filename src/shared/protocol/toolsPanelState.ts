/** The content of the Tools panel; created by the host for the viewed session. */

/** How a server reaches the session's agent. */
type ToolTransport = 'acp' | 'http' | 'stdio';

/** Part of Parley, of another extension, of the user's settings, or an A2A agent. */
export type ToolOrigin = 'builtIn' | 'extension' | 'person' | 'a2a';

export interface ToolItem {
  /** `server__tool`, as in permission rules. */
  readonly id: string;
  readonly name: string;
  readonly title: string;
  /** As sent to the agent. */
  readonly description: string;
  /** Why the tool is unavailable to the agent; absent when it is available. */
  readonly unavailableReason?: string;
  /** State of its switch; absent where a rule decides, which the switch cannot change. */
  readonly isOn?: boolean;
  /** The tool is new or its definition has changed: held back until the user decides. */
  readonly changed?: ChangedToolItem;
  /** Another definition of the server, such as a prompt. */
  readonly isNoTool?: true;
}

/** Both definitions of a tool, with hidden characters made visible. The first is empty for a new tool. */
export interface ChangedToolItem {
  readonly before: string;
  readonly after: string;
  /** Hash of the new definition: a decision applies to exactly this content. */
  readonly hash: string;
  /** The user blocked the new definition. */
  readonly isBlocked: boolean;
}

/** MCP's `LoggingLevel`, least severe first. */
export const SERVER_MESSAGE_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

/** What a server reported by `notifications/message`. */
export interface ServerMessageItem {
  readonly level: (typeof SERVER_MESSAGE_LEVELS)[number];
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface ToolServerItem {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly origin: ToolOrigin;
  /** State of its switch. */
  readonly isOn: boolean;
  /** Why the server is unavailable to the agent; absent when it is available. */
  readonly unavailableReason?: string;
  /** A displayed status: connecting, failed and the like. */
  readonly state?: string;
  /** The server is available, but this chat's agent started without it. */
  readonly isLate?: boolean;
  /** The agent reaches the server directly, as it was before a rule, a switch or its definition changed. */
  readonly isOutdated?: boolean;
  /** The server uses a sign-in of the user, or requires one. */
  readonly signIn?: 'required' | 'done';
  /** The server cannot be started before the user has answered a question. */
  readonly needsSetup?: true;
  readonly tools: readonly ToolItem[];
  /** URIs of resources that can be read and subscribed to, and URI templates. */
  readonly resources: readonly string[];
  /** Commands such as `/server:prompt`. */
  readonly prompts?: readonly string[];
  /** Newest first. */
  readonly messages?: readonly ServerMessageItem[];
}

/** A finished call of the viewed session. */
export interface ToolCallItem {
  readonly number: number;
  /** `server__tool` */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds that the tool ran, without waiting for the user. */
  readonly ms: number;
  readonly isError: boolean;
}

/** User actions in the Tools panel. */
export type ToolsIntent =
  /** Enables or disables a tool server in this workspace. */
  | { readonly type: 'switchTools'; readonly server: string; readonly on: boolean }
  /**
   * Enables or disables one tool.
   * @see ToolItem.id
   */
  | { readonly type: 'switchTool'; readonly tool: string; readonly on: boolean }
  /**
   * Decides about a changed definition.
   * @see ChangedToolItem.hash
   */
  | {
      readonly type: 'decideTool';
      readonly server: string;
      readonly tool: string;
      readonly hash: string;
      readonly accept: boolean;
    }
  /** Asks the user what the server needs: a review of its command, or an input. */
  | { readonly type: 'setUpServer'; readonly server: string }
  | { readonly type: 'signInServer'; readonly server: string }
  | { readonly type: 'signOutServer'; readonly server: string };

export interface ToolsPanelState {
  readonly trusted: boolean;
  /** Display name of the session's agent. */
  readonly agent?: string;
  /** Absent before the agent has started. `none`: a remote agent without a usable transport. */
  readonly transport?: ToolTransport | 'none';
  readonly servers: readonly ToolServerItem[];
  /** Problems of rules, names or servers, in whole sentences. */
  readonly warnings: readonly string[];
  /** Newest first. */
  readonly calls: readonly ToolCallItem[];
}

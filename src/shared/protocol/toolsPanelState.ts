/** What the page shows of the tool servers; made by the host for the session that is shown. */

/** How a server reaches the session's agent. */
export type ToolTransport = 'acp' | 'http' | 'stdio';

/** Part of Parley, of another extension, of the user's own settings, or an A2A agent. */
export type ToolOrigin = 'builtIn' | 'extension' | 'person' | 'a2a';

export interface ToolItem {
  /** `server__tool`, as rules name it. */
  readonly id: string;
  readonly name: string;
  readonly title: string;
  /** As the agent reads it. */
  readonly description: string;
  /** Why the agent is not offered it; absent when it is. */
  readonly withheld?: string;
  /** Where its switch stands; absent where a rule decides, which a switch cannot change. */
  readonly isOn?: boolean;
  /** Its definition is new, or another one than the user has seen: it is held back until they decide. */
  readonly changed?: ChangedToolItem;
  /** Something else that agents read of the server, such as a prompt. */
  readonly isNoTool?: true;
}

/** Both definitions of a tool, as a user reads them: hidden characters are shown. The first is empty for a new tool. */
export interface ChangedToolItem {
  readonly before: string;
  readonly after: string;
  /** Of the new one: a decision is about exactly that. */
  readonly hash: string;
  /** The user has looked at it and wants it kept out. */
  readonly isKeptOut: boolean;
}

export interface ToolServerItem {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly origin: ToolOrigin;
  /** Where its switch stands. */
  readonly isOn: boolean;
  /** Why the agent is not offered it; absent when it is. */
  readonly withheld?: string;
  /** Beside being offered: connecting, failed and the like, in words. */
  readonly state?: string;
  /** It is offered, and this chat's agent has not been told of it yet. */
  readonly isLate?: boolean;
  /** It is reached by a sign-in of the user's, or wants one. */
  readonly signIn?: 'wanted' | 'done';
  readonly tools: readonly ToolItem[];
  /** Documents that can be read and subscribed to: their addresses. */
  readonly resources: readonly string[];
}

/** A call of the shown session that has ended. */
export interface ToolCallItem {
  readonly number: number;
  /** `server__tool` */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds that the tool ran, waiting for the user not counted. */
  readonly ms: number;
  readonly isError: boolean;
}

/** What the user does in the Tools panel. */
export type ToolsIntent =
  /** Offer a tool server in this workspace, or do not. */
  | { readonly type: 'switchTools'; readonly server: string; readonly on: boolean }
  /** The same of one tool. @see ShownTool.id */
  | { readonly type: 'switchTool'; readonly tool: string; readonly on: boolean }
  /** About a tool whose definition has changed. @see ChangedTool.hash */
  | {
      readonly type: 'decideTool';
      readonly server: string;
      readonly tool: string;
      readonly hash: string;
      readonly accept: boolean;
    }
  | { readonly type: 'signInServer'; readonly server: string }
  | { readonly type: 'signOutServer'; readonly server: string };

/** Everything in the Tools panel. */
export interface ToolsPanelState {
  readonly trusted: boolean;
  /** Shown name of the session's agent. */
  readonly agent?: string;
  /** Absent before the agent has been started. `none`: it runs elsewhere and cannot be reached. */
  readonly way?: ToolTransport | 'none';
  readonly servers: readonly ToolServerItem[];
  /** What is wrong with rules, names or servers: whole sentences. */
  readonly warnings: readonly string[];
  /** Newest first. */
  readonly calls: readonly ToolCallItem[];
}

import type { JsonObject } from '../../base/json';

export interface QuirkNotification {
  readonly method: string;
  /** The update as in `session/update`; undefined for other content. */
  toUpdate(params: unknown): { readonly sessionId: string; readonly update: JsonObject } | undefined;
}

/** What one agent does differently from all others; agents are known by name only here. */
export interface AgentQuirk {
  /** `agentInfo.name` of the agent. */
  readonly agent: string;
  /** Answer `fs/read_text_file` of a missing file with empty text instead of -32002. */
  readonly missingFileIsEmpty?: boolean;
  /**
   * The agent rejects the field `id` in the declaration of an MCP server over ACP. Agents of the first schema read `id`
   * instead of `serverId`.
   */
  readonly rejectsMcpIdField?: boolean;
  /** Names of files whose MCP servers the agent uses itself; `.mcp.json` is that of the session's folder or one above it. */
  readonly ownMcpFiles?: readonly string[];
  /** The `_meta` of `session/new`, `load`, `resume` and `fork`. */
  readonly sessionMeta?: JsonObject;
  /** A notification of the agent's own that holds an update of a session. */
  readonly notification?: QuirkNotification;
  /** The `_meta` of a `session/fork` that copies a session only up to this answer and its turn. */
  forkPoint?(messageId: string): JsonObject;
  /** Corrects an update; undefined when it holds nothing for the user. */
  update?(update: JsonObject): JsonObject | undefined;
}

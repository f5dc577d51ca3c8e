import type { JsonObject } from '../../base/json';

/** What one agent does differently from everybody else; the only place where an agent is known by its name. */
export interface AgentQuirk {
  /** `agentInfo.name` of the agent. */
  readonly agent: string;
  /** `fs/read_text_file` of a missing file is answered with empty text instead of -32002. */
  readonly missingFileIsEmpty?: boolean;
  /** It refuses `id` beside `serverId` in an MCP server over ACP, which agents of the first schema read. */
  readonly refusesMcpIdTwin?: boolean;
  /** The `_meta` of a `session/fork` that copies a session only up to this answer, and its turn. */
  forkPoint?(messageId: string): JsonObject;
  /** The update as it should have been; undefined when there is nothing in it for a user. */
  update?(update: JsonObject): JsonObject | undefined;
}

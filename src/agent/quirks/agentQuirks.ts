import type { JsonObject } from '../../base/json';
import { claudeQuirk, codexQuirk } from './claudeCodex';
import { copilotQuirk } from './copilot';
import { geminiQuirk } from './gemini';

/** What one agent does differently from everybody else; the only place where an agent is known by its name. */
export interface Quirk {
  /** `agentInfo.name` of the agent. */
  readonly agent: string;
  /** `fs/read_text_file` of a missing file is answered with empty text instead of -32002. */
  readonly missingFileIsEmpty?: boolean;
  /** It refuses `id` beside `serverId` in an MCP server over ACP, which agents of the first schema read. */
  readonly refusesMcpIdTwin?: boolean;
  /** The `_meta` of a `session/fork` that copies a session only up to this answer, and its turn. */
  forkPoint?(messageId: string): JsonObject;
  /** The update as it should have been; undefined when there is nothing in it for a person. */
  update?(update: JsonObject): JsonObject | undefined;
}

const quirks: readonly Quirk[] = [claudeQuirk, codexQuirk, copilotQuirk, geminiQuirk];

/** The quirk of an agent by the name it gives itself, or undefined: most have none. */
export function quirkOf(agentName: string | undefined): Quirk | undefined {
  return quirks.find((quirk) => quirk.agent === agentName);
}

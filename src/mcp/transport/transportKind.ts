import type { JsonObject } from '../../base/json';
import { isObject } from '../../base/json';

/** How a server reaches an agent. */
export type TransportKind = 'acp' | 'http' | 'stdio';

export interface AgentTransports {
  /** `agentCapabilities` of its handshake. */
  readonly capabilities: JsonObject;
  /** Runs on another machine, where loopback is that machine. */
  readonly isRemote: boolean;
}

/** The best transport that the agent supports, if any. */
export function chooseTransport({ capabilities, isRemote }: AgentTransports): TransportKind | undefined {
  const mcp = isObject(capabilities['mcpCapabilities']) ? capabilities['mcpCapabilities'] : {};
  if (mcp['acp'] === true) return 'acp';
  if (isRemote) return undefined;
  return mcp['http'] === true ? 'http' : 'stdio';
}

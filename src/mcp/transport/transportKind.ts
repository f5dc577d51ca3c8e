import type { JsonObject } from '../../base/json';
import { isObject } from '../../base/json';

/** How a server reaches an agent. */
export type TransportKind = 'acp' | 'http' | 'stdio';

/** What of an agent decides about the way. */
export interface AgentTransports {
  /** `agentCapabilities` of its handshake. */
  readonly capabilities: JsonObject;
  /** It does not run on this machine: loopback is another place there. */
  readonly isRemote: boolean;
}

/** The best way that the agent can take; undefined when none leads there. */
export function chooseTransport({ capabilities, isRemote }: AgentTransports): TransportKind | undefined {
  const mcp = isObject(capabilities['mcpCapabilities']) ? capabilities['mcpCapabilities'] : {};
  if (mcp['acp'] === true) return 'acp';
  if (isRemote) return undefined;
  return mcp['http'] === true ? 'http' : 'stdio';
}

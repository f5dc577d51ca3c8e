import type { AgentDefinition } from '../../agent/config/agentDefinition';
import type { AgentTools } from '../../agent/config/agentToolSettings';
import type { JsonObject } from '../../base/json';
import { isObject, omitUndefined } from '../../base/json';
import { t } from '../../base/l10n';

/** How a server reaches an agent. */
export type TransportKind = NonNullable<AgentTools['transport']>;

export interface AgentTransports {
  /** `agentCapabilities` of its handshake. */
  readonly capabilities: JsonObject;
  /** Runs on another machine or in a container, where loopback is that machine. */
  readonly isRemote: boolean;
  /** `parley.agents.<name>.mcp.transport`: the user knows that it works, also for a remote agent. */
  readonly transport?: TransportKind;
  /** See `AgentQuirk.ownMcpFiles`. */
  readonly ownMcpFiles?: readonly string[];
}

/** Programs that run an agent in a container or on another machine. */
const ELSEWHERE = /(?:^|[\\/])(?:docker|podman|nerdctl|kubectl|devcontainer|ssh|wsl)(?:\.exe|\.cmd)?$/i;

/** What an agent can reach. */
export function agentTransports(
  { remote, command, tools, workspace }: AgentDefinition,
  capabilities: JsonObject,
  ownMcpFiles?: readonly string[],
): AgentTransports {
  // A workspace must not bring the user's servers to another machine.
  const transport = workspace ? undefined : tools?.transport;
  const isRemote = remote !== undefined || ELSEWHERE.test(command);
  return { capabilities, isRemote, ...omitUndefined({ transport, ownMcpFiles }) };
}

/** The best transport that the agent supports, if any. */
export function chooseTransport({ capabilities, isRemote, transport }: AgentTransports): TransportKind | undefined {
  if (transport) return transport;
  const mcp = isObject(capabilities['mcpCapabilities']) ? capabilities['mcpCapabilities'] : {};
  if (mcp['acp'] === true) return 'acp';
  if (isRemote) return undefined;
  return mcp['http'] === true ? 'http' : 'stdio';
}

/** Why a remote agent is not given a server of this machine. */
export function outOfReachText(): string {
  return t('the agent runs on another machine or in a container and can use only public https servers');
}

import type { AgentDefinition } from '../agent/config/agentDefinition';
import type { AgentConnection } from '../agent/connection/agentConnection';
import type { Logger } from '../base/logger';
import type { AgentServices, ConnectionContribution } from '../session/agents/sharedAgent';
import type { SettingValidation } from './availability/settingValidation';
import type { LazyBuiltIns } from './builtin/lazyBuiltIns';
import { agentTransports, chooseTransport } from './contract/transportKind';
import type { DeclaredServers } from './host/declaredServers';
import type { HostedServers } from './hostedServers';
import { McpOverAcp } from './transport/mcpOverAcp';

interface AgentToolServersDeps {
  readonly hostedServers: HostedServers;
  readonly builtIns: Pick<LazyBuiltIns, 'load'>;
  readonly declared: DeclaredServers;
  readonly log: Logger;
  readonly validation: Pick<SettingValidation, 'start'>;
}

/** Declares tool servers to one agent and serves its MCP-over-ACP requests. */
export function agentToolServers(
  { hostedServers, builtIns, declared, log, validation }: AgentToolServersDeps,
  definition: AgentDefinition,
  connection: () => AgentConnection,
): ConnectionContribution {
  /** Only servers declared to this process: a server id that belongs to another agent is not found. */
  const declaredIds = new Set<string>();
  const feature = new McpOverAcp({
    find: (serverId) => (declaredIds.has(serverId) ? hostedServers.find(serverId) : undefined),
    notify: (method, params) => connection().notify(method, params),
  });
  const mcpServers: AgentServices['mcpServers'] = async (session) => {
    const { state, quirk } = connection();
    if (state.status !== 'ready') return [];
    await builtIns.load();
    validation.start();
    const transports = agentTransports(definition, state.info.capabilities);
    const transportKind = chooseTransport(transports) ?? 'none';
    if (transportKind === 'none') {
      log.info(
        'mcp',
        `Offered only public servers to ${definition.title}, which runs on another machine and does not support MCP over ACP`,
      );
    }
    const servers = await hostedServers.declareServers(
      session,
      transportKind,
      quirk?.rejectsMcpIdField !== true,
      transports,
    );
    for (const { serverId } of servers) if (typeof serverId === 'string') declaredIds.add(serverId);
    declared.set(session.id, { transportKind, names: new Set(servers.map(({ name }) => String(name))) });
    return servers;
  };
  return { features: [feature], services: { mcpServers, dispose: () => feature.dispose() } };
}

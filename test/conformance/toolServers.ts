import type { ClientFeature } from '../../src/agent/clientFeature';
import type { AgentDefinition } from '../../src/agent/config/agentDefinition';
import type { AgentConnection } from '../../src/agent/connection/agentConnection';
import { nullLogger } from '../../src/base/logger';
import { ToolServers } from '../../src/mcp/contract/toolServerRegistry';
import { HostedServers } from '../../src/mcp/hostedServers';
import { LocalTransports } from '../../src/mcp/transport/localTransports';
import type { AgentServices } from '../../src/session/agents/sharedAgent';
import { builtRelay, OpenGate, sampleServer } from '../unit/mcp/sample';

interface Part {
  readonly feature: ClientFeature;
  readonly services: AgentServices;
}

/** Tool servers of the bench's window: one sample server, available to every session. */
export class BenchToolServers {
  readonly #hostedServers: HostedServers;
  readonly sample = sampleServer();

  constructor() {
    const servers = new ToolServers();
    servers.add(this.sample.server, 'builtIn');
    const transports = new LocalTransports(nullLogger, builtRelay());
    this.#hostedServers = new HostedServers(new OpenGate(servers), transports, nullLogger, '0.0.0');
  }

  /** What one connection receives from them. */
  part(definition: AgentDefinition, connection: () => AgentConnection): Part {
    const { features, services } = this.#hostedServers.createContribution(definition, connection);
    return { feature: features[0]!, services };
  }

  close(): Promise<void> {
    return this.#hostedServers.dispose();
  }
}

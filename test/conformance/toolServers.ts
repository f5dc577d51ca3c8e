import type { ClientFeature } from '../../src/agent/clientFeature';
import type { AgentDefinition } from '../../src/agent/config/agentDefinition';
import type { AgentConnection } from '../../src/agent/connection/agentConnection';
import { nullLogger } from '../../src/base/logger';
import { agentToolServers } from '../../src/mcp/agentToolServers';
import { ToolServers } from '../../src/mcp/contract/toolServerRegistry';
import { DeclaredServers } from '../../src/mcp/host/declaredServers';
import { HostedServers } from '../../src/mcp/hostedServers';
import type { AgentServices } from '../../src/session/agents/sharedAgent';
import { builtRelay, OpenGate, sampleServer } from '../unit/mcp/sample';

interface Part {
  readonly feature: ClientFeature;
  readonly services: AgentServices;
}

/** Tool servers of the bench's window: one sample server, available to every session. */
export class BenchToolServers {
  readonly #hostedServers: HostedServers;
  readonly #declared = new DeclaredServers();
  readonly sample = sampleServer();

  constructor() {
    const servers = new ToolServers();
    servers.add(this.sample.server, 'builtIn');
    const relay = builtRelay();
    this.#hostedServers = new HostedServers({
      servers,
      gate: new OpenGate(),
      log: nullLogger,
      version: '0.0.0',
      relay,
    });
  }

  /** What one connection receives from them. */
  part(definition: AgentDefinition, connection: () => AgentConnection): Part {
    const deps = {
      hostedServers: this.#hostedServers,
      builtIns: { load: async () => undefined as never },
      declared: this.#declared,
      log: nullLogger,
      validation: { start: () => undefined },
    };
    const { features, services } = agentToolServers(deps, definition, connection);
    return { feature: features[0]!, services };
  }

  close(): Promise<void> {
    return this.#hostedServers.dispose();
  }
}

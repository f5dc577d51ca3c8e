import type { AgentDefinition } from '../../src/agent/config/agentDefinition';
import { agentFile, agentNode, homeVariables } from './places';

/** The example agent of the ACP SDK. It has no model: for every prompt it reads a file, asks for permission before an edit, and ends. */
export async function sdkExampleAgent(_modelUrl: string, home: string): Promise<AgentDefinition> {
  return Promise.resolve({
    name: 'sdkexample',
    title: 'SDK example',
    description: 'The example agent of the ACP SDK.',
    command: agentNode(),
    args: [agentFile('sdkexample', '@agentclientprotocol/sdk/dist/examples/agent.js')],
    env: homeVariables(home),
  });
}

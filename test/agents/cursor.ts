import type { AgentDefinition } from '../../src/agent/config/agentDefinition';
import { agentFile, agentNode, homeVariables } from './places';

/** Cursor's adapter without Cursor's own program, which is not on npm: an agent that cannot start. It needs no model. */
export async function cursorAgent(_modelUrl: string, home: string): Promise<AgentDefinition> {
  return Promise.resolve({
    name: 'cursor',
    title: 'Cursor',
    description: "Cursor's adapter, whose own program is missing.",
    command: agentNode(),
    args: [agentFile('cursor', '@blowmage/cursor-agent-acp/dist/bin/cursor-agent-acp.js')],
    env: homeVariables(home),
  });
}

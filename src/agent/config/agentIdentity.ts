import type { AgentDefinition } from './agentDefinition';
import { contentHash, definitionContent, isWorkspaceAgent } from './workspaceAgents';

/**
 * Hash of what is started or reached, by which another agent that takes a name is told from the one that had it. Another version of an
 * agent that Parley installs counts as the same.
 */
export function agentIdentityOf(definition: AgentDefinition): string {
  if (isWorkspaceAgent(definition)) return contentHash(definitionContent(definition));
  const { origin, command, args, remote } = definition;
  const isInstalled = origin === 'registry' || origin === 'builtIn';
  return contentHash(JSON.stringify(isInstalled ? [origin] : [command, args, remote?.type, remote?.url]));
}

import { join } from 'node:path';
import type { AgentDefinition } from '../../src/agent/config/agentDefinition';
import { MODELS } from './forms/form';
import { agentFile, agentNode, homeVariables, writeConfig } from './places';

/** Claude through its ACP adapter, connected only to the scripted model. Each test needs its own home folder. */
export async function claudeAgent(modelUrl: string, home: string): Promise<AgentDefinition> {
  // Since 0.101.0 a session begins in the mode "auto" otherwise, in which a model decides instead of the user.
  await writeConfig(home, join('.claude', 'settings.json'), { permissions: { defaultMode: 'default' } });
  return {
    name: 'claude',
    title: 'Claude',
    description: 'Claude Agent with a scripted model on this machine.',
    command: agentNode(),
    args: [agentFile('claude', '@agentclientprotocol/claude-agent-acp/dist/index.js')],
    env: {
      ...homeVariables(home),
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      ANTHROPIC_BASE_URL: `${modelUrl}/anthropic`,
      ANTHROPIC_API_KEY: 'none',
      // Model of titles and other auxiliary requests.
      ANTHROPIC_DEFAULT_HAIKU_MODEL: MODELS.small,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  };
}

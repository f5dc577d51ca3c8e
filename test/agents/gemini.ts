import { join } from 'node:path';
import type { AgentDefinition } from '../../src/agent/config/agentDefinition';
import { agentFile, agentNode, homeVariables, writeConfig } from './places';

/** Gemini CLI, connected only to the scripted model. Each test needs its own home folder. */
export async function geminiAgent(modelUrl: string, home: string): Promise<AgentDefinition> {
  await writeConfig(home, join('.gemini', 'settings.json'), {
    security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, checkpointing: { enabled: false } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
  });
  return {
    name: 'gemini',
    title: 'Gemini CLI',
    description: 'Gemini CLI with a scripted model on this machine.',
    command: agentNode(),
    args: [agentFile('gemini', '@google/gemini-cli/bundle/gemini.js'), '--acp'],
    env: {
      ...homeVariables(home),
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: `${modelUrl}/gemini`,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    },
  };
}

import { join } from 'node:path';
import type { AgentDefinition } from '../../src/agent/config/agentDefinition';
import { MODELS } from './forms/form';
import { agentFile, agentNode, homeVariables, writeConfig } from './places';

/**
 * Qwen Code, connected only to the scripted model, in the mode in which it asks the user for permission (its default is auto).
 * Each test needs its own home folder.
 */
export async function qwenAgent(modelUrl: string, home: string): Promise<AgentDefinition> {
  await writeConfig(home, join('.qwen', 'settings.json'), {
    security: { auth: { selectedType: 'openai' } },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    tools: { approvalMode: 'default' },
    model: { name: MODELS.main },
  });
  return {
    name: 'qwen',
    title: 'Qwen Code',
    description: 'Qwen Code with a scripted model on this machine.',
    command: agentNode(),
    args: [agentFile('qwen', '@qwen-code/qwen-code/cli-entry.js'), '--acp'],
    env: {
      ...homeVariables(home),
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: `${modelUrl}/v1`,
      OPENAI_MODEL: MODELS.main,
    },
  };
}

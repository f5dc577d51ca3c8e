import type { AgentDefinition } from '../../src/agent/config/agentDefinition';
import { MODELS } from './forms/form';
import { agentFile, homeVariables } from './places';

/** Copilot CLI, connected only to the scripted model. It unpacks 235 MB into each new home. Each test needs its own home folder. */
export async function copilotAgent(modelUrl: string, home: string): Promise<AgentDefinition> {
  const program = process.platform === 'win32' ? 'copilot.exe' : 'copilot';
  return Promise.resolve({
    name: 'copilot',
    title: 'Copilot CLI',
    description: 'GitHub Copilot CLI with a scripted model on this machine.',
    command: agentFile('copilot', `@github/copilot-${process.platform}-${process.arch}/${program}`),
    args: ['--acp', '--no-auto-update'],
    env: {
      ...homeVariables(home),
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: 'none',
      COPILOT_MODEL: MODELS.main,
    },
  });
}

import { join } from 'node:path';
import type { AgentDefinition } from '../../src/agent/config/agentDefinition';
import { MODELS } from './forms/form';
import { agentFile, homeVariables, writeConfig } from './places';

/** Cline, connected only to the scripted model. Each test needs its own home folder. */
export async function clineAgent(modelUrl: string, home: string): Promise<AgentDefinition> {
  const settings = { provider: 'openai-compatible', apiKey: 'none', baseUrl: `${modelUrl}/v1`, model: MODELS.main };
  await writeConfig(home, join('.cline', 'data', 'settings', 'providers.json'), {
    version: 1,
    lastUsedProvider: 'openai-compatible',
    providers: { 'openai-compatible': { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' } },
  });
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const program = process.platform === 'win32' ? 'cline.exe' : 'cline';
  return {
    name: 'cline',
    title: 'Cline',
    description: 'Cline with a scripted model on this machine.',
    command: agentFile('cline', `@cline/cli-${system}-${process.arch}/bin/${program}`),
    args: ['--acp'],
    env: {
      ...homeVariables(home),
      CLINE_API_KEY: 'none',
      CLINE_PROVIDER: 'openai-compatible',
      CLINE_MODEL: MODELS.main,
      CLINE_NO_AUTO_UPDATE: '1',
      CLINE_TELEMETRY_DISABLED: '1',
    },
  };
}

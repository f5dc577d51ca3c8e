import { join } from 'node:path';
import type { AgentDefinition } from '../../src/agent/config/agentDefinition';
import { agentFile, agentNode, homeVariables, writeConfig } from './places';

/**
 * Codex through its ACP adapter, connected only to the scripted model, in the mode in which it asks the user for permission (by
 * default a second model decides). Each test needs its own home folder.
 */
export async function codexAgent(modelUrl: string, home: string): Promise<AgentDefinition> {
  await writeConfig(home, join('.codex', 'config.toml'), config(modelUrl));
  return {
    name: 'codex',
    title: 'Codex',
    description: 'Codex with a scripted model on this machine.',
    command: agentNode(),
    args: [agentFile('codex', '@agentclientprotocol/codex-acp/dist/index.js')],
    env: {
      ...homeVariables(home),
      CODEX_HOME: join(home, '.codex'),
      CODEX_API_KEY: 'none',
      SCRIPTED_API_KEY: 'none',
      MODEL_PROVIDER: 'scripted',
      INITIAL_AGENT_MODE: 'read-only',
      NO_BROWSER: '1',
    },
  };
}

/**
 * Codex through Zed's adapter. Its sandbox needs privileges that containers lack, so it runs without a sandbox and asks before
 * untrusted commands.
 */
export async function codexZedAgent(modelUrl: string, home: string): Promise<AgentDefinition> {
  const trust = 'sandbox_mode = "danger-full-access"\napproval_policy = "untrusted"\n';
  await writeConfig(home, join('.codex', 'config.toml'), trust + config(modelUrl));
  const program = process.platform === 'win32' ? 'codex-acp.exe' : 'codex-acp';
  const place = `@zed-industries/codex-acp-${process.platform}-${process.arch}/bin/${program}`;
  return {
    name: 'codexzed',
    title: 'Codex (Zed)',
    description: "Codex by Zed's adapter with a scripted model on this machine.",
    command: agentFile('codexzed', place),
    args: [],
    env: { ...homeVariables(home), CODEX_HOME: join(home, '.codex'), SCRIPTED_API_KEY: 'none', NO_BROWSER: '1' },
  };
}

/** Must be a model that Codex knows: for other models it provides no apply_patch. */
function config(modelUrl: string): string {
  return `model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "Scripted"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "SCRIPTED_API_KEY"
supports_websockets = false
`;
}

import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentDefinition } from '../../src/agent/config/agentDefinition';
import { MODELS } from './forms/form';
import { agentsFolder, homeVariables, writeConfig } from './places';

/** Options of opencode's permission requests: `optionId`, kind and name. */
export const OPENCODE_OPTIONS = {
  once: { kind: 'allow_once', name: 'Allow once' },
  always: { kind: 'allow_always', name: 'Always allow' },
  reject: { kind: 'reject_once', name: 'Reject' },
} as const;

/**
 * opencode, connected only to the scripted model at `modelUrl`. All its files are stored under `home` (created here, with the
 * config file). Each test needs its own home folder, because opencode stores sessions and "always" decisions there.
 * @throws When opencode is not installed; the message says how to install it.
 */
export async function opencodeAgent(modelUrl: string, home: string): Promise<AgentDefinition> {
  const command = opencodeBinary();
  const config = join(home, 'opencode.json');
  await writeConfig(home, 'opencode.json', opencodeConfig(modelUrl));
  await pretendPluginApi(home);
  return {
    name: 'opencode',
    title: 'opencode',
    description: 'opencode with a scripted model on this machine.',
    command,
    args: ['acp'],
    env: { ...homeVariables(home), ...offlineVariables(config) },
  };
}

/**
 * The program from the platform package: opencode's wrapper package only copies it, in a postinstall script. On x64 the
 * `baseline` packages are used, which also run on processors without AVX2. PARLEY_TEST_OPENCODE names another program, for
 * platforms without a package.
 */
export function opencodeBinary(): string {
  const given = process.env['PARLEY_TEST_OPENCODE'];
  if (given !== undefined && given !== '') return given;
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `opencode-${system}-${process.arch}${process.arch === 'x64' ? '-baseline' : ''}`;
  const program = process.platform === 'win32' ? 'opencode.exe' : 'opencode';
  const path = join(agentsFolder(), 'node_modules', name, 'bin', program);
  if (existsSync(path)) return path;
  throw new Error(
    `opencode is not installed for this platform (no ${path}). Run "npm ci --prefix test/agents", ` +
      'or name the program of opencode in PARLEY_TEST_OPENCODE.',
  );
}

function opencodeConfig(modelUrl: string): unknown {
  const model = (name: string): unknown => ({
    name,
    tool_call: true,
    reasoning: true,
    attachment: true,
    modalities: { input: ['text', 'image'], output: ['text'] },
    limit: { context: 200_000, output: 32_000 },
  });
  return {
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Scripted',
        options: { baseURL: `${modelUrl}/v1`, apiKey: 'none' },
        models: {
          [MODELS.main]: model('Scripted One'),
          [MODELS.second]: model('Scripted Two'),
          [MODELS.small]: model('Scripted Small'),
        },
      },
    },
    // Otherwise the model list contains opencode's online provider.
    enabled_providers: ['scripted'],
    model: `scripted/${MODELS.main}`,
    small_model: `scripted/${MODELS.small}`,
    // opencode allows these without permission by default.
    permission: { edit: 'ask', bash: 'ask' },
    autoupdate: false,
    share: 'disabled',
    lsp: false,
    formatter: false,
  };
}

/**
 * Otherwise each start installs the types for plugins from the registry, which takes a fifth of its processor time. Opencode compares only
 * the names in the lock file, and only if the folder node_modules exists.
 */
async function pretendPluginApi(home: string): Promise<void> {
  const folder = join('.config', 'opencode');
  const root = { dependencies: { '@opencode-ai/plugin': '*' } };
  await mkdir(join(home, folder, 'node_modules'), { recursive: true });
  await writeConfig(home, join(folder, 'package-lock.json'), { lockfileVersion: 3, packages: { '': root } });
}

function offlineVariables(config: string): Record<string, string> {
  return {
    OPENCODE_CONFIG: config,
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_CLAUDE_CODE: '1',
    OPENCODE_DISABLE_EXTERNAL_SKILLS: '1',
    // It lives for seconds: optimized code costs more than it saves.
    BUN_JSC_useDFGJIT: '0',
  };
}

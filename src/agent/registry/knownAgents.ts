/** Agents that can be recognised on this machine, and what is known of them beside the registry. */

export interface KnownAgent {
  /** As in the ACP Registry, so that one agent is one entry wherever it came from. */
  readonly id: string;
  readonly title: string;
  /** Its name on PATH. Other programs may have the same one (goose): a found agent is only used after the user saw its path. */
  readonly command: string;
  /** What makes it speak ACP. */
  readonly args: readonly string[];
  /** The first major version of Node it runs on, where it needs Node. */
  readonly node?: number;
}

export const KNOWN_AGENTS: readonly KnownAgent[] = [
  { id: 'claude-acp', title: 'Claude', command: 'claude-agent-acp', args: [], node: 22 },
  { id: 'codex-acp', title: 'Codex', command: 'codex-acp', args: [] },
  { id: 'gemini', title: 'Gemini CLI', command: 'gemini', args: ['--acp'], node: 20 },
  { id: 'opencode', title: 'OpenCode', command: 'opencode', args: ['acp'] },
  { id: 'qwen-code', title: 'Qwen Code', command: 'qwen', args: ['--acp'], node: 22 },
  { id: 'github-copilot-cli', title: 'GitHub Copilot CLI', command: 'copilot', args: ['--acp'] },
  { id: 'cline', title: 'Cline', command: 'cline', args: ['--acp'] },
  { id: 'cursor', title: 'Cursor', command: 'cursor-agent', args: ['acp'] },
  { id: 'goose', title: 'goose', command: 'goose', args: ['acp'] },
  { id: 'kimi', title: 'Kimi CLI', command: 'kimi', args: ['acp'] },
  { id: 'auggie', title: 'Auggie', command: 'auggie', args: ['--acp'] },
  { id: 'kilo', title: 'Kilo', command: 'kilo', args: ['acp'] },
  { id: 'mistral-vibe', title: 'Mistral Vibe', command: 'vibe-acp', args: [] },
  { id: 'stakpak', title: 'Stakpak', command: 'stakpak', args: ['acp'] },
  { id: 'fast-agent', title: 'fast-agent', command: 'fast-agent-acp', args: [] },
  { id: 'junie', title: 'Junie', command: 'junie', args: ['--acp=true'] },
  { id: 'amp-acp', title: 'Amp', command: 'amp-acp', args: [] },
];

/** The packages of agents, which `npx` is started with. */
const PACKAGES: Readonly<Record<string, string>> = {
  '@agentclientprotocol/claude-agent-acp': 'claude-acp',
  '@agentclientprotocol/codex-acp': 'codex-acp',
  '@google/gemini-cli': 'gemini',
  '@qwen-code/qwen-code': 'qwen-code',
};

/** What is known of the agent that this command line starts. */
export function findKnownAgent(command: string, args: readonly string[]): KnownAgent | undefined {
  const name = (command.split(/[\\/]/).pop() ?? '').replace(/\.(?:exe|cmd|bat)$/i, '');
  const ids = new Set(args.map((arg) => PACKAGES[arg.replace(/(.)@[^@/]*$/, '$1')]));
  return KNOWN_AGENTS.find((agent) => agent.command === name || ids.has(agent.id));
}

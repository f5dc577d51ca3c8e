/** Agents that are recognized on this machine, and facts about them that the registry lacks. */

export interface KnownAgent {
  /** As in the ACP Registry, so that each agent has one entry whatever its source. */
  readonly id: string;
  readonly title: string;
  /**
   * Program name on PATH. Other programs may share it (goose): a found agent is used only after the user has seen its
   * path.
   */
  readonly command: string;
  /** Arguments that start it as an ACP agent. */
  readonly args: readonly string[];
  /** Minimum major version of Node; absent for agents without Node. */
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

/** The packages of agents, as `npx` takes them. */
const PACKAGES: Readonly<Record<string, string>> = {
  '@agentclientprotocol/claude-agent-acp': 'claude-acp',
  '@agentclientprotocol/codex-acp': 'codex-acp',
  '@google/gemini-cli': 'gemini',
  '@qwen-code/qwen-code': 'qwen-code',
};

/** The known agent that this command line starts. */
export function findKnownAgent(command: string, args: readonly string[]): KnownAgent | undefined {
  const name = (command.split(/[\\/]/).pop() ?? '').replace(/\.(?:exe|cmd|bat)$/i, '');
  const ids = new Set(args.map((arg) => PACKAGES[arg.replace(/(?<=.)@[^@/]*$/, '')]));
  return KNOWN_AGENTS.find((agent) => agent.command === name || ids.has(agent.id));
}

import type { Command } from '../state/sessionState';

/** Prefix of a prompt file where the agent has a command of the same name. */
export const PROMPT_FILE_PREFIX = 'user:';

/** All completions of `/`: the agent's commands with unchanged names, then the user's prompts. */
export function slashCommands(agentCommands: readonly Command[], prompts: readonly Command[]): readonly Command[] {
  if (prompts.length === 0) return agentCommands;
  const taken = new Set(agentCommands.map(({ name }) => name));
  return [...agentCommands, ...prompts.map((prompt) => (taken.has(prompt.name) ? asOwn(prompt) : prompt))];
}

function asOwn(prompt: Command): Command {
  return { ...prompt, name: `${PROMPT_FILE_PREFIX}${prompt.name}` };
}

import type { Command } from '../../../shared/state/sessionState';

/** Paths such as `/usr/bin` are not commands. */
function commandNameIn(text: string): string | undefined {
  return /^\/([^\s/]+)(?=\s|$)/.exec(text)?.[1];
}

/** The agent's command at the start of a text. Names may contain anything but white space. */
function findCommand(text: string, commands: readonly Command[]): Command | undefined {
  const word = /^\/(\S+)/.exec(text)?.[1];
  return word === undefined ? undefined : commands.find(({ name }) => name === word);
}

/**
 * The unknown command at the start of a text. Before the agent has sent its commands, none is unknown.
 * @param all the agent's commands and prompt files
 */
export function unknownCommand(
  text: string,
  agentCommands: readonly Command[],
  all: readonly Command[] = agentCommands,
): string | undefined {
  if (agentCommands.length === 0 || findCommand(text, all)) return undefined;
  return commandNameIn(text);
}

/**
 * Matching commands: by prefix, then by substring, each in the agent's order; undefined outside a command. `caret` is negative when it is
 * elsewhere.
 */
export function completions(text: string, caret: number, commands: readonly Command[]): readonly Command[] | undefined {
  const typed = caret < 0 ? undefined : /^\/(\S*)$/.exec(text.slice(0, caret))?.[1]?.toLowerCase();
  if (typed === undefined || /^\S/.test(text.slice(caret))) return undefined;
  const names = commands.map((command) => ({ command, name: command.name.toLowerCase() }));
  const begins = names.filter(({ name }) => name.startsWith(typed));
  const holds = names.filter(({ name }) => !name.startsWith(typed) && name.includes(typed));
  const found = [...begins, ...holds].map(({ command }) => command);
  return found.length > 0 ? found : undefined;
}

export function argumentHint(text: string, commands: readonly Command[]): string | undefined {
  const command = /^\/\S+ $/.test(text) ? findCommand(text, commands) : undefined;
  return command?.hint;
}

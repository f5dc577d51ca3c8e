import type { Command } from '../../../shared/state/sessionState';

/** The name of the command that a text begins with; a path such as `/usr/bin` is none. */
export function commandNameIn(text: string): string | undefined {
  return /^\/([^\s/]+)(?=\s|$)/.exec(text)?.[1];
}

/** The command that a text begins with, when the agent has one of that name. Its name may hold anything but white space. */
export function knownCommand(text: string, commands: readonly Command[]): Command | undefined {
  const word = /^\/(\S+)/.exec(text)?.[1];
  return word === undefined ? undefined : commands.find(({ name }) => name === word);
}

/**
 * The name of the command that nobody would know. Before the agent has told of any, nothing is unknown.
 * @param all the agent's commands, and those that are not its own
 */
export function unknownCommand(
  text: string,
  agentCommands: readonly Command[],
  all: readonly Command[] = agentCommands,
): string | undefined {
  if (agentCommands.length === 0 || knownCommand(text, all)) return undefined;
  return commandNameIn(text);
}

/**
 * The commands that complete what is typed: those that begin with it, then those that have it in them, each in the agent's order;
 * undefined when no command is being typed. `caret` is at the end of what counts, negative when it is elsewhere.
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

/** What the agent says belongs after a command that stands there alone. */
export function argumentHint(text: string, commands: readonly Command[]): string | undefined {
  const command = /^\/\S+ $/.test(text) ? knownCommand(text, commands) : undefined;
  return command?.hint;
}

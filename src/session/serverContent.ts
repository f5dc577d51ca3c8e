import type { Event } from '../base/event';
import type { Block } from '../shared/state/contentBlocks';
import type { Command } from '../shared/state/sessionState';
import { readPromptValues } from './promptFiles/expandPrompt';
import type { PromptArgument } from './promptFiles/promptFile';
import type { SessionHandle } from './sessionHandle';

/** Something that the user fills in before it is requested from a server. */
interface Fillable {
  /** What the user fills in; of a template, its variables. */
  readonly arguments: readonly PromptArgument[];
  /** Values that the server suggests for an argument, given what was typed and the values so far; empty if it has none. */
  complete(name: string, typed: string, values: Readonly<Record<string, string>>): Promise<readonly string[]>;
}

export interface ServerPrompt extends Fillable {
  /** `server:prompt`, without the slash. */
  readonly command: string;
  readonly server: string;
  readonly description: string;
  /** @throws an error with a sentence for the user */
  get(values: Readonly<Record<string, string>>): Promise<{ readonly text: string; readonly blocks: readonly Block[] }>;
}

/** A resource, or a template if it has arguments. */
export interface ServerResource extends Fillable {
  readonly server: string;
  /** Or a URI template (RFC 6570). */
  readonly uri: string;
  readonly title: string;
}

/** Prompts and resources of MCP servers for the user of a session. `WindowServerContent` of `mcp` implements it. */
export interface ServerContent {
  readonly onDidChange: Event<void>;
  /** Lists the enabled servers that nobody has listed yet. Never rejects. */
  list(session: SessionHandle): Promise<void>;
  prompts(session: SessionHandle): readonly ServerPrompt[];
  resources(session: SessionHandle): readonly ServerResource[];
  /** @throws an error with a sentence for the user */
  read(session: SessionHandle, server: string, uri: string): Promise<readonly Block[]>;
}

/** The prompt at the start of a text, and the values that follow it; undefined for a command of the agent. */
export function findServerPrompt(
  text: string,
  prompts: readonly ServerPrompt[],
  agentCommands: readonly Command[],
): { readonly prompt: ServerPrompt; readonly values: Readonly<Record<string, string>> } | undefined {
  const [, word, typed = ''] = /^\/(\S+)(?:\s+([^]*))?$/.exec(text.trim()) ?? [];
  if (word === undefined || agentCommands.some(({ name }) => name === word)) return undefined;
  const prompt = prompts.find(({ command }) => command === word || `user:${command}` === word);
  return prompt && { prompt, values: readPromptValues(typed, prompt.arguments) };
}

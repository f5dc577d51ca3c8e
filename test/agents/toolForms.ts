import type { ToolWish } from './script';
import { ScriptError } from './script';

/** A tool call in the agent's own words. */
export interface ToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

interface ToolForm {
  /** The agent's name of the tool. */
  readonly name: string;
  readonly args: (wish: ToolWish) => Readonly<Record<string, unknown>>;
}

type Purpose = Exclude<ToolWish['purpose'], 'named'>;

/**
 * How the agents name their tools, by purpose; the first one offered in the request is taken.
 * opencode: read, write, edit, bash. A further agent adds its lines here.
 */
const TOOL_FORMS: Readonly<Record<Purpose, readonly ToolForm[]>> = {
  read: [{ name: 'read', args: (wish) => (wish.purpose === 'read' ? { filePath: wish.path } : {}) }],
  write: [
    { name: 'write', args: (wish) => (wish.purpose === 'write' ? { filePath: wish.path, content: wish.content } : {}) },
  ],
  edit: [
    {
      name: 'edit',
      args: (wish) =>
        wish.purpose === 'edit' ? { filePath: wish.path, oldString: wish.oldText, newString: wish.newText } : {},
    },
  ],
  shell: [
    {
      name: 'bash',
      args: (wish) => (wish.purpose === 'shell' ? { command: wish.command, description: `Runs ${wish.command}` } : {}),
    },
  ],
};

/** Finds the agent's tool for what the script wants. Throws ScriptError naming the tools that were offered. */
export function toolCallFor(wish: ToolWish, offered: readonly string[]): ToolCall {
  if (wish.purpose === 'named') return { name: wish.name, args: wish.args };
  const form = TOOL_FORMS[wish.purpose].find((candidate) => offered.includes(candidate.name));
  if (form === undefined) {
    throw new ScriptError(
      `no known tool for "${wish.purpose}" among the tools offered: ${offered.join(', ') || 'none'}`,
    );
  }
  return { name: form.name, args: form.args(wish) };
}

import type { ToolWish } from './script';
import { ScriptError } from './script';

/** A tool call with the agent's tool name and arguments. */
export interface ToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The tool's group, for agents that group tools (codex). */
  readonly namespace?: string;
  /** Input of a tool that takes text instead of arguments (codex: apply_patch). */
  readonly input?: string;
}

/** A tool that the agent provides to the model. */
export interface OfferedTool {
  readonly name: string;
  readonly namespace?: string;
  /** Parameter names; undefined if the request does not list them. */
  readonly parameters: readonly string[] | undefined;
}

type Wish<P extends ToolWish['purpose']> = Extract<ToolWish, { purpose: P }>;
type Form<W> = (wish: W) => ToolCall;
type Purpose = Exclude<ToolWish['purpose'], 'named' | 'mcp'>;

/**
 * Tool names of the agents, by purpose. The first available tool with all listed parameters is used: several agents have an
 * "edit" or a "bash" with different parameters. Add entries here for a new agent.
 */
const TOOL_FORMS: { readonly [P in Purpose]: readonly Form<Wish<P>>[] } = {
  read: [
    // opencode
    ({ path }) => ({ name: 'read', args: { filePath: path } }),
    // claude
    ({ path }) => ({ name: 'Read', args: { file_path: path } }),
    // gemini, qwen
    ({ path }) => ({ name: 'read_file', args: { file_path: path } }),
    // copilot
    ({ path }) => ({ name: 'view', args: { path } }),
    // cline
    ({ path }) => ({ name: 'read_files', args: { files: [{ path }] } }),
    // codex has none: its models read through the shell
    ({ path }) => ({ name: 'exec_command', args: { cmd: `cat ${path}` } }),
    ({ path }) => ({ name: 'shell_command', args: { command: `cat ${path}` } }),
  ],
  write: [
    ({ path, content }) => ({ name: 'write', args: { filePath: path, content } }),
    ({ path, content }) => ({ name: 'Write', args: { file_path: path, content } }),
    ({ path, content }) => ({ name: 'write_file', args: { file_path: path, content } }),
    ({ path, content }) => ({ name: 'create', args: { path, file_text: content } }),
    ({ path, content }) => ({ name: 'apply_patch', args: {}, input: addPatch(path, content) }),
    ({ path, content }) => ({ name: 'apply_patch', args: { input: addPatch(path, content) } }),
    ({ path, content }) => ({ name: 'editor', args: { path, new_text: content } }),
  ],
  edit: [
    ({ path, oldText, newText }) => ({
      name: 'edit',
      args: { filePath: path, oldString: oldText, newString: newText },
    }),
    ({ path, oldText, newText }) => ({
      name: 'Edit',
      args: { file_path: path, old_string: oldText, new_string: newText },
    }),
    ({ path, oldText, newText }) => ({
      name: 'edit',
      args: { file_path: path, old_string: oldText, new_string: newText },
    }),
    ({ path, oldText, newText }) => ({
      name: 'replace',
      args: { file_path: path, old_string: oldText, new_string: newText, instruction: `Replace ${oldText}` },
    }),
    ({ path, oldText, newText }) => ({ name: 'edit', args: { path, old_str: oldText, new_str: newText } }),
    (wish) => ({ name: 'apply_patch', args: {}, input: editPatch(wish) }),
    (wish) => ({ name: 'apply_patch', args: { input: editPatch(wish) } }),
    ({ path, oldText, newText }) => ({ name: 'editor', args: { path, old_text: oldText, new_text: newText } }),
  ],
  shell: [
    // copilot before opencode, whose tool has no description
    ({ command }) => ({ name: 'bash', args: { command, description: `Runs ${command}` } }),
    ({ command }) => ({ name: 'bash', args: { command } }),
    ({ command }) => ({ name: 'Bash', args: { command, description: `Runs ${command}` } }),
    // qwen before gemini: same name, one more parameter
    ({ command }) => ({ name: 'run_shell_command', args: { command, is_background: false } }),
    ({ command }) => ({ name: 'run_shell_command', args: { command, description: `Runs ${command}` } }),
    ({ command }) => ({ name: 'exec_command', args: { cmd: command } }),
    ({ command }) => ({ name: 'shell_command', args: { command } }),
    ({ command }) => ({ name: 'run_commands', args: { commands: [command] } }),
  ],
};

/**
 * Finds the agent's tool for a directive.
 * @throws ScriptError with the names of the available tools.
 */
export function toolCallFor(wish: ToolWish, offered: readonly OfferedTool[]): ToolCall {
  const call = callFor(wish, offered);
  if (call !== undefined) return call;
  const names = offered.map(({ name, parameters }) =>
    parameters === undefined ? name : `${name}(${parameters.join(', ')})`,
  );
  throw new ScriptError(`no known tool for "${wish.purpose}" among the tools offered: ${names.join(', ') || 'none'}`);
}

function callFor(wish: ToolWish, offered: readonly OfferedTool[]): ToolCall | undefined {
  if (wish.purpose === 'named') return { name: wish.name, args: wish.args };
  return wish.purpose === 'mcp' ? findMcpCall(wish, offered) : findCall(wish, offered);
}

/** Finds a tool of an MCP server by the agent's combined name, or by the form of agents that load tools on demand. */
function findMcpCall({ server, tool, args }: Wish<'mcp'>, offered: readonly OfferedTool[]): ToolCall | undefined {
  const has = (name: string, namespace?: string): boolean =>
    offered.some((one) => one.name === name && one.namespace === namespace);
  const [full, ...others] = [
    // claude
    `mcp__${server}__${tool}`,
    // gemini
    `mcp_${server}_${tool}`,
    // opencode
    `${server}_${tool}`,
    // copilot
    `${server}-${tool}`,
  ];
  const name = [full, ...others].find((one) => has(one));
  if (name !== undefined) return { name, args };
  // qwen
  if (has('tool_call')) return { name: 'tool_call', args: { name: full, arguments: args } };
  // codex: in a group, or found through its tool search
  const namespace = `mcp__${server}`;
  if (has(tool, namespace) || has('tool_search')) return { name: tool, namespace, args };
  // claude, with tool search
  return has('ToolSearch') ? { name: full, args } : undefined;
}

function findCall(
  wish: Exclude<ToolWish, { purpose: 'named' | 'mcp' }>,
  offered: readonly OfferedTool[],
): ToolCall | undefined {
  // The table's type ties each entry to its purpose; indexing by a union loses that.
  const forms = TOOL_FORMS[wish.purpose] as readonly Form<typeof wish>[];
  return forms.map((form) => form(wish)).find((call) => offered.some((tool) => fits(call, tool)));
}

function fits(call: ToolCall, tool: OfferedTool): boolean {
  if (call.name !== tool.name) return false;
  if (call.input !== undefined) return tool.parameters === undefined;
  return tool.parameters === undefined || Object.keys(call.args).every((key) => tool.parameters?.includes(key));
}

/** An apply_patch text that creates a file. */
function addPatch(path: string, content: string): string {
  const lines = content.replace(/\n$/, '').split('\n');
  return patch(
    `*** Add File: ${path}`,
    lines.map((line) => `+${line}`),
  );
}

/** apply_patch replaces whole lines, so the edit's texts must be whole lines; otherwise the script fails with a message. */
function editPatch({ path, oldText, newText }: Wish<'edit'>): string {
  const marked = (mark: string, text: string): string[] => text.split('\n').map((line) => `${mark}${line}`);
  return patch(`*** Update File: ${path}`, ['@@', ...marked('-', oldText), ...marked('+', newText)]);
}

function patch(head: string, lines: readonly string[]): string {
  return ['*** Begin Patch', head, ...lines, '*** End Patch', ''].join('\n');
}

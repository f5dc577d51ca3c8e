/**
 * The script language of the scripted model. The last user prompt is the script, one directive a line:
 *
 *     say <text>                      text of the answer (\n, \t, \\ are escapes)
 *     say-many <count> [size]         that many chunks of text, each numbered and padded to size characters
 *     think <text>                    reasoning text
 *     tool <name> <json>              call the agent's tool by its own name
 *     read|write|edit|shell …         the same by purpose; the agent's tool name is looked up (toolForms.ts):
 *         read <path>   write <path> <content>   edit <path> <old> => <new>   shell <command>
 *     mcp <server> <tool> <json>      call a tool of an MCP server of the session, by the agent's name for it
 *     + <tool directive>              in the same model turn as the tool call above it
 *     pause <name>                    the answer pauses until the test calls release(name)
 *     fail <status>                   the request is answered with that HTTP status (first in its model turn)
 *     drop                            the connection is cut
 *     hang                            nothing more is sent
 *
 * Paths with blanks are in double quotes. Lines that do not start with one of these words are ignored.
 */

/** A tool directive before it is mapped to the agent's tool name. */
export type ToolWish =
  | { readonly purpose: 'named'; readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  | {
      readonly purpose: 'mcp';
      readonly server: string;
      readonly tool: string;
      readonly args: Readonly<Record<string, unknown>>;
    }
  | { readonly purpose: 'read'; readonly path: string }
  | { readonly purpose: 'write'; readonly path: string; readonly content: string }
  | { readonly purpose: 'edit'; readonly path: string; readonly oldText: string; readonly newText: string }
  | { readonly purpose: 'shell'; readonly command: string };

/** One step of the model within a turn. */
export type Step =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'sayMany'; readonly count: number; readonly size: number }
  | { readonly kind: 'think'; readonly text: string }
  | { readonly kind: 'tool'; readonly wish: ToolWish }
  | { readonly kind: 'pause'; readonly name: string }
  | { readonly kind: 'fail'; readonly status: number }
  | { readonly kind: 'drop' }
  | { readonly kind: 'hang' };

/** The steps between two tool results: the answer to one model request. */
export type ModelTurn = readonly Step[];

/** An invalid directive. The model reports it in its answer, so that the author of the test sees the cause. */
export class ScriptError extends Error {}

const DEFAULT_CHUNK_SIZE = 20;

const PARSERS: Readonly<Record<string, (rest: string) => Step>> = {
  say: (rest) => ({ kind: 'say', text: unescape(rest) }),
  'say-many': parseSayMany,
  think: (rest) => ({ kind: 'think', text: unescape(rest) }),
  tool: parseTool,
  mcp: parseMcp,
  read: (rest) => ({ kind: 'tool', wish: { purpose: 'read', path: splitPath(rest).path } }),
  write: parseWrite,
  edit: parseEdit,
  shell: (rest) => ({ kind: 'tool', wish: { purpose: 'shell', command: required(rest, 'a command') } }),
  pause: (rest) => ({ kind: 'pause', name: required(rest, 'a name') }),
  fail: (rest) => ({ kind: 'fail', status: integer(rest, 'a status', 400, 599) }),
  drop: () => ({ kind: 'drop' }),
  hang: () => ({ kind: 'hang' }),
};

/** All directive names, for the answer to a prompt without directives. */
export const DIRECTIVES: readonly string[] = Object.keys(PARSERS);

/**
 * Parses a prompt. A turn ends with its tool calls; the steps after the last tool call are the final turn (possibly empty).
 * @throws ScriptError with the line.
 */
export function parseScript(prompt: string): readonly ModelTurn[] {
  const turns: Step[][] = [[]];
  for (const line of prompt.split(/\r?\n/)) {
    const together = line.startsWith('+ ');
    const step = parseLine(together ? line.slice(2) : line);
    if (step === undefined) continue;
    const last = turns.at(-1) ?? [];
    const afterTool = last.at(-1)?.kind === 'tool';
    if (together && !(afterTool && step.kind === 'tool')) {
      throw new ScriptError(`"${line}": "+" joins a tool call to the tool call in the line above it`);
    }
    if (step.kind === 'fail' && last.length > 0 && !afterTool) {
      throw new ScriptError(`"${line}": fail must be the first of its model turn (put it first or after a tool call)`);
    }
    if (afterTool && !together) turns.push([step]);
    else last.push(step);
  }
  if (turns.at(-1)?.at(-1)?.kind === 'tool') turns.push([]);
  return turns;
}

/** Whether the prompt contains a directive. */
export function isEmptyScript(turns: readonly ModelTurn[]): boolean {
  return turns.every((turn) => turn.length === 0);
}

function parseLine(line: string): Step | undefined {
  const match = /^([a-z-]+)(?:\s+(.*))?$/.exec(line.trimEnd());
  const word = match?.[1];
  const parse = word !== undefined && Object.hasOwn(PARSERS, word) ? PARSERS[word] : undefined;
  if (parse === undefined) return undefined;
  try {
    return parse(match?.[2] ?? '');
  } catch (error) {
    throw new ScriptError(`"${line}": ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function parseSayMany(rest: string): Step {
  const [count, size] = rest.split(/\s+/);
  return {
    kind: 'sayMany',
    count: integer(count ?? '', 'a count', 1, 1_000_000),
    size: size === undefined ? DEFAULT_CHUNK_SIZE : integer(size, 'a size', 1, 1_000_000),
  };
}

function parseTool(rest: string): Step {
  const match = /^(\S+)(?:\s+(.*))?$/.exec(rest);
  const name = required(match?.[1] ?? '', 'a tool name');
  return { kind: 'tool', wish: { purpose: 'named', name, args: parseArguments(match?.[2]) } };
}

function parseMcp(rest: string): Step {
  const match = /^(\S+)\s+(\S+)(?:\s+(.*))?$/.exec(rest);
  const server = required(match?.[1] ?? '', 'a server and a tool');
  const tool = required(match?.[2] ?? '', 'a tool');
  return { kind: 'tool', wish: { purpose: 'mcp', server, tool, args: parseArguments(match?.[3]) } };
}

function parseArguments(json = '{}'): Record<string, unknown> {
  const args: unknown = JSON.parse(json);
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    throw new ScriptError('the arguments must be a JSON object');
  return args as Record<string, unknown>;
}

function parseWrite(rest: string): Step {
  const { path, after } = splitPath(rest);
  return { kind: 'tool', wish: { purpose: 'write', path, content: unescape(after) } };
}

function parseEdit(rest: string): Step {
  const { path, after } = splitPath(rest);
  const [oldText, newText, ...more] = after.split(' => ');
  if (oldText === undefined || newText === undefined || more.length > 0) {
    throw new ScriptError('edit needs one " => " between the old and the new text');
  }
  return { kind: 'tool', wish: { purpose: 'edit', path, oldText: unescape(oldText), newText: unescape(newText) } };
}

function splitPath(rest: string): { path: string; after: string } {
  const match = /^(?:"([^"]+)"|(\S+))(?:\s(.*))?$/.exec(rest);
  return { path: required(match?.[1] ?? match?.[2] ?? '', 'a path'), after: match?.[3] ?? '' };
}

function required(value: string, what: string): string {
  if (value === '') throw new ScriptError(`${what} is missing`);
  return value;
}

function integer(value: string, what: string, min: number, max: number): number {
  const number = Number(value);
  if (value === '' || !Number.isInteger(number) || number < min || number > max) {
    throw new ScriptError(`${what} from ${min} to ${max} is needed, not "${value}"`);
  }
  return number;
}

function unescape(text: string): string {
  return text.replace(/\\([nt\\])/g, (_, letter: string) => ({ n: '\n', t: '\t' })[letter] ?? '\\');
}

import { MAX_INPUT, asObject, asString, canonicalJson, isObject, isTooLarge, omitUndefined } from '../../base/json';
import type { JsonObject } from '../../base/json';
import { t } from '../../base/l10n';
import { MAX_CALL_PARTS } from '../../shared/state/contentBlocks';
import type { PartialCall, ShownCall } from '../../shared/state/toolCallState';
import { COMMAND_FIELDS, commandText, toolCommand, toolCwd, toolEnv, toolPaths } from '../../shared/text/toolInput';
import type { ToolCommand } from '../../shared/text/toolInput';
import { leadingTool } from '../rules/toolNames';
import { whyNoEdit } from './editInput';
import { DESCRIPTIONS, isAbsent, isHarmless } from './inputFields';

/**
 * The one action that a request shows, and thus the only one that its answer approves. Anything that can be read as more
 * than one action, or that has parts which nobody knows, is unclear.
 */
export type ToolSubject =
  | { readonly type: 'command'; readonly command: SubjectCommand }
  /** Files whose complete change is shown as a diff. */
  | { readonly type: 'edit' }
  /**
   * `name` is the name in the raw input; others are the title and the name beside it. Its arguments may contain a command,
   * which is also subject to the rules for commands.
   */
  | {
      readonly type: 'tool';
      readonly name?: string;
      readonly args: unknown;
      readonly command?: SubjectCommand;
      /** The arguments are more than this command. */
      readonly hasMore?: true;
    }
  /** `why` is a clause; the command is one of several parts. */
  | { readonly type: 'unclear'; readonly why: string; readonly name?: string; readonly command?: SubjectCommand };

/** What a command runs, as written. */
interface SubjectCommand {
  readonly run: ToolCommand;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const CWD_FIELDS = ['cwd', 'workdir', 'working_directory', 'workingDirectory'];
const ENV_FIELDS = ['env', 'environment'];
/** The subject of a call. Pure; the only function that reads a raw input for a decision. */
export function toolSubject(call: PartialCall): ToolSubject {
  const { title, name, tool, content = [], locations = [], rawInput } = call;
  if (isTooLarge(rawInput)) {
    const { values, levels } = MAX_INPUT;
    return { type: 'unclear', why: t('it has more than {0} values or {1} levels', values, levels) };
  }
  if (Math.max(content.length, locations.length) > MAX_CALL_PARTS)
    return { type: 'unclear', why: t('it has more than {0} files or parts', MAX_CALL_PARTS) };
  const hasDiff = content.some(({ type }) => type === 'diff');
  const wrapped = wrappedTool(rawInput);
  const command = commandIn(tool, rawInput);
  const isNamed = namesTool(title, command) || (name !== undefined && leadingTool(name) !== undefined);
  const actions = [wrapped ?? isNamed, wrapped || !isNamed ? command : undefined, hasDiff].filter(Boolean);
  const parts = { ...omitUndefined({ name: wrapped?.name }), ...(command && { command }) };
  if (actions.length > 1) return { type: 'unclear', why: t('it describes more than one action'), ...parts };
  if (wrapped) {
    const { rest, name: named, args } = wrapped;
    if (rest === undefined) return { type: 'tool', name: named, args };
    return { type: 'unclear', why: t('it has “{0}” besides the tool call', rest), ...parts };
  }
  if (command && !isNamed) {
    const why = whyNoCommand(command, asObject(rawInput) ?? {});
    return why === undefined ? { type: 'command', command } : { type: 'unclear', why, ...parts };
  }
  if (hasDiff) {
    const why = whyNoEdit(call);
    return why === undefined ? { type: 'edit' } : { type: 'unclear', why, ...parts };
  }
  const hasMore = command && whyNoCommand(command, asObject(rawInput) ?? {}) !== undefined;
  return { type: 'tool', args: rawInput ?? {}, ...parts, ...(hasMore && { hasMore }) };
}

/**
 * Whether the request shows the whole raw input: the answer covers more than a plain command or a change, or cannot be
 * read. Pure.
 */
export function needsInput(call: PartialCall): boolean {
  const subject = toolSubject(call);
  if (subject.type === 'command') return subject.command.env !== undefined;
  if (subject.type !== 'tool') return subject.type === 'unclear';
  return [subject.command, subject.name, leadingTool(call.title), shownName(call)].some((found) => found !== undefined);
}

/** The name beside the title, if the request shows it: a plain word such as `write_file` names the agent's own tool. Pure. */
export function shownName({ title, name = '' }: PartialCall): string | undefined {
  const isToolOfServer = leadingTool(name) !== undefined || /[/.:-]/.test(name);
  return name !== '' && (isToolOfServer || title.includes(name)) ? name : undefined;
}

/** The title of a request, with the name of the tool that its answer approves. Pure. */
export function subjectTitle(call: PartialCall): string {
  const name = shownName(call);
  return name === undefined || call.title.includes(name) ? call.title : `${call.title} (${name})`;
}

/**
 * The files that a call shows as read whole, as written. None for a search, for a part of a file, and with any argument
 * that may limit what is read. Pure.
 */
export function wholeReads(call: ShownCall): readonly string[] {
  const { title, tool, locations, rawInput } = call;
  const named = toolPaths(rawInput);
  const isPath = (value: unknown): boolean => [value].flat().every((item) => named.some((path) => path === item));
  const isWhole = Object.entries(asObject(rawInput) ?? {}).every(
    ([field, value]) => DESCRIPTIONS.has(field) || isAbsent(value) || isPath(value),
  );
  const paths = [...locations.map(({ path }) => path), ...named];
  // "Read a.ts (1 - 10)"; agents that read a whole file name its first line.
  const lines = title.split(/[\s"'`()]+/).filter((word) => /\d/.test(word));
  const slashed = (path: string): string => `/${path.replaceAll('\\', '/')}`;
  const isPart = lines.some((word) => !paths.some((path) => slashed(path).endsWith(slashed(word))));
  return tool !== 'read' || !isWhole || isPart || locations.some(({ line = 0 }) => line > 1) ? [] : paths;
}

/** The command in a raw input or a tool's arguments, alone or not. Pure. */
function commandIn(tool: ShownCall['tool'] | undefined, rawInput: unknown): SubjectCommand | undefined {
  const run = toolCommand(rawInput);
  if (!run || isNameOfEdit(tool, run, rawInput)) return undefined;
  return { run, ...omitUndefined({ cwd: toolCwd(rawInput), env: toolEnv(rawInput) }) };
}

/** Whether the arguments of a tool contain a command. Pure. */
export function namesCommand(args: unknown): boolean {
  return commandIn(undefined, args) !== undefined;
}

/** Whether the title names a tool of a server, and is not the line of the command. */
function namesTool(title: string, command: SubjectCommand | undefined): boolean {
  const text = title.trim();
  return leadingTool(text) !== undefined && (command === undefined || text !== commandText(command.run).trim());
}

/** The edit tool of some agents has "command": "str_replace" besides the path: the name of an edit, not of a program. */
function isNameOfEdit(tool: ShownCall['tool'] | undefined, run: ToolCommand, rawInput: unknown): boolean {
  const isName = 'line' in run && /^[a-z_]+$/.test(run.line);
  return tool !== 'execute' && isName && toolPaths(rawInput).length > 0;
}

/** Why the input is more than this one command. */
function whyNoCommand({ run }: SubjectCommand, input: JsonObject): string | undefined {
  const known = new Set([...COMMAND_FIELDS, 'args', 'commands', ...CWD_FIELDS, ...ENV_FIELDS]);
  const other = Object.keys(input).find((field) => !known.has(field) && !isHarmless(field, input[field]));
  if (other !== undefined) return t('it has “{0}” besides the command', other);
  const { commands, args } = input;
  const same = 'line' in run ? [run.line] : run.argv;
  if (!isAbsent(commands) && canonicalJson(commands) !== canonicalJson(same))
    return t('it names more than one command');
  for (const fields of [COMMAND_FIELDS, CWD_FIELDS, ENV_FIELDS])
    if (valuesOf(input, fields).size > 1) return t('it has “{0}” more than once', fields[0] ?? '');
  if (!CWD_FIELDS.every((field) => isAbsent(input[field]) || typeof input[field] === 'string'))
    return t('its folder cannot be read');
  if (!isAbsent(args) && !Array.isArray(args)) return t('its arguments cannot be read');
  return ENV_FIELDS.every((field) => isReadableEnv(input[field])) ? undefined : t('its variables cannot be read');
}

function valuesOf(input: JsonObject, fields: readonly string[]): ReadonlySet<string> {
  return new Set(
    fields
      .map((field) => input[field])
      .filter((value) => !isAbsent(value))
      .map(canonicalJson),
  );
}

function isReadableEnv(env: unknown): boolean {
  if (Array.isArray(env)) {
    const names = env.map((item) => asString(asObject(item)?.['name']) ?? '');
    return names.every((name) => name !== '') && new Set(names).size === names.length;
  }
  return isAbsent(env) || isObject(env);
}

interface WrappedTool {
  readonly name: string;
  readonly args: unknown;
  /** A field beside the tool call, whose meaning is unknown. */
  readonly rest?: string;
}

/** The call of a tool that some agents put into the raw input, with its server (Codex). */
function wrappedTool(rawInput: unknown): WrappedTool | undefined {
  if (!isObject(rawInput)) return undefined;
  const { server, tool, arguments: args, invocation } = rawInput;
  const rest = (...fields: readonly string[]): { readonly rest?: string } => {
    const found = Object.keys(rawInput).find((field) => !fields.includes(field) && !isHarmless(field, rawInput[field]));
    return found === undefined ? {} : { rest: found };
  };
  const inner = wrappedTool(invocation);
  if (inner) return { ...inner, ...rest('invocation') };
  const approval = asObject(asObject(rawInput['request'])?.['_meta']);
  if (approval?.['codex_approval_kind'] === 'mcp_tool_call') {
    const name = `${asString(rawInput['server_name'])}/${asString(approval['tool_title'])}`;
    return { args: approval['tool_params'] ?? {}, name, ...rest('server_name', 'request') };
  }
  if (typeof server !== 'string' || typeof tool !== 'string') return undefined;
  return { args: args ?? {}, name: `mcp__${server}__${tool}`, ...rest('server', 'tool', 'arguments') };
}

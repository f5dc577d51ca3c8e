import { asString, isObject } from '../../base/json';
import type { JsonObject } from '../../base/json';

/** Reads `rawInput` of tool calls, whose format ACP does not define. Used by host and page. */

/** A command: arguments that no shell interprets, or a line for a shell. */
export type ToolCommand = { readonly argv: readonly string[] } | { readonly line: string };

/** Names of the field that holds the command. */
export const COMMAND_FIELDS = ['command', 'cmd', 'command_line', 'commandLine'];

/** The command in a raw input of a common format: a line, a program with `args`, or a list of words. */
export function toolCommand(rawInput: unknown): ToolCommand | undefined {
  if (!isObject(rawInput)) return undefined;
  const given = COMMAND_FIELDS.map((field) => rawInput[field]).find((value) => value !== undefined && value !== null);
  const { commands } = rawInput;
  // Cline: a list of lines. Several lines are no single command.
  const command = given ?? (Array.isArray(commands) && commands.length === 1 ? (commands[0] as unknown) : undefined);
  const args: unknown = rawInput['args'];
  const words: readonly unknown[] = [command, ...(Array.isArray(args) ? args : [])].flat();
  if (words.length === 0 || !words.every((word) => typeof word === 'string')) return undefined;
  if (words.join('').trim() === '') return undefined;
  return typeof command === 'string' && words.length === 1 ? { line: command } : { argv: words };
}

/** A command for display: words with special characters are quoted. Never for a shell. */
export function commandText(command: ToolCommand): string {
  if ('line' in command) return command.line;
  return command.argv.map((word) => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}

/** Field names that agents use for "the file", "from" and "to". */
export const PATH_FIELDS =
  `path file_path filePath abs_path absPath absolute_path absolutePath file filename notebook_path target_file targetFile source destination
  source_path destination_path old_path new_path oldPath newPath dir_path dir directory folder paths files`.split(
    /\s+/,
  );

/** The paths in a raw input, as written: relative ones are relative to the agent's folder. */
export function toolPaths(rawInput: unknown): readonly string[] {
  if (!isObject(rawInput)) return [];
  const values = PATH_FIELDS.flatMap((field) => rawInput[field]);
  const named = values.map((value) => asString(value) ?? (isObject(value) ? pathField(value) : undefined));
  // Codex: the field names are the files of a patch.
  const changes = isObject(rawInput['changes']) ? Object.keys(rawInput['changes']) : [];
  return [...named, ...changes].flatMap((path) => path || []);
}

function pathField(value: JsonObject): string | undefined {
  return asString(value['path']) ?? asString(value['file_path']);
}

/**
 * The environment variables in a command's raw input: an object, or ACP's list of names and values. Values that are no
 * strings are converted to JSON.
 */
export function toolEnv(rawInput: unknown): Readonly<Record<string, string>> | undefined {
  if (!isObject(rawInput)) return undefined;
  const given = rawInput['env'] ?? rawInput['environment'];
  const entries = Array.isArray(given)
    ? given.flatMap((item) => (isObject(item) ? [[asString(item['name']) ?? '', item['value']] as const] : []))
    : Object.entries(isObject(given) ? given : {});
  const named = entries.filter(([name]) => name !== '');
  if (named.length === 0) return undefined;
  return Object.fromEntries(named.map(([name, value]) => [name, asString(value) ?? JSON.stringify(value) ?? '']));
}

/** The working folder in a command's raw input, as written. */
export function toolCwd(rawInput: unknown): string | undefined {
  if (!isObject(rawInput)) return undefined;
  return ['cwd', 'workdir', 'working_directory', 'workingDirectory']
    .map((field) => asString(rawInput[field]))
    .find((cwd) => cwd !== undefined && cwd !== '');
}

/** The plan of a request to leave plan mode, if it is not in the content. */
export function planText(rawInput: unknown): string | undefined {
  const plan = isObject(rawInput) ? asString(rawInput['plan']) : undefined;
  return plan === undefined || plan.trim() === '' ? undefined : plan;
}

import { asString, isObject } from '../../base/json';
import type { JsonObject } from '../../base/json';

/** What agents write into the `rawInput` of a tool call; ACP leaves its form to them. Host and page read it alike. */

/** A command: words that no shell looks at, or a line for a shell. */
export type ToolCommand = { readonly argv: readonly string[] } | { readonly line: string };

/** Names of the field that holds the command. */
export const COMMAND_FIELDS = ['command', 'cmd', 'command_line', 'commandLine'];

/** The command in a raw input of the usual shapes: a line, a text with `args` beside it, or a list of words. */
export function toolCommand(rawInput: unknown): ToolCommand | undefined {
  if (!isObject(rawInput)) return undefined;
  const command = COMMAND_FIELDS.map((field) => rawInput[field]).find((value) => value !== undefined && value !== null);
  const args: unknown = rawInput['args'];
  const words: readonly unknown[] = [command, ...(Array.isArray(args) ? args : [])].flat();
  if (words.length === 0 || !words.every((word) => typeof word === 'string')) return undefined;
  if (words.join('').trim() === '') return undefined;
  return typeof command === 'string' && words.length === 1 ? { line: command } : { argv: words };
}

/** A command as people read it: words with special characters in quotes. For show, never for a shell. */
export function commandText(command: ToolCommand): string {
  if ('line' in command) return command.line;
  return command.argv.map((word) => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}

/** The file names of agents for "the file", "from" and "to". */
const PATH_FIELDS =
  `path file_path filePath abs_path absPath absolute_path absolutePath file filename notebook_path target_file targetFile source destination
  source_path destination_path old_path new_path oldPath newPath dir_path dir directory folder paths files`.split(
    /\s+/,
  );

/** The paths in a raw input, as they stand there: relative ones are meant from where the agent works. */
export function toolPaths(rawInput: unknown): readonly string[] {
  if (!isObject(rawInput)) return [];
  const values = PATH_FIELDS.flatMap((field) => rawInput[field]);
  const named = values.map((value) => asString(value) ?? (isObject(value) ? pathField(value) : undefined));
  // Codex: the files of a patch are the names of the fields.
  const changes = isObject(rawInput['changes']) ? Object.keys(rawInput['changes']) : [];
  return [...named, ...changes].flatMap((path) => path || []);
}

function pathField(value: JsonObject): string | undefined {
  return asString(value['path']) ?? asString(value['file_path']);
}

/** The variables that a command of a raw input gets: an object, or ACP's list of names and values. What is no text counts as its JSON. */
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

/** Where a command of a raw input runs, as it stands there. */
export function toolCwd(rawInput: unknown): string | undefined {
  if (!isObject(rawInput)) return undefined;
  return ['cwd', 'workdir', 'working_directory', 'workingDirectory']
    .map((field) => asString(rawInput[field]))
    .find((cwd) => cwd !== undefined && cwd !== '');
}

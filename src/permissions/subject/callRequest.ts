import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { canonicalJson, isTooLarge } from '../../base/json';
import { t } from '../../base/l10n';
import type { ShownCall } from '../../shared/state/toolCallState';
import { commandText } from '../../shared/text/toolInput';
import { pathWords } from '../programs/pathWords';
import { wordPaths } from '../rules/rulePaths';
import type { RuleCommand, RuleRequest, ShellKind } from '../rules/ruleRequest';
import { isFileKind } from '../rules/ruleRequest';
import { leadingTool, mayBeServerTool } from '../rules/toolNames';
import { argumentWords } from './argumentWords';
import { toolSubject } from './toolSubject';
import type { ToolSubject } from './toolSubject';

/** Where a call happens. */
interface CallContext {
  readonly agent: RuleRequest['agent'];
  readonly folders: readonly string[];
  /** Absolute; relative paths and commands start there. The first folder if undefined. */
  readonly cwd?: string;
  readonly confined: 'untrusted' | 'remote' | undefined;
  /** The syntax of command lines. */
  readonly shell: ShellKind;
}

/**
 * Converts an agent's tool call. Its command is that of its subject; its paths come from locations, diffs and all strings of
 * the raw input. Pure; without the real names of files.
 */
export function callRequest(tool: ShownCall, title: string, context: CallContext): RuleRequest {
  const { rawInput } = tool;
  const { cwd, folders, agent, confined, shell } = context;
  const base = cwd ?? folders[0] ?? '/';
  const from = (path: string): string => (isAbsolute(path) ? path : resolve(base, path));
  const diffs = tool.content.flatMap((content) => (content.type === 'diff' ? [content.path] : []));
  const subject = toolSubject(tool);
  const command = toCommand(subject, shell, from);
  const args = subject.type === 'command' ? undefined : argumentFacts(rawInput, base, shell, subject.type === 'edit');
  const paths = [...diffs, ...tool.locations.map(({ path }) => path)].map(from);
  // The title of a command is often its line, in which a tool's name has no meaning.
  const isName = subject.type !== 'command' || !/\s/.test(tool.title.trim());
  const inputName = subject.type === 'tool' || subject.type === 'unclear' ? subject.name : undefined;
  const called = [isName ? tool.title : leadingTool(tool.title), tool.name, inputName].flatMap((name) => name || []);
  const isNamed = subject.type !== 'command' && called.some((name) => leadingTool(name));
  const isToolCall = isNamed || mayRunElsewhere(tool, subject, [...paths, ...(args?.paths ?? [])]);
  const isText = isFileKind(tool.tool) && subject.type !== 'unclear' && !isNamed;
  const kind = kindOf(tool, command !== undefined, diffs.length > 0);
  return {
    kind,
    title,
    agent,
    called,
    ...(confined === 'untrusted' && { isUntrusted: true as const }),
    ...(command ? { command } : kind === 'execute' && { titleCommand: { line: tool.title, shell } }),
    ...(isToolCall && { isToolCall: true as const }),
    ...(subject.type === 'tool' && subject.hasMore && { hasMore: true as const }),
    ...(subject.type === 'unclear' && { unclear: t('the request cannot be read as one action: {0}', subject.why) }),
    ...args,
    ...(subject.type === 'tool' && { argsHash: hash(subject.args ?? {}) }),
    ...(args?.subject !== undefined && { subject: shownHash(tool, called, diffs.length > 0) }),
    paths: [...paths, ...(args?.paths ?? [])],
    // The text of an edit, or what a search looks for, is no command.
    ...(isText && { possibleCommands: [] }),
    folders,
    ...(cwd !== undefined && { cwd }),
  };
}

/**
 * Whether the command or files may be a server's, on another machine or in a container: the request shows them as those of this machine only
 * by its kind or title, and without a name that such a tool may have.
 */
function mayRunElsewhere({ title, name, tool }: ShownCall, subject: ToolSubject, paths: readonly string[]): boolean {
  if (subject.type === 'unclear' || subject.type === 'edit') return false;
  if (name !== undefined && mayBeServerTool(name)) return true;
  const text = title.trim();
  if (subject.type !== 'command') return mayBeServerTool(text) && !paths.some((path) => path.endsWith(text));
  const isShown = text.includes(commandText(subject.command.run).trim());
  return !isShown && (tool !== 'execute' || mayBeServerTool(text));
}

/**
 * What a tool's arguments may name and run.
 * @param base absolute folder of relative paths
 * @param isText see `argumentWords`
 */
export function argumentFacts(
  args: unknown,
  base: string,
  shell: ShellKind,
  isText = false,
): Pick<RuleRequest, 'paths' | 'possiblePaths' | 'possibleCommands' | 'hasMoreCommands' | 'hasUnresolved' | 'subject'> {
  if (isTooLarge(args)) return { paths: [], possibleCommands: [], hasMoreCommands: true, hasUnresolved: true };
  const { paths, words, commands, hasMoreCommands, isUnreadable } = argumentWords(args, isText);
  const inHome = (name: string): string => {
    const user = /^~([^\\/]*)/.exec(name);
    if (!user) return name;
    return join(user[1] ? join(homedir(), '..', user[1]) : homedir(), name.slice(user[0].length));
  };
  const possible = pathWords([...paths, ...words]).map(inHome);
  return {
    paths: paths.map((path) => resolve(base, inHome(path))),
    possiblePaths: [...new Set(possible.flatMap((word) => wordPaths(base, word)))],
    possibleCommands: commands.map((command) => Object.assign({ shell }, command)),
    ...(hasMoreCommands && { hasMoreCommands }),
    ...(isUnreadable && { hasUnresolved: true as const }),
    subject: hash(args ?? {}),
  };
}

/** Of all that a call shows. Diffs count by their id, which is a hash of their texts. */
function shownHash(tool: ShownCall, called: readonly string[], hasDiff: boolean): string {
  const shown = [tool.locations, tool.content.map((item) => (item.type === 'diff' ? item.diffId : item))];
  return hash([called, kindOf(tool, false, hasDiff), tool.rawInput, shown]);
}

function hash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** A call with a diff edits, and one with a command executes, whatever kind the agent reports. */
function kindOf({ tool }: ShownCall, hasCommand: boolean, hasDiff: boolean): RuleRequest['kind'] {
  if (hasCommand) return 'execute';
  return hasDiff && tool !== 'delete' && tool !== 'move' ? 'edit' : tool;
}

/** Also one that is only a part of the request: its danger counts. */
function toCommand(subject: ToolSubject, shell: ShellKind, from: (path: string) => string): RuleCommand | undefined {
  if (subject.type === 'edit' || !subject.command) return undefined;
  const { run, cwd, env } = subject.command;
  return { ...run, shell, ...(cwd !== undefined && { cwd: from(cwd) }), ...(env && { env }) };
}
